package io.k8sdns.forward;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the consecutive hits of one question, and starts again after a long gap. Approximate if threads count concurrently. */
final class CachePopularity {
    private final AtomicInteger hits = new AtomicInteger();
    private final AtomicLong lastHit = new AtomicLong();

    /**
     * The settings of {@link AnswerCache.Builder#prefetch(int, java.time.Duration, int)}.
     *
     * @param hits how many hits an answer needs
     * @param gapNanos the longest time between two hits
     * @param percent the remaining part of the TTL at which the refresh starts
     */
    record Prefetch(int hits, long gapNanos, int percent) {}

    /** Counts a hit, and returns whether there are enough for a refresh. */
    boolean hit(Prefetch prefetch, long now) {
        long gap = now - lastHit.getAndSet(now);
        if (gap > prefetch.gapNanos()) {
            hits.set(0);
        }
        return hits.incrementAndGet() >= prefetch.hits();
    }
}
