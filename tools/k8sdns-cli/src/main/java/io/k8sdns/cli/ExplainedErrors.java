package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.IdleWorkload;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.explain.Explainer;
import io.k8sdns.explain.Explanation;
import io.k8sdns.manifest.ManifestResult;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.NamespacedObject;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.AnswerStatus;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;

/**
 * Explains missing names in the extended error of their answers: NXDOMAIN and NODATA from the zones of the cluster, also for the target of an
 * alias, to clients with EDNS.
 *
 * <pre>
 *   source -> objects() -> ZoneFeed          keeps the objects, because a zone does not keep labels and selectors
 *   source -> observer() -> metrics          notices that Pods are not listed, or not watched
 *   client -> resolver() -> all resolvers    adds the extended error
 * </pre>
 *
 * <p>An explanation reads all objects, so it is made on a thread of its own, and its cost is bounded: at most {@link #PER_SECOND} a
 * second, one at a time, and each question once until an object changes. The answer waits for it, at most {@link #MAX_WAIT}. A question
 * beyond these limits has the same answer without the text. Answers do not take the fast path.
 */
final class ExplainedErrors implements AutoCloseable {
    /** How many explanations are made in a second; as many wait at most. */
    static final int PER_SECOND = 10;

    /** The largest text, in bytes of UTF-8. */
    static final int MAX_BYTES = 200;

    /** How long an answer waits for its explanation: less than the timeout of clients, which is often 2 s or more. */
    private static final Duration MAX_WAIT = Duration.ofSeconds(1);

    private static final int MAX_KNOWN = 1_000;
    private static final String CUT = "...";

    private final ZoneSettings settings;
    private final Visibility visibility;
    private final LongSupplier nanos;
    private final Consumer<RuntimeException> failures;

    /** Makes the explanations, one at a time. */
    private final ExecutorService thread;

    /** Guards the objects. Answers do not wait for it, because a copy of all objects takes time. */
    private final ReentrantLock objectsLock = new ReentrantLock();

    private final Map<ObjectRef, ClusterObject> objects = new LinkedHashMap<>();
    private List<IdleWorkload> idleWorkloads = List.of();

    /** Read without the lock: a text that is made during a change may be of the manifests before or after it. */
    private volatile InventedRecords invented = InventedRecords.NONE;

    /**
     * Whether the Pods are those of the cluster. They are not if the source may not list them: that no Pod is known then does not mean
     * that there is none.
     */
    private boolean knowsPods = true;

    /** The number of changes so far: batches, workloads without Pods, and whether the Pods are known. */
    private long revision;

    /** Guards the texts and the limit; held only for moments. */
    private final ReentrantLock lock = new ReentrantLock();

    /** The texts of earlier questions, by name and type; "" if there is none. */
    private final Map<Question, CompletableFuture<String>> known = new HashMap<>();

    private long secondStart;
    private int inSecond;

    /** Created by the first question after a change. Used by the thread of the explanations only. */
    private @Nullable Explainer explainer;

    private long explainedRevision;

    /**
     * Creates explanations of a server.
     *
     * @param nanos the time in nanoseconds, as {@link System#nanoTime}
     * @param thread makes the explanations, one at a time; it may reject them. Closed with this object
     * @param failures receives the causes of explanations that fail
     */
    ExplainedErrors(
            ZoneSettings settings,
            Visibility visibility,
            LongSupplier nanos,
            ExecutorService thread,
            Consumer<RuntimeException> failures) {
        this.settings = settings;
        this.visibility = visibility;
        this.nanos = nanos;
        this.thread = thread;
        this.failures = failures;
        this.secondStart = nanos.getAsLong();
    }

