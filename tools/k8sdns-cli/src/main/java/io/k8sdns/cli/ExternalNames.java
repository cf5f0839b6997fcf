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
 * Keeps the records for clients outside of the clusters as the store has them. The only class of the command that knows RFC 2136, so
 * that nothing of it is loaded unless it is chosen.
 *
 * <p>An empty store proves nothing: the controller may not have filled it yet. So nothing is done unless the store had a shard of the
 * federation at the start, or the controller has read all clusters and written all of their Services; otherwise a controller that
 * starts with an empty store would remove every name.
 */
final class ExternalNames implements AutoCloseable {
    private static final String ABOUT = "external names: ";

    /** How often a controller is asked again whether it has written everything. */
    private static final Duration BETWEEN_CHECKS = Duration.ofSeconds(1);

    private static final Duration UNTIL_NOTE = Duration.ofSeconds(10);

    /** A pause of more than this belongs to a failure that needs a person. */
    private static final Duration LONGEST_TRANSIENT_PAUSE = Duration.ofSeconds(60);

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

    /** Whether the store has everything that a name may be removed for. */
    private volatile boolean isTrusted;

    /** Whether the store has had its first content. */
    private volatile boolean hasFirst;

    private volatile boolean isStarted;

    // Of the executor's thread.
    private Set<DnsLabels> failing = Set.of();
    private Set<String> problems = Set.of();
    private boolean wasUnreadable;
    private boolean isIncomplete;

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
     * Opens the zone of the options. Nothing is sent yet.
     *
     * @param interval how often the zone is read
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
        // A name that does not exist is reported at once; later it is looked up for each connection.
        InetSocketAddress unused = server.address();
        Rfc2136Zone.Builder zone = Rfc2136Zone.builder(
                InetSocketAddress.createUnresolved(server.host(), server.port()), options.zone.orElseThrow(), key);
        options.journal.ifPresent(zone::journal);
        return new ExternalNames(options.records(federation), zone.build(), federation, interval, err);
    }

    /** Returns what meters are made of. */
    ExternalSync sync() {
        return sync;
    }

    /** Replaces the locations of clusters that do not come from the store. */
    void clusters(Map<String, ClusterLocation> locations) {
        content.clusters(locations);
    }

    /**
     * Follows the store that the controller writes. To be called before the controller starts, so that what the store has then is known.
     */
    void follow(FederationStore store) {
        store.follow(content);
    }

    // ---- once ----

    /**
     * Makes passes until the zone has all records, or what is left has failed for a reason that does not pass by itself.
     *
     * @param store has everything that the controller has written: one that it writes to may receive that a little later
     * @param isWritten whether the controller has read all clusters and written all of their Services
     * @param patience how long to repeat what has failed
     * @return what has failed, a line each
     */
    List<String> once(FederationStore store, boolean isWritten, Duration patience) throws InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        if (!isTrusted && !isWritten) {
            return List.of(
                    ABOUT + "nothing is changed: the store was empty, and not everything could be written to it");
        }
        CountDownLatch first = new CountDownLatch(1);
        ExternalContent written = ExternalContent.builder(federation, new FederationJson())
                .changed(first::countDown)
                .build();
        store.follow(written);
        if (!first.await(patience.toNanos(), TimeUnit.NANOSECONDS)) {
            return List.of(ABOUT + "nothing is changed: the store has not been read");
        }
        WantedRecords wanted = hosts.during(() -> written.records(rules));
        ExternalSync.Report report = sync.pass(wanted);
        while (mayPass(report) && report.untilNext().toNanos() < end - System.nanoTime()) {
            TimeUnit.NANOSECONDS.sleep(report.untilNext().toNanos());
            report = sync.pass(wanted);
        }
        reportCompleteness(report);
        List<String> failures = new ArrayList<>();
        report.zoneFailure().ifPresent(reason -> {
            failures.add(ABOUT + reason);
            wanted.names().keySet().stream()
                    .sorted()
                    .forEach(name -> failures.add(ABOUT + name + ": the zone cannot be read"));
        });
        report.failures().forEach((name, result) -> failures.add(ABOUT + name + ": " + result.text()));
        problems(report).forEach(problem -> failures.add(ABOUT + problem));
        return failures;
    }

    /** Returns what has no records, and why. */
    private SortedSet<String> problems(ExternalSync.Report report) {
        SortedSet<String> all = new TreeSet<>(report.problems());
        hosts.unknown().forEach(host -> all.add("load balancer " + host + ": the host name has no address"));
        return all;
    }

    /** Returns whether a failure may pass by itself. */
    private static boolean mayPass(ExternalSync.Report report) {
        if (report.zoneFailure().isPresent()) {
            return report.untilNext().compareTo(LONGEST_TRANSIENT_PAUSE) <= 0;
        }
        // A name that is in conflict for the first time is read again: another controller may have been faster.
        return report.failures().entrySet().stream()
                .anyMatch(failure -> failure.getValue().kind() == Kind.TRANSIENT
                        || failure.getValue().kind() == Kind.CONFLICT
                                && report.newFailures().contains(failure.getKey()));
    }

    // ---- until it is closed ----

    /**
     * Keeps the records until this is closed.
     *
     * @param isWritten completes with whether the controller has read all clusters and written all of their Services
     */
    void start(Supplier<CompletionStage<Boolean>> isWritten) {
        isStarted = true;
        if (isTrusted) {
            changed();
        } else {
            execute(() -> awaitTrust(isWritten));
            after(UNTIL_NOTE, () -> {
                if (!isTrusted) {
                    err.println("note: " + ABOUT
                            + "nothing is changed until every cluster has been read, because the store "
                            + "was empty or has not been read");
                }
            });
        }
        after(interval, this::lookUpHosts);
    }

    /** Looks up host names, whose addresses change without a change of the store. Meanwhile passes go on. */
    private void lookUpHosts() {
        hosts.refresh()
                .whenComplete((found, failed) -> execute(() -> {
                    after(interval, this::lookUpHosts);
                    if (found != null && hosts.replace(found)) {
                        changed();
                    }
                }));
    }

    private void awaitTrust(Supplier<CompletionStage<Boolean>> isWritten) {
        isWritten.get().thenAccept(written -> {
            if (isTrusted) {
                return;
            }
            if (written && content.isReady()) {
                isTrusted = true;
                changed();
            } else {
                after(BETWEEN_CHECKS, () -> awaitTrust(isWritten));
            }
        });
    }

    private void changed() {
        if (!hasFirst && content.isReady()) {
            hasFirst = true;
            isTrusted = isTrusted || !content.isEmpty();
        }
        // Once for all changes that arrive until the records are derived.
        if (isStarted && isTrusted && hasChanged.compareAndSet(false, true)) {
            execute(() -> {
                hasChanged.set(false);
                want();
            });
        }
    }

    private void want() {
        try {
            updater.want(hosts.during(() -> content.records(rules)));
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    private void after(Duration pause, Runnable task) {
        try {
            var unused = executor.schedule(task, pause.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException closed) {
            // The end.
        }
    }

    private void execute(Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException closed) {
            // The end.
        }
    }

    /** Reports each failure when it is new, and when it is over. */
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
            err.println("note: " + ABOUT + "the zone can be read again");
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
                .forEach(name -> err.println("note: " + ABOUT + name + ": as it should be again"));
        failing = Set.copyOf(report.failures().keySet());
        Set<String> now = problems(report);
        now.stream().filter(problem -> !problems.contains(problem)).forEach(this::warn);
        problems = now;
    }

    private void reportCompleteness(ExternalSync.Report report) {
        if (report.zoneFailure().isEmpty() && report.isComplete() == isIncomplete) {
            isIncomplete = !report.isComplete();
            if (isIncomplete) {
                warn("the server does not let the key transfer the zone; names that are no longer wanted may stay"
                        + " (--rfc2136-journal)");
            }
        }
    }

    private void warn(String text) {
        err.println("warning: " + ABOUT + text);
    }

    /** Ends a pass that runs. Closing again does nothing. */
    @Override
    public void close() {
        updater.close();
        executor.shutdownNow();
        hosts.close();
        zone.close();
    }
}
