package io.k8sdns.micrometer;

import java.time.Duration;

/** The upper bounds of histograms: CoreDNS's, so that what is drawn from them moves over. */
final class Buckets {
    private Buckets() {}

    /** From 0.25 ms to 8 s, each twice the one before. */
    static Duration[] ofRequests() {
        return doubling(Duration.ofNanos(250_000), 16);
    }

    /** From 1 ms to 524 s, each twice the one before. */
    static Duration[] ofProgramming() {
        return doubling(Duration.ofMillis(1), 20);
    }

    /** From 100 octets to 64,000. CoreDNS's lowest, 0, holds no message. */
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
