package io.k8sdns.clientjava;

import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** How long to wait after failures in a row: doubled each time, and spread so that many clients do not come at once. */
final class Backoff {
    private static final Duration FIRST = Duration.ofMillis(250);
    private static final int DOUBLINGS = 7;

    /** No server is obeyed for longer. */
    private static final Duration MOST_PATIENCE = Duration.ofMinutes(5);

    private final RandomGenerator random;
    private int failures;

    Backoff(RandomGenerator random) {
        this.random = random;
    }

    /** Things went well. */
    void reset() {
        failures = 0;
    }

    /**
     * Returns how long to wait after one more failure: between half of 250 ms doubled for each, up to 32 s, and all of it;
     * or what the server asked for, if that is longer.
     */
    Duration next(Optional<Duration> retryAfter) {
        long whole = FIRST.toNanos() << Math.min(failures, DOUBLINGS);
        failures++;
        Duration own = Duration.ofNanos(whole / 2 + random.nextLong(whole / 2 + 1));
        Duration asked = retryAfter
                .filter(time -> time.compareTo(MOST_PATIENCE) < 0)
                .orElse(retryAfter.isPresent() ? MOST_PATIENCE : Duration.ZERO);
        return own.compareTo(asked) < 0 ? asked : own;
    }
}
