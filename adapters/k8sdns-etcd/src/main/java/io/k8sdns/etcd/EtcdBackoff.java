package io.k8sdns.etcd;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Computes the delay after consecutive failures: 250 ms, doubled after each further failure up to 6 s, minus a random part of up to one
 * half, so that clients do not retry simultaneously.
 */
final class EtcdBackoff {
    private static final Duration FIRST = Duration.ofMillis(250);
    static final Duration MAX_DELAY = Duration.ofSeconds(6);

    /** The number of doublings after which the limit is reached. */
    private static final int MAX_DOUBLINGS = 5;

    private final RandomGenerator random;
    private int failures;

    EtcdBackoff(RandomGenerator random) {
        this.random = random;
    }

    /** Resets the delay after a success. */
    void reset() {
        failures = 0;
    }

    /** Returns the delay after a further failure. */
    Duration next() {
        long whole = Math.min(FIRST.toNanos() << Math.min(failures, MAX_DOUBLINGS), MAX_DELAY.toNanos());
        failures++;
        return Duration.ofNanos(whole / 2 + random.nextLong(whole / 2 + 1));
    }
}
