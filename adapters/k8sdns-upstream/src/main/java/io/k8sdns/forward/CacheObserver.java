package io.k8sdns.forward;

/**
 * Receives the events of an {@link AnswerCache}, for metrics. An extension point; every method does nothing by default.
 *
 * <p>The names follow the metrics of CoreDNS's plugin <i>cache</i>: {@code cache_hits_total}, {@code cache_misses_total}, {@code
 * cache_served_stale_total}, {@code cache_prefetch_total} and {@code cache_evictions_total}. Its gauges are {@link AnswerCache#entries}
 * and {@link AnswerCache#bytes}.
 *
 * <p>Methods are called concurrently, on the threads that ask the cache and on those that complete answers. Implementations must be
 * fast, must not block and must not call the cache. Exceptions are ignored.
 */
public interface CacheObserver {
    /** Ignores everything. */
    CacheObserver NONE = new CacheObserver() {};

    /** The kind of a cached answer. */
    enum Kind {
        /** The name has records of the type. */
        SUCCESS,
        /** The name does not exist, or has no records of the type (RFC 2308, 2). */
        DENIAL,
        /** SERVFAIL (RFC 2308, 7.1). */
        FAILURE
    }

    /** A question was answered from the cache with an answer whose TTL has not expired. */
    default void hit(Kind kind) {}

    /** A question was answered from the cache with a stale answer (RFC 8767). */
    default void servedStale() {}

    /**
     * A question was not in the cache and waits for the upstream server. If it is answered with a stale answer in the end, {@link
     * #servedStale} is also called.
     */
    default void miss() {}

    /** A refresh of an answer was started before its TTL expired. */
    default void prefetched() {}

    /** An answer was evicted because the cache reached its capacity. Expired answers are not reported. */
    default void evicted(Kind kind) {}
}
