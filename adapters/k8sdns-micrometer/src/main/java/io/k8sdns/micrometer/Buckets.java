package io.k8sdns.micrometer;

import java.time.Duration;

/** The upper bounds of histograms: the same as in CoreDNS, so that dashboards can be reused. */
final class Buckets {
    private Buckets() {}

    /** Returns bounds from 0.25 ms to 8 s, each twice the previous one. */
    static Duration[] ofRequests() {
        return doubling(Duration.ofNanos(250_000), 16);
    }

    /** Returns bounds from 1 ms to 524 s, each twice the previous one. */
    static Duration[] ofProgramming() {
        return doubling(Duration.ofMillis(1), 20);
    }

    /** Returns bounds from 100 to 64,000 bytes; without CoreDNS's lowest bound, 0, which no message has. */
    static double[] ofMessages() {
        return new double[] {100, 200, 300, 400, 511, 1023, 2047, 4095, 8291, 16e3, 32e3, 48e3, 64e3};
    }

    private static Duration[] doubling(Duration first, int count) {
        Duration[] bounds = new Duration[count];
        Duration bound = first;
        for (int i = 0; i < count; i++) {
            bounds[i] = bound;
            bound = bound.multipliedBy(2);
        }
        return bounds;
    }
}
