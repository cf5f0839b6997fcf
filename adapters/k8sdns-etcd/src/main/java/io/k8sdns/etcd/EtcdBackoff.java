package io.k8sdns.etcd;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * The time to wait after failures in a row: 250 ms, doubled after each one up to 6 s, less a random part of at most one half, so
 * that many clients do not return at the same time.
 */
final class EtcdBackoff {
    private static final Duration FIRST = Duration.ofMillis(250);
    static final Duration LONGEST = Duration.ofSeconds(6);

    /** After so many doublings the limit has been reached. */
    private static final int MAX_DOUBLINGS = 5;

    private final RandomGenerator random;
    private int failures;

    EtcdBackoff(RandomGenerator random) {
        this.random = random;
    }

    /** Forgets the failures. */
    void reset() {
        failures = 0;
    }

    /** Returns how long to wait after one more failure. */
    Duration next() {
        long whole = Math.min(FIRST.toNanos() << Math.min(failures, MAX_DOUBLINGS), LONGEST.toNanos());
        failures++;
        return Duration.ofNanos(whole / 2 + random.nextLong(whole / 2 + 1));
    }
}
