package io.k8sdns.forward;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the hits of one question that follow each other without a long gap. Approximate if threads count at the same time. */
final class CachePopularity {
    private final AtomicInteger hits = new AtomicInteger();
    private final AtomicLong lastHit = new AtomicLong();

    /**
     * Which answers are fetched anew before their TTL has passed.
     *
     * @param hits how many hits an answer needs
     * @param gapNanos the longest time between two of them
     * @param percent how much of the TTL is left at that time
     */
    record Prefetch(int hits, long gapNanos, int percent) {}

    /** Counts a hit, and returns whether there are enough. */
    boolean hit(Prefetch prefetch, long now) {
        long gap = now - lastHit.getAndSet(now);
        if (gap > prefetch.gapNanos()) {
            hits.set(0);
        }
        return hits.incrementAndGet() >= prefetch.hits();
    }
}
