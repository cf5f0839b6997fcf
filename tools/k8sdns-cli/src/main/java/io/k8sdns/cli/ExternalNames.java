package io.k8sdns.cli;

import io.k8sdns.federation.ClusterLocation;
import io.k8sdns.federation.FederationStore;
import io.k8sdns.federation.external.ChangeResult;
import io.k8sdns.federation.external.ChangeResult.Kind;
import io.k8sdns.federation.external.ExternalRecords;
import io.k8sdns.federation.external.ExternalSync;
import io.k8sdns.federation.external.ExternalUpdater;
import io.k8sdns.federation.external.WantedRecords;
import io.k8sdns.federation.store.ExternalContent;
import io.k8sdns.federation.store.FederationJson;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.rfc2136.Rfc2136Zone;
import io.k8sdns.rfc2136.TsigKey;
import io.k8sdns.timers.DelayedTask;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import picocli.CommandLine.ParameterException;

/**
 * Keeps the records for clients outside of the clusters up to date with the store. No other class of the command uses the RFC 2136
 * client, so that its classes are loaded only if there are such records.
 *
 * <p><b>Empty stores.</b> A store can be empty because the controller has not written it yet, and updating the records from it
 * would remove all names. So nothing is changed unless the store had a shard of the federation at the start, or the controller has
 * read all clusters and written all of their Services.
 */
final class ExternalNames implements AutoCloseable {
    private static final String PREFIX = "external names: ";

    /** The time between two checks whether the controller has written everything. */
    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

    private static final Duration NOTE_DELAY = Duration.ofSeconds(10);

    /** The longest wait after a transient failure. Failures with longer waits need a change of settings. */
    private static final Duration MAX_TRANSIENT_WAIT = Duration.ofSeconds(60);

    private final ScheduledExecutorService executor = TimerThreads.start("k8sdns-external-names");
    private final AtomicBoolean hasChanged = new AtomicBoolean();
    private final String federation;
    private final Duration interval;
    private final PrintWriter err;
    private final HostAddresses hosts = new HostAddresses();
    private final ExternalRecords rules;
    private final ExternalContent content;
    private final Rfc2136Zone zone;
    private final ExternalSync sync;
    private final ExternalUpdater updater;

    /** Whether the store is complete, so that names can be removed. */
    private volatile boolean isStoreComplete;

    /** Whether the first content of the store was received. */
    private volatile boolean hasContent;

    private volatile boolean isStarted;

    // Used only by the thread of the executor.
    private Set<DnsLabels> failing = Set.of();
    private Set<String> problems = Set.of();
    private boolean wasUnreadable;
    private boolean isListingIncomplete;

    private ExternalNames(
            ExternalRecords.Builder records, Rfc2136Zone zone, String federation, Duration interval, PrintWriter err) {
        this.zone = zone;
        this.federation = federation;
        this.interval = interval;
        this.err = err;
        rules = records.hostAddresses(hosts).build();
        content = ExternalContent.builder(federation, new FederationJson())
                .changed(this::changed)
                .skipped((key, reason) -> warn(key + " is skipped: " + reason))
                .build();
        sync = ExternalSync.builder(zone, System::nanoTime, new SplittableRandom())
                .interval(interval)
                .build();
        updater = ExternalUpdater.builder(sync, executor)
                .reports(this::report)
                .failures(failed -> warn("internal error: " + failed))
                .build();
    }

    /**
     * Opens the zone of the options, without sending anything.
     *
     * @param interval the time between two reads of the zone
     * @throws ParameterException if the key is invalid
     * @throws IOException if a file cannot be read, or the server has no address
     */
    static ExternalNames open(ExternalOptions options, String federation, Duration interval, PrintWriter err)
            throws IOException {
        TsigKey key;
        try {
            key = TsigKey.read(options.key.orElseThrow());
        } catch (IllegalArgumentException invalid) {
            throw options.usage("--tsig-key-file: " + invalid.getMessage());
        }
        HostAndPort server = options.server.orElseThrow();
        // Reports a missing host name immediately; later the name is looked up for each connection.
        InetSocketAddress unused = server.address();
        Rfc2136Zone.Builder zone = Rfc2136Zone.builder(
                InetSocketAddress.createUnresolved(server.host(), server.port()), options.zone.orElseThrow(), key);
        options.journal.ifPresent(zone::journal);
        return new ExternalNames(options.records(federation), zone.build(), federation, interval, err);
    }

    /** Returns the sync, for its metrics. */
    ExternalSync sync() {
        return sync;
    }

    /** Replaces the locations of clusters that are not in the store. */
    void clusters(Map<String, ClusterLocation> locations) {
        content.clusters(locations);
    }

    /**
     * Starts to watch the store that the controller writes. Must be called before the controller starts, to see the earlier content
     * of the store.
     */
    void follow(FederationStore store) {
        store.watch(content);
    }

    // ---- once ----

