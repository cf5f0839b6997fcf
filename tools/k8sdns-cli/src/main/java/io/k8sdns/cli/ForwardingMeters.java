package io.k8sdns.cli;

import io.k8sdns.forward.AnswerCache;
import io.k8sdns.forward.UpstreamServer;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.resolver.AnswerStatus;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Rcode;

/**
 * Counts the events of forwarding in meters that are named like the metrics of CoreDNS's plugins <i>cache</i>, <i>forward</i> and
 * <i>autopath</i>.
 *
 * <p>Meters of the cache and of setup errors are registered immediately, meters of servers and of autopath with their first event.
 */
final class ForwardingMeters implements ForwardingObserver {
    /** The bucket bounds of CoreDNS's request durations: 0.25 ms, doubled 15 times. */
    private static final Duration[] BUCKETS = buckets();

    private final MeterRegistry registry;
    private final Map<Kind, Counter> hits = new ConcurrentHashMap<>();
    private final Map<Kind, Counter> evictions = new ConcurrentHashMap<>();
    private final Map<UpstreamServer, AtomicInteger> down = new ConcurrentHashMap<>();
    private final Map<AnsweredKey, Timer> answers = new ConcurrentHashMap<>();
    private final Counter misses;
    private final Counter servedStale;
    private final Counter prefetches;
    private final AtomicInteger suffixSupported = new AtomicInteger();

    private record AnsweredKey(UpstreamServer server, int rcode) {}

    ForwardingMeters(MeterRegistry registry) {
        this.registry = registry;
        for (Kind kind : Kind.values()) {
            hits.put(kind, counter("k8sdns.cache.hits", "Questions answered from the cache.", "type", word(kind)));
            evictions.put(
                    kind,
                    counter(
                            "k8sdns.cache.evictions",
                            "Answers removed to keep the cache in its size.",
                            "type",
                            word(kind)));
        }
        misses = counter("k8sdns.cache.misses", "Questions that waited for an upstream server.");
        servedStale = counter("k8sdns.cache.served.stale", "Questions answered with an answer whose TTL had passed.");
        prefetches = counter("k8sdns.cache.prefetch", "Answers fetched anew before their TTL had passed.");
        for (SetupError kind : SetupError.values()) {
            Counter unused = setupErrors(kind);
        }
    }

    private static Duration[] buckets() {
        List<Duration> bounds = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            bounds.add(Duration.ofNanos(250_000L << i));
        }
        return bounds.toArray(Duration[]::new);
    }

    private Counter counter(String name, String description, String... tags) {
        return Counter.builder(name).description(description).tags(tags).register(registry);
    }

    private void count(String name, String description, String... tags) {
        counter(name, description, tags).increment();
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static String to(UpstreamServer server) {
        return HostAndPort.text(server.address());
    }

    private static String transport(UpstreamServer server) {
        return word(server.transport());
    }

    // ---- the cache ----

    @Override
    public void created(AnswerCache cache) {
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
        increment(hits.get(kind));
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
        increment(evictions.get(kind));
    }

    private static void increment(@Nullable Counter counter) {
        if (counter != null) {
            counter.increment();
        }
    }

    // ---- servers ----

    @Override
    public void answered(UpstreamServer server, int rcode, long nanos) {
        answers.computeIfAbsent(new AnsweredKey(server, rcode), this::timer).record(nanos, TimeUnit.NANOSECONDS);
    }

    private Timer timer(AnsweredKey key) {
        return Timer.builder("k8sdns.proxy.request.duration")
                .description("How long upstream servers took to answer.")
                .tags("proxy_name", "forward", "to", to(key.server()), "rcode", Rcode.string(key.rcode()))
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
    }

    @Override
    public void failed(UpstreamServer server, Failure failure) {
        count(
                "k8sdns.forward.failures",
                "Queries that an upstream server did not answer.",
                "to",
                to(server),
                "reason",
                word(failure));
    }

    @Override
    public void connecting(UpstreamServer server) {
        count(
                "k8sdns.forward.connections",
                "Connections that were opened to upstream servers.",
                "to",
                to(server),
                "proto",
                transport(server));
    }

    @Override
    public void reusing(UpstreamServer server) {
        count(
                "k8sdns.forward.connection.reuses",
                "Queries over a connection that was open already.",
                "to",
                to(server),
                "proto",
                transport(server));
    }

    @Override
    public void unanswered(UpstreamZone zone) {
        count(
                "k8sdns.forward.unanswered",
                "Questions that no server of their zone has answered.",
                "zone",
                zone.name() + ".");
    }

    @Override
    public void markedDown(UpstreamServer server) {
        downCount(server).set(1);
    }

    @Override
    public void markedUp(UpstreamServer server) {
        downCount(server).set(0);
    }

    private AtomicInteger downCount(UpstreamServer server) {
        return down.computeIfAbsent(server, one -> {
            AtomicInteger value = new AtomicInteger();
            Gauge.builder("k8sdns.forward.down", value, AtomicInteger::get)
                    .description("1 while an upstream server is marked down and queried last, otherwise 0.")
                    .tags("to", to(one), "proto", transport(one))
                    .register(registry);
            return value;
        });
    }

    @Override
    public void refused(UpstreamZone zone) {
        count(
                "k8sdns.forward.max.concurrent.rejects",
                "Questions refused because too many of their zone were being forwarded.",
                "zone",
                zone.name() + ".");
    }

    // ---- autopath ----

    @Override
    public void expanded(Mode mode, int lookups, AnswerStatus status, long nanos) {
        Timer.builder("k8sdns.autopath.duration")
                .description("How long the lookups of a search list took.")
                .tags("mode", word(mode))
                .serviceLevelObjectives(BUCKETS)
                .register(registry)
                .record(nanos, TimeUnit.NANOSECONDS);
        count(
                "k8sdns.autopath.expansions",
                "Questions that were expanded by a search list.",
                "mode",
                word(mode),
                "lookups",
                Integer.toString(lookups),
                "status",
                word(status));
    }

    @Override
    public void forwarded() {
        count("k8sdns.nodecache.autopath.forwarded", "Questions forwarded with a search list as an EDNS option.");
    }

    @Override
    public void suffixSupported(boolean supported) {
        suffixSupported.set(supported ? 1 : 0);
        // Registered with the first call, because only node caches have this gauge.
        if (registry.find("k8sdns.nodecache.autopath.supported").gauge() == null) {
            Gauge.builder("k8sdns.nodecache.autopath.supported", suffixSupported, AtomicInteger::get)
                    .description("1 while the cluster DNS supports the autopath suffix, otherwise 0.")
                    .register(registry);
        }
    }

    // ---- the set-up ----

    @Override
    public void setupError(SetupError kind) {
        setupErrors(kind).increment();
    }

    private Counter setupErrors(SetupError kind) {
        return counter("k8sdns.setup.errors", "Errors of the set-up, by type.", "errortype", word(kind));
    }
}
