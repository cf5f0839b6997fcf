package io.k8sdns.federation.controller;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** The time to wait after failures in a row: one second, doubled after each one up to a minute, less a random part of at most one half. */
final class ControllerBackoff {
    private static final Duration FIRST = Duration.ofSeconds(1);
    static final Duration LONGEST = Duration.ofMinutes(1);

    /** The number of doublings after which the limit is reached. */
    private static final int MAX_DOUBLINGS = 6;

    private ControllerBackoff() {}

    /** Returns the time to wait after a number of failures in a row, at least one. */
    static Duration after(int failures, RandomGenerator random) {
        long whole = Math.min(FIRST.toNanos() << Math.min(failures - 1, MAX_DOUBLINGS), LONGEST.toNanos());
        return Duration.ofNanos(whole / 2 + random.nextLong(whole / 2 + 1));
    }
}
