package io.k8sdns.federation.controller;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Service;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the Services that a federation creates in one cluster equal to their manifests. For the loop's thread.
 *
 * <p>A round lists the federation's own Services, compares each manifest with its Service, and deletes own Services without a manifest.
 * It makes one request at a time, and continues after an object that failed. The next round begins after the interval, after a pause
 * that grows with the number of failed rounds, or a second after one of the Services was changed.
 *
 * <p>Every write names the version that it replaces, and a Service is created only if there is none. So a request that arrives late can
 * never overwrite an unseen change. After a conflict the Service is read again.
 */
final class ShardKeeper {
    private static final System.Logger LOG = System.getLogger("io.k8sdns.federation.controller");
    private static final String SERVICES = "Services";
    private static final String LABEL = ShardTemplate.MANAGED_BY + "=" + ShardTemplate.MANAGER;

    /** The pause before the round after a change: changes occur in groups, and another program may undo each write at once. */
    private static final Duration AFTER_CHANGES = Duration.ofSeconds(1);

    /** The maximum number of conflicts in a row; then the Service has failed. */
    private static final int MAX_CONFLICTS = 3;

    private final String cluster;
    private final ServiceApi api;
    private final ControllerTimers time;
    private final RandomGenerator random;
    private final ControllerCore.Settings settings;
    private final BooleanSupplier isWanted;
    private final Runnable changed;

    /** The manifests by {@code NAMESPACE/NAME}; null while there are none. */
    private @Nullable Map<String, ShardTemplate> templates;

    /** The remaining steps of this round. */
    private final Deque<Runnable> steps = new ArrayDeque<>();

    /** Increases with each request and at the end of each round, so that the response to an earlier one is ignored. */
    private int current;

    private boolean isRunning;

    /** The requests that have not ended; more than one if a round was aborted. */
    private final Set<Integer> underWay = new HashSet<>();

    /** The time at which the last failed write was sent; null if none has failed. The API server may still execute it. */
    private @Nullable Long failedWriteSentAt;

    /** Called when the last request has ended; null before {@link #stop}. */
    private @Nullable Runnable stopped;

    /** Whether an object was changed during the round. */
    private boolean isDirty;

    /** Whether the next round is scheduled because of a change; further changes do not postpone it. */
    private boolean isSoon;

    private boolean isDone;
    private int failedRounds;
    private Map<String, String> failures = Map.of();
    private Map<String, String> failuresOfRound = new TreeMap<>();
    private ControllerTimers.@Nullable Timer next;

    /**
     * Creates a keeper that has not started.
     *
     * @param isWanted whether this controller may write to the cluster now, and has read it
     * @param changed called when a round has ended
     */
    ShardKeeper(
            String cluster,
            ServiceApi api,
            ControllerTimers time,
            RandomGenerator random,
            ControllerCore.Settings settings,
            BooleanSupplier isWanted,
            Runnable changed) {
        this.cluster = cluster;
        this.api = api;
        this.time = time;
        this.random = random;
        this.settings = settings;
        this.isWanted = isWanted;
        this.changed = changed;
    }

    /** Sets the manifests, and compares everything with them. */
    void templates(List<ShardTemplate> all) {
        Map<String, ShardTemplate> byName = new LinkedHashMap<>();
        all.forEach(template -> byName.put(template.toString(), template));
        templates = byName;
        isDone = false;
        failedRounds = 0;
        // Aborts a round with other manifests.
        end(false);
        run();
    }

    /** Returns whether manifests have been set. */
    boolean hasTemplates() {
        return templates != null;
    }

    /** Returns whether the last round has succeeded, or at least this number of rounds in a row have failed. */
    boolean isReconciled(int attempts) {
        return templates == null || isDone || failedRounds >= attempts;
    }

    /** Returns the problems of the last round: the reasons by name. */
    Map<String, String> failures() {
        return failures;
    }

