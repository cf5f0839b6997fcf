package io.k8sdns.forward;

/**
 * Receives what an {@link AnswerCache} does, for metrics. An extension point; every method does nothing by default.
 *
 * <p>The names follow the metrics of CoreDNS's plugin <i>cache</i>: {@code cache_hits_total}, {@code cache_misses_total},
 * {@code cache_served_stale_total}, {@code cache_prefetch_total} and {@code cache_evictions_total}. Its gauges are
 * {@link AnswerCache#entries} and {@link AnswerCache#bytes}.
 *
 * <p>Methods are called on the threads that ask and on those that complete answers, concurrently. Implementations return soon,
 * do not block, and do not call the cache. Whatever they throw is ignored.
 */
public interface CacheObserver {
    /** Ignores everything. */
    CacheObserver NONE = new CacheObserver() {};

    /** The outcome of a cached answer. */
    enum Kind {
        /** The name has records of the type. */
        SUCCESS,
        /** The name does not exist, or has no records of the type (RFC 2308, 2). */
        DENIAL,
        /** SERVFAIL (RFC 2308, 7.1). */
        FAILURE
    }

    /** A question was answered from the cache with an answer whose TTL had not passed. */
    default void hit(Kind kind) {}

    /** A question was answered from the cache with an answer whose TTL had passed (RFC 8767). */
    default void servedStale() {}

    /**
     * A question was not in the cache and waits for the upstream server, alone or with others. If the answer becomes a stale one,
     * {@link #servedStale} is called as well.
     */
    default void miss() {}

    /** An answer is fetched anew before its TTL has passed. */
    default void prefetched() {}

    /** An answer was removed to keep the cache within its capacity; one whose TTL has passed is not reported. */
    default void evicted(Kind kind) {}
}