    /**
     * Makes passes until the zone has all records, only permanent failures remain, or the time is over.
     *
     * @param store a store with everything that the controller has written. The listeners of the controller's own store can receive
     *     it with a delay
     * @param isWritten whether the controller has read all clusters and written all of their Services
     * @param timeout the longest time for retries
     * @return the failures, one line each
     */
    List<String> once(FederationStore store, boolean isWritten, Duration timeout) throws InterruptedException {
        long end = System.nanoTime() + timeout.toNanos();
        if (!isStoreComplete && !isWritten) {
            return List.of(
                    PREFIX + "nothing is changed: the store was empty, and not everything could be written to it");
        }
        CountDownLatch first = new CountDownLatch(1);
        ExternalContent written = ExternalContent.builder(federation, new FederationJson())
                .changed(first::countDown)
                .build();
        store.watch(written);
        if (!first.await(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
            return List.of(PREFIX + "nothing is changed: the store has not been read");
        }
        WantedRecords wanted = hosts.derive(() -> written.records(rules));
        ExternalSync.Report report = sync.pass(wanted);
        while (isTransient(report) && report.untilNext().toNanos() < end - System.nanoTime()) {
            TimeUnit.NANOSECONDS.sleep(report.untilNext().toNanos());
            report = sync.pass(wanted);
        }
        reportCompleteness(report);
        List<String> failures = new ArrayList<>();
        report.zoneFailure().ifPresent(reason -> {
            failures.add(PREFIX + reason);
            wanted.names().keySet().stream()
                    .sorted()
                    .forEach(name -> failures.add(PREFIX + name + ": the zone cannot be read"));
        });
        report.failures().forEach((name, result) -> failures.add(PREFIX + name + ": " + result.text()));
        problems(report).forEach(problem -> failures.add(PREFIX + problem));
        return failures;
    }

    /** Returns the names without records, with the reasons. */
    private SortedSet<String> problems(ExternalSync.Report report) {
        SortedSet<String> all = new TreeSet<>(report.problems());
        hosts.unknown().forEach(host -> all.add("load balancer " + host + ": the host name has no address"));
        return all;
    }

    /** Returns whether a failure is transient. */
    private static boolean isTransient(ExternalSync.Report report) {
        if (report.zoneFailure().isPresent()) {
            return report.untilNext().compareTo(MAX_TRANSIENT_WAIT) <= 0;
        }
        // A new conflict is retried, because another controller may have changed the name in the meantime.
        return report.failures().entrySet().stream()
                .anyMatch(failure -> failure.getValue().kind() == Kind.TRANSIENT
                        || failure.getValue().kind() == Kind.CONFLICT
                                && report.newFailures().contains(failure.getKey()));
    }

    // ---- until it is closed ----

    /**
     * Starts to update the records until this is closed.
     *
     * @param isWritten completes with whether the controller has read all clusters and written all of their Services
     */
    void start(Supplier<CompletionStage<Boolean>> isWritten) {
        isStarted = true;
        if (isStoreComplete) {
            changed();
        } else {
            execute(() -> awaitStoreComplete(isWritten));
            after(NOTE_DELAY, () -> {
                if (!isStoreComplete) {
                    err.println("note: " + PREFIX
                            + "nothing is changed until every cluster has been read, because the store "
                            + "was empty or has not been read");
                }
            });
        }
        after(interval, this::lookUpHosts);
    }

    /** Looks up the host names again, because their addresses change without a change of the store. Does not block passes. */
    private void lookUpHosts() {
        hosts.refresh()
                .whenComplete((found, failed) -> execute(() -> {
                    after(interval, this::lookUpHosts);
                    if (found != null && hosts.replace(found)) {
                        changed();
                    }
                }));
    }

    private void awaitStoreComplete(Supplier<CompletionStage<Boolean>> isWritten) {
        isWritten.get().thenAccept(written -> {
            if (isStoreComplete) {
                return;
            }
            if (written && content.isReady()) {
                isStoreComplete = true;
                changed();
            } else {
                after(CHECK_INTERVAL, () -> awaitStoreComplete(isWritten));
            }
        });
    }

    private void changed() {
        if (!hasContent && content.isReady()) {
            hasContent = true;
            isStoreComplete = isStoreComplete || !content.isEmpty();
        }
        // Derives the records once for all changes that arrive until then.
        if (isStarted && isStoreComplete && hasChanged.compareAndSet(false, true)) {
            execute(() -> {
                hasChanged.set(false);
                want();
            });
        }
    }

    private void want() {
        try {
            updater.want(hosts.derive(() -> content.records(rules)));
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    private void after(Duration pause, Runnable task) {
        DelayedTask unused = DelayedTask.schedule(executor, pause, task);
    }

    private void execute(Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException closed) {
            // This object was closed, so no further pass is made.
        }
    }

    /** Reports each failure when it occurs and when it ends. */
    private void report(ExternalSync.Report report) {
        if (report.zoneFailure().isPresent()) {
            if (report.isNewZoneFailure()) {
                warn(report.zoneFailure().get());
            }
            wasUnreadable = true;
            return;
        }
        if (wasUnreadable) {
            wasUnreadable = false;
            err.println("note: " + PREFIX + "the zone can be read again");
        }
        reportCompleteness(report);
        for (DnsLabels name : report.newFailures()) {
            ChangeResult result = report.failures().get(name);
            if (result != null) {
                warn(name + ": " + result.text());
            }
        }
        failing.stream()
                .filter(name -> !report.failures().containsKey(name))
                .forEach(name -> err.println("note: " + PREFIX + name + ": recovered"));
        failing = Set.copyOf(report.failures().keySet());
        Set<String> now = problems(report);
        now.stream().filter(problem -> !problems.contains(problem)).forEach(this::warn);
        problems = now;
    }

    private void reportCompleteness(ExternalSync.Report report) {
        if (report.zoneFailure().isEmpty() && report.isComplete() == isListingIncomplete) {
            isListingIncomplete = !report.isComplete();
            if (isListingIncomplete) {
                warn("the server does not let the key transfer the zone; names that are no longer wanted may stay"
                        + " (--rfc2136-journal)");
            }
        }
    }

    private void warn(String text) {
        err.println("warning: " + PREFIX + text);
    }

    /** Ends a running pass. Idempotent. */
    @Override
    public void close() {
        updater.close();
        executor.shutdownNow();
        hosts.close();
        zone.close();
    }
}