    /** Receives changed objects of the cluster. */
    void changed(List<ClusterChange> batch) {
        Map<String, ShardTemplate> all = templates;
        if (all != null && batch.stream().anyMatch(change -> concerns(all, change.ref()))) {
            if (isRunning) {
                isDirty = true;
            } else if (next != null && !isSoon) {
                runAfter(AFTER_CHANGES);
                isSoon = true;
            }
        }
    }

    private static boolean concerns(Map<String, ShardTemplate> all, ObjectRef ref) {
        return ref.kind().equals(Service.KIND)
                        && all.containsKey(ref.namespace().orElse("") + "/" + ref.name())
                || ref.kind().equals(Namespace.KIND)
                        && all.values().stream()
                                .anyMatch(template -> template.namespace().equals(ref.name()));
    }

    /** Starts a round if it is wanted, unless one is running or scheduled. */
    void run() {
        if (isRunning || next != null || templates == null || !isWanted.getAsBoolean()) {
            return;
        }
        isRunning = true;
        isDirty = false;
        failuresOfRound = new TreeMap<>();
        steps.add(this::list);
        step();
    }

    private void runAfter(Duration pause) {
        ControllerTimers.Timer before = next;
        if (before != null) {
            before.cancel();
        }
        isSoon = false;
        next = time.after(pause, () -> {
            next = null;
            run();
        });
    }

    private void step() {
        if (!isWanted.getAsBoolean()) {
            end(false);
            return;
        }
        Runnable step = steps.poll();
        if (step != null) {
            step.run();
            return;
        }
        failures = failuresOfRound;
        isDone = failures.isEmpty();
        failedRounds = isDone ? 0 : failedRounds + 1;
        end(true);
    }

    private void end(boolean isWhole) {
        current++;
        steps.clear();
        isRunning = false;
        if (isWhole) {
            Duration pause = isDone ? settings.interval() : ControllerBackoff.after(failedRounds, random);
            runAfter(isDirty && pause.compareTo(AFTER_CHANGES) > 0 ? AFTER_CHANGES : pause);
            changed.run();
        } else {
            ControllerTimers.Timer waiting = next;
            if (waiting != null) {
                waiting.cancel();
                next = null;
            }
        }
    }

    // ---- one round ----

    private void list() {
        call(SERVICES, () -> api.list(LABEL), all -> {
            Map<String, OwnedService> own = new LinkedHashMap<>();
            for (String json : all) {
                OwnedService.of(json, settings.federation())
                        .ifPresent(service -> own.put(service.namespace() + "/" + service.name(), service));
            }
            Map<String, ShardTemplate> wanted = templates == null ? Map.of() : templates;
            wanted.forEach((name, template) -> {
                OwnedService present = own.get(name);
                if (present == null) {
                    steps.add(() -> read(template, 0));
                } else if (!isAsWanted(template, present)) {
                    steps.add(() -> update(template, present, 0));
                }
            });
            own.forEach((name, service) -> {
                if (!wanted.containsKey(name) && !service.isBeingDeleted()) {
                    steps.add(() -> delete(name, service));
                }
            });
            step();
        });
    }

    private void read(ShardTemplate template, int conflicts) {
        if (conflicts > MAX_CONFLICTS) {
            fail(name(template), "another program changes it again and again");
            return;
        }
        call(name(template), () -> api.get(template.namespace(), template.name()), json -> {
            if (json.isEmpty()) {
                create(template, conflicts);
                return;
            }
            Optional<OwnedService> own = OwnedService.of(json.get(), settings.federation());
            if (own.isPresent()) {
                update(template, own.get(), conflicts);
            } else {
                fail(
                        name(template),
                        "there is a Service of this name that no controller of this federation created; it is not touched");
            }
        });
    }

    private void create(ShardTemplate template, int conflicts) {
        String json = OwnedService.create(template, settings.federation());
        write(template, conflicts, () -> api.create(template.namespace(), json), "created");
    }

    private boolean isAsWanted(ShardTemplate template, OwnedService present) {
        return !present.isBeingDeleted()
                && present.isHeadless() == template.isHeadless()
                && present.update(template, settings.federation()).isEmpty();
    }

