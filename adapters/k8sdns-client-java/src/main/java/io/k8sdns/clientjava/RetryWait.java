package io.k8sdns.clientjava;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The wait between a failed request and the next one. Can be cut short, unless the server requested it. */
final class RetryWait {
    /** A wait that is cut short ends at a random time within this duration, so that clients do not return at the same moment. */
    static final Duration JITTER = Duration.ofMillis(100);

    /**
     * The minimum time between two waits that are cut short because the server seems to be back: a server that accepts connections
     * but does nothing else must not receive requests all the time. ({@code ListWatchTest.waitsAreCutShortOnceInThirtySeconds})
     */
    private static final Duration BETWEEN_CUTS = Duration.ofSeconds(30);

    private final Timers timers;
    private final RandomGenerator random;
    private @Nullable Waiting waiting;
    private Optional<Long> lastCut = Optional.empty();

    private record Waiting(ApiFailure failure, Runnable next, Timers.Timer timer) {}

    RetryWait(Timers timers, RandomGenerator random) {
        this.timers = timers;
        this.random = random;
    }

    /**
     * Begins to wait.
     *
     * @param failure why the request cannot be made now
     * @param next run after this time, unless the wait is cancelled
     */
    void begin(ApiFailure failure, Duration time, Runnable next) {
        waiting = new Waiting(failure, next, timers.after(time, next));
    }

    /** Ends the wait, if there is one, without its task. */
    void cancel() {
        if (waiting != null) {
            waiting.timer().cancel();
            waiting = null;
        }
    }

    /** Ends a wait for such a failure soon, at most once in 30 s. */
    void cutShortRarely(Predicate<ApiFailure.Cause> cause) {
        if (isFor(cause) && (lastCut.isEmpty() || timers.nanoTime() - lastCut.get() >= BETWEEN_CUTS.toNanos())) {
            lastCut = Optional.of(timers.nanoTime());
            boolean unused = cutShort(any -> true);
        }
    }

    /** Ends a wait for such a failure soon; returns false if there is no wait, or the server requested it (Retry-After). */
    boolean cutShort(Predicate<ApiFailure.Cause> cause) {
        Waiting now = waiting;
        if (now == null || !isFor(cause) || now.failure().retryAfter().isPresent()) {
            return false;
        }
        now.timer().cancel();
        begin(now.failure(), Duration.ofNanos(random.nextLong(JITTER.toNanos())), now.next());
        return true;
    }

    private boolean isFor(Predicate<ApiFailure.Cause> cause) {
        return waiting != null && cause.test(waiting.failure().cause());
    }
}
