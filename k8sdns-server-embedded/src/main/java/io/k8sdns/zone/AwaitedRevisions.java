package io.k8sdns.zone;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** The conditions that calls of {@link ClusterZone#await} wait for. Does not poll: the zone calls {@link #check}. Thread-safe. */
final class AwaitedRevisions {
    /** The longest timeout that fits into nanoseconds: 292 years. */
    private static final Duration LONGEST_WAIT = Duration.ofNanos(Long.MAX_VALUE);

    private final Supplier<ZoneRevision> current;
    private final List<Runnable> checks = new CopyOnWriteArrayList<>();

    /**
     * Creates an empty list of conditions.
     *
     * @param current returns the revision that was published last
     */
    AwaitedRevisions(Supplier<ZoneRevision> current) {
        this.current = current;
    }

    /** Returns the first published revision that fulfils a condition: the current one, or that of a later {@link #check}. */
    ZoneRevision await(Predicate<ZoneRevision> condition, Duration timeout)
            throws InterruptedException, TimeoutException {
        CompletableFuture<ZoneRevision> found = new CompletableFuture<>();
        Runnable check = () -> {
            ZoneRevision revision = current.get();
            if (condition.test(revision)) {
                found.complete(revision);
            }
        };
        // Added before the first check, so that no revision is missed between the two.
        checks.add(check);
        try {
            check.run();
            return found.get(nanos(timeout), TimeUnit.NANOSECONDS);
        } catch (ExecutionException impossible) {
            throw new AssertionError(impossible);
        } finally {
            checks.remove(check);
        }
    }

    /** Checks all conditions again. */
    void check() {
        checks.forEach(Runnable::run);
    }

    /** Returns a duration in nanoseconds, limited to 0 to 292 years. */
    private static long nanos(Duration time) {
        return time.compareTo(LONGEST_WAIT) > 0 ? Long.MAX_VALUE : time.isNegative() ? 0 : time.toNanos();
    }
}