    private void update(ShardTemplate template, OwnedService present, int conflicts) {
        if (present.isBeingDeleted()) {
            fail(name(template), "it is being deleted; it is created again afterwards");
            return;
        }
        if (present.isHeadless() != template.isHeadless()) {
            fail(
                    name(template),
                    "it is " + (present.isHeadless() ? "" : "not ")
                            + "headless, which cannot be changed; delete it, and it is created again");
            return;
        }
        Optional<String> json = present.update(template, settings.federation());
        if (json.isEmpty()) {
            step();
        } else {
            write(template, conflicts, () -> api.replace(template.namespace(), template.name(), json.get()), "updated");
        }
    }

    private void write(ShardTemplate template, int conflicts, Supplier<CompletionStage<Boolean>> request, String what) {
        if (!isWanted.getAsBoolean()) {
            // The Lease or the claim may have ended since the Service was read.
            end(false);
            return;
        }
        callToWrite(name(template), request, done -> {
            if (done) {
                LOG.log(Level.INFO, "cluster {0}: {1}: {2}", cluster, name(template), what);
                step();
            } else {
                read(template, conflicts + 1);
            }
        });
    }

    private void delete(String name, OwnedService service) {
        String object = "Service " + name;
        callToWrite(
                object,
                () -> api.delete(service.namespace(), service.name(), service.uid(), service.resourceVersion()),
                done -> {
                    if (done) {
                        LOG.log(Level.INFO, "cluster {0}: {1}: deleted", cluster, object);
                        step();
                    } else {
                        fail(object, "it was changed before it could be deleted");
                    }
                });
    }

    private static String name(ShardTemplate template) {
        return "Service " + template;
    }

    private void fail(String object, String reason) {
        failuresOfRound.put(in(cluster, object), reason);
        step();
    }

    private static String in(String cluster, String object) {
        return object + " in cluster " + cluster;
    }

    /** Returns the name of a problem about all Services of a cluster. */
    static String all(String cluster) {
        return in(cluster, SERVICES);
    }

    /** Makes a request, and continues with its answer unless the round has ended by then. */
    private <T> void call(String object, Supplier<CompletionStage<T>> request, Consumer<T> then) {
        call(object, request, then, () -> {});
    }

    /** Makes a request that changes an object, and remembers when it was sent if it fails. */
    private void callToWrite(String object, Supplier<CompletionStage<Boolean>> request, Consumer<Boolean> then) {
        long sent = time.nanoTime();
        call(object, request, then, () -> failedWriteSentAt = sent);
    }

    private <T> void call(
            String object, Supplier<CompletionStage<T>> request, Consumer<T> then, Runnable beforeFailure) {
        int now = ++current;
        underWay.add(now);
        TimedCall.startParsing(
                time,
                settings.deadline(),
                request,
                answer -> {
                    ended(now);
                    if (now == current) {
                        then.accept(answer);
                    }
                },
                failure -> {
                    beforeFailure.run();
                    ended(now);
                    if (now == current) {
                        fail(object, failure);
                    }
                });
    }

    private void ended(int call) {
        Runnable then = stopped;
        if (underWay.remove(call) && underWay.isEmpty() && then != null) {
            then.run();
        }
    }

    /** Returns whether a request has not ended. */
    boolean isBusy() {
        return !underWay.isEmpty();
    }

    /** Returns whether a write that failed within the last lease may still be executed. */
    boolean mayWriteLate() {
        Long sent = failedWriteSentAt;
        return sent != null && time.nanoTime() - sent < settings.lease().toNanos();
    }

    /** Starts no further request, and runs the given task when the last one has ended. */
    void stop(Runnable then) {
        templates = null;
        end(false);
        stopped = then;
        if (!isBusy()) {
            then.run();
        }
    }

    /** Ends, and closes the access to the API server. */
    void close() {
        end(false);
        templates = null;
        api.close();
    }
}
