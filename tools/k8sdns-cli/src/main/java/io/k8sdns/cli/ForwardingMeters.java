package io.k8sdns.cli;

import io.k8sdns.forward.AnswerCache;
import io.k8sdns.forward.UpstreamServer;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.micrometer.CacheMeters;
import io.k8sdns.micrometer.NodeCacheMeters;
import io.k8sdns.micrometer.UpstreamMeters;
import io.k8sdns.resolver.AnswerStatus;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Passes the events of forwarding to the meters of the library, and counts setup errors. */
final class ForwardingMeters implements ForwardingObserver {
    private final CacheMeters cache;
    private final UpstreamMeters servers;
    private final NodeCacheMeters autopath;
    private final Map<SetupError, Counter> setupErrors = new EnumMap<>(SetupError.class);

    ForwardingMeters(MeterRegistry registry) {
        cache = new CacheMeters(registry);
        servers = new UpstreamMeters(registry);
        autopath = new NodeCacheMeters(registry);
        for (SetupError kind : SetupError.values()) {
            setupErrors.put(
                    kind,
                    Counter.builder("k8sdns.setup.errors")
                            .description("Errors of the set-up, by type.")
                            .tag("errortype", kind.name().toLowerCase(Locale.ROOT))
                            .register(registry));
        }
    }

    // ---- the cache ----

    @Override
    public void created(AnswerCache created) {
        cache.size(created);
    }

    @Override
    public void hit(Kind kind) {
        cache.hit(kind);
    }

    @Override
    public void servedStale() {
        cache.servedStale();
    }

    @Override
    public void miss() {
        cache.miss();
    }

    @Override
    public void prefetched() {
        cache.prefetched();
    }

    @Override
    public void evicted(Kind kind) {
        cache.evicted(kind);
    }

    // ---- servers ----

    @Override
    public void answered(UpstreamServer server, int rcode, long nanos) {
        servers.answered(server, rcode, nanos);
    }

    @Override
    public void failed(UpstreamServer server, Failure failure) {
        servers.failed(server, failure);
    }

    @Override
    public void connecting(UpstreamServer server) {
        servers.connecting(server);
    }

    @Override
    public void reusing(UpstreamServer server) {
        servers.reusing(server);
    }

    @Override
    public void unanswered(UpstreamZone zone) {
        servers.unanswered(zone);
    }

    @Override
    public void markedDown(UpstreamServer server) {
        servers.markedDown(server);
    }

    @Override
    public void markedUp(UpstreamServer server) {
        servers.markedUp(server);
    }

    @Override
    public void refused(UpstreamZone zone) {
        servers.refused(zone);
    }

    // ---- autopath ----

    @Override
    public void expanded(Mode mode, int lookups, AnswerStatus status, long nanos) {
        autopath.expanded(mode, lookups, status, nanos);
    }

    @Override
    public void forwarded() {
        autopath.forwarded();
    }

    @Override
    public void suffixSupported(boolean supported) {
        autopath.suffixSupported(supported);
    }

    // ---- the set-up ----

    @Override
    public void setupError(SetupError kind) {
        Objects.requireNonNull(setupErrors.get(kind), "a kind").increment();
    }
}
