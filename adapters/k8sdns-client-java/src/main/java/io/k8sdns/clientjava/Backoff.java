package io.k8sdns.clientjava;

import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * The wait after failures in a row: doubled after each one up to a limit, less a random part of at most one half, so that many
 * clients do not return at the same time.
 */
final class Backoff {
    private static final Duration FIRST = Duration.ofMillis(250);

    /** Enough doublings to reach every limit in use. */
    private static final int MAX_DOUBLINGS = 10;

    /** The longest Retry-After that is obeyed. */
    private static final Duration LONGEST_RETRY_AFTER = Duration.ofMinutes(5);

    private final RandomGenerator random;
    private final long longest;
    private int failures;

    /**
     * Creates a backoff without failures.
     *
     * @param longest the longest wait, unless the server asks for a longer one
     */
    Backoff(RandomGenerator random, Duration longest) {
        this.random = random;
        this.longest = longest.toNanos();
    }

    /** Resets the number of failures. */
    void reset() {
        failures = 0;
    }

    /**
     * Returns how long to wait after one more failure: 250 ms, doubled for each failure before up to the limit, less a random
     * part of at most one half; or the wait that the server requested, if that is longer.
     */
    Duration next(Optional<Duration> retryAfter) {
        long whole = Math.min(FIRST.toNanos() << Math.min(failures, MAX_DOUBLINGS), longest);
        failures++;
        Duration own = Duration.ofNanos(whole / 2 + random.nextLong(whole / 2 + 1));
        Duration asked = retryAfter
                .filter(time -> time.compareTo(LONGEST_RETRY_AFTER) < 0)
                .orElse(retryAfter.isPresent() ? LONGEST_RETRY_AFTER : Duration.ZERO);
        return own.compareTo(asked) < 0 ? asked : own;
    }
}