    /** Returns an executor with one daemon thread, which rejects tasks while {@link #PER_SECOND} wait. */
    static ExecutorService thread() {
        return new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(PER_SECOND), task -> {
            Thread one = new Thread(task, "k8sdns-explain");
            one.setDaemon(true);
            return one;
        });
    }

    /** Ends the thread. Explanations that wait are not made. */
    @Override
    public void close() {
        thread.shutdownNow();
    }

    /** Returns a sink that keeps the objects and passes them on. */
    ClusterSource.Sink objects(ClusterSource.Sink next) {
        return new ClusterSource.Sink() {
            @Override
            public void changed(List<ClusterChange> batch) {
                keep(batch);
                next.changed(batch);
            }

            @Override
            public void stateChanged(SyncState state) {
                next.stateChanged(state);
            }

            @Override
            public void diagnosed(Diagnostic diagnostic) {
                next.diagnosed(diagnostic);
            }
        };
    }

    /** Returns an observer that notices whether Pods are listed and watched, and passes all events on. */
    ClusterObserver observer(ClusterObserver next) {
        return new KindStates(next, (kind, state) -> {
            if (kind.equals(Pod.KIND)) {
                knowPods(state == SyncState.SYNCED);
            }
        });
    }

    private void keep(List<ClusterChange> batch) {
        change(() -> batch.forEach(change -> {
            if (change instanceof ClusterChange.Put put) {
                objects.put(put.ref(), put.object());
            } else {
                objects.remove(change.ref());
            }
        }));
    }

    private void knowPods(boolean known) {
        change(() -> knowsPods = known);
    }

    /** Keeps which workloads of manifests have no Pods, and what is invented. */
    void keepManifests(ManifestResult manifests) {
        change(() -> {
            idleWorkloads = manifests.snapshot().idleWorkloads();
            invented = InventedRecords.of(manifests);
        });
    }

    /** Makes a change under the lock, after which earlier texts are not valid any more. */
    private void change(Runnable change) {
        objectsLock.lock();
        try {
            change.run();
            revision++;
        } finally {
            objectsLock.unlock();
        }
        lock.lock();
        try {
            known.clear();
        } finally {
            lock.unlock();
        }
    }

    /** Returns a resolver that adds explanations to the answers of another one. */
    DnsResolver resolver(DnsResolver inner) {
        // Has no direct answers: NODATA would be answered from there.
        return (question, client) -> {
            Resolution resolution = inner.resolve(question, client);
            return client.hasEdns() && isServed(question)
                    ? resolution.then(answer -> explained(question, answer))
                    : resolution;
        };
    }

    private boolean isServed(Question question) {
        return question.dnsClass() == DClass.IN && settings.isServed(question.labels());
    }

    private Resolution explained(Question question, Answer answer) {
        // Names of an upstream server are not authoritative.
        boolean isMissing = answer.authoritative()
                && answer.extendedError().isEmpty()
                && (answer.status() == AnswerStatus.NXDOMAIN || answer.status() == AnswerStatus.NODATA)
                && isTargetServed(answer);
        if (!isMissing) {
            return new Resolution.Ready(answer);
        }
        CompletableFuture<String> text = text(question);
        return text.isDone()
                ? new Resolution.Ready(withText(answer, text.join()))
                : new Resolution.Pending(text.copy()
                        .completeOnTimeout("", MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS)
                        .thenApply(found -> withText(answer, found)));
    }

    /** Returns whether the target of the last alias is in a zone of this server; true without an alias. */
    private boolean isTargetServed(Answer answer) {
        List<Name> targets = answer.cnames();
        return targets.isEmpty() || settings.isServed(DnsNames.labels(targets.get(targets.size() - 1)));
    }

    private static Answer withText(Answer answer, String text) {
        return text.isEmpty()
                ? answer
                : answer.toBuilder()
                        .extendedError(new ExtendedError(ExtendedError.OTHER, text))
                        .build();
    }

    /** Returns the explanation of a question, which never fails; "" if there is none, or if it would cost too much now. */
    private CompletableFuture<String> text(Question question) {
        CompletableFuture<String> text = new CompletableFuture<>();
        lock.lock();
        try {
            CompletableFuture<String> earlier = known.get(question);
            if (earlier != null) {
                return earlier;
            }
            if (!mayExplain()) {
                return CompletableFuture.completedFuture("");
            }
            if (known.size() == MAX_KNOWN) {
                known.clear();
            }
            known.put(question, text);
        } finally {
            lock.unlock();
        }
        try {
            thread.execute(() -> explain(question, text));
        } catch (RejectedExecutionException tooMany) {
            forget(question, text);
            text.complete("");
        }
        return text;
    }

    private void explain(Question question, CompletableFuture<String> text) {
        String found = "";
        try {
            found = shortened(invented.marked(text(explainer().explain(question.name(), question.type()))));
        } catch (RuntimeException failed) {
            forget(question, text);
            failures.accept(failed);
        } finally {
            text.complete(found);
        }
    }

    private void forget(Question question, CompletableFuture<String> text) {
        lock.lock();
        try {
            known.remove(question, text);
        } finally {
            lock.unlock();
        }
    }

    private Explainer explainer() {
        List<ClusterObject> all;
        List<IdleWorkload> idle;
        boolean withPods;
        objectsLock.lock();
        try {
            if (explainer != null && explainedRevision == revision) {
                return explainer;
            }
            all = List.copyOf(objects.values());
            idle = idleWorkloads;
            withPods = knowsPods;
            explainedRevision = revision;
        } finally {
            objectsLock.unlock();
        }
        // Releases the old copy before the new one is built.
        explainer = null;
        Explainer current =
                Explainer.of(visible(all, idle), settings, Visibility.ALL).withoutChanges();
        // A published Service may select Pods that the filter of labels hides.
        explainer = withPods && visibility.labels().equals(Visibility.ALL.labels()) ? current : current.withoutPods();
        return explainer;
    }

    /** Returns the published objects: clients must not learn from a text which other ones there are. */
    private ClusterSnapshot visible(List<ClusterObject> all, List<IdleWorkload> idle) {
        Set<String> namespaces = all.stream()
                .filter(object -> object instanceof Namespace namespace && visibility.shows(namespace))
                .map(object -> ((Namespace) object).name())
                .collect(Collectors.toSet());
        List<ClusterObject> shown = all.stream()
                .filter(object -> object instanceof NamespacedObject one
                        ? namespaces.contains(one.namespace())
                                && (one instanceof EndpointSlice || visibility.shows(one))
                        : !(object instanceof Namespace namespace) || visibility.shows(namespace))
                .toList();
        return ClusterSnapshot.of(shown)
                .withIdleWorkloads(idle.stream()
                        .filter(one ->
                                namespaces.contains(one.workload().metadata().namespace()))
                        .toList());
    }

    private boolean mayExplain() {
        long now = nanos.getAsLong();
        if (now - secondStart >= TimeUnit.SECONDS.toNanos(1)) {
            secondStart = now;
            inSecond = 0;
        }
        return inSecond++ < PER_SECOND;
    }

    /** Returns the first cause and the first suggestion; "" if the name resolves, because the zone has not changed yet. */
    private static String text(Explanation explanation) {
        if (explanation.causes().isEmpty()) {
            return "";
        }
        return explanation.causes().get(0)
                + explanation.suggestions().stream()
                        .findFirst()
                        .map(suggestion -> "; try: " + suggestion.text())
                        .orElse("");
    }

    /** Returns a text of at most {@link #MAX_BYTES} bytes; the end of a longer one is replaced by dots. */
    static String shortened(String text) {
        if (text.getBytes(StandardCharsets.UTF_8).length <= MAX_BYTES) {
            return text;
        }
        StringBuilder start = new StringBuilder();
        int left = MAX_BYTES - CUT.length();
        for (int at = 0; at < text.length(); at = text.offsetByCodePoints(at, 1)) {
            String one = Character.toString(text.codePointAt(at));
            left -= one.getBytes(StandardCharsets.UTF_8).length;
            if (left < 0) {
                break;
            }
            start.append(one);
        }
        return start + CUT;
    }
}
