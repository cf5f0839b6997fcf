package io.k8sdns.micrometer;

import io.k8sdns.forward.AnswerCache;
import io.k8sdns.forward.CacheObserver;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * Meters of a cache of forwarded answers, named like the metrics of CoreDNS's plugin <i>cache</i>.
 *
 * <pre>{@code
 * CacheMeters meters = new CacheMeters(registry);
 * AnswerCache cache = AnswerCache.builder(forwarder).observer(meters).build();
 * meters.size(cache);
 * }</pre>
 *
 * <p>The meters are {@code k8sdns.cache.hits}, {@code k8sdns.cache.misses}, {@code k8sdns.cache.evictions}, {@code
 * k8sdns.cache.prefetch}, {@code k8sdns.cache.served.stale} and, after {@link #size}, {@code k8sdns.cache.entries} and {@code
 * k8sdns.cache.size}. Needs the module {@code k8sdns-upstream}, which contains {@link AnswerCache}.
 */
@SuppressWarnings("exports") // A caller that has an AnswerCache requires its module.
public final class CacheMeters implements CacheObserver {
    private final MeterRegistry registry;
    private final Map<Kind, Counter> hits = new EnumMap<>(Kind.class);
    private final Map<Kind, Counter> evictions = new EnumMap<>(Kind.class);
    private final Counter misses;
    private final Counter servedStale;
    private final Counter prefetches;

    /** Registers all meters but those of the size. */
    public CacheMeters(MeterRegistry registry) {
        this.registry = Objects.requireNonNull(registry, "registry");
        for (Kind kind : Kind.values()) {
            String type = kind.name().toLowerCase(Locale.ROOT);
            hits.put(kind, counter("k8sdns.cache.hits", "Questions answered from the cache.", "type", type));
            evictions.put(kind, counter("k8sdns.cache.evictions", "Answers removed for lack of memory.", "type", type));
        }
        misses = counter("k8sdns.cache.misses", "Questions that waited for an upstream server.");
        servedStale = counter("k8sdns.cache.served.stale", "Questions answered with an answer whose TTL had passed.");
        prefetches = counter("k8sdns.cache.prefetch", "Answers fetched anew before their TTL had passed.");
    }

    private Counter counter(String name, String description, String... tags) {
        return Counter.builder(name).description(description).tags(tags).register(registry);
    }

    /** Adds gauges of the size of a cache, {@code k8sdns.cache.entries} and {@code k8sdns.cache.size}. */
    public void size(AnswerCache cache) {
        Objects.requireNonNull(cache, "cache");
        Gauge.builder("k8sdns.cache.entries", cache, AnswerCache::entries)
                .description("Answers in the cache.")
                .register(registry);
        Gauge.builder("k8sdns.cache.size", cache, AnswerCache::bytes)
                .description("The estimated size of all answers in the cache.")
                .baseUnit("bytes")
                .register(registry);
    }

    @Override
    public void hit(Kind kind) {
        increment(hits, kind);
    }

    @Override
    public void servedStale() {
        servedStale.increment();
    }

    @Override
    public void miss() {
        misses.increment();
    }

    @Override
    public void prefetched() {
        prefetches.increment();
    }

    @Override
    public void evicted(Kind kind) {
        increment(evictions, kind);
    }

    private static void increment(Map<Kind, Counter> counters, Kind kind) {
        Objects.requireNonNull(counters.get(kind), "kind").increment();
    }
}
