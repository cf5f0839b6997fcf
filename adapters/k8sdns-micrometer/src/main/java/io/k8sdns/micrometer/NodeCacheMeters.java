package io.k8sdns.micrometer;

import io.k8sdns.nodecache.NodeCacheObserver;
import io.k8sdns.resolver.AnswerStatus;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Meters of the autopath suffix of a node cache: {@code k8sdns.nodecache.autopath.forwarded}, {@code
 * k8sdns.nodecache.autopath.supported} and those of {@link AutopathMeters}.
 *
 * <pre>{@code
 * CacheMeters answers = new CacheMeters(registry);
 * NodeCache cache = NodeCache.builder(clusterDomain)
 *         .observer(new NodeCacheMeters(registry))
 *         .cacheObserver(answers)
 *         .upstreamObserver(new UpstreamMeters(registry))
 *         .start();
 * cache.answers().ifPresent(answers::size);
 * }</pre>
 *
 * <p>Each meter is registered at its first event. Needs the module {@code k8sdns-upstream}, which contains {@link
 * io.k8sdns.nodecache.NodeCache}.
 */
@SuppressWarnings("exports") // A caller that has a NodeCache requires its module.
public final class NodeCacheMeters implements NodeCacheObserver {
    private final MeterRegistry registry;
    private final AutopathMeters expansions;
    private final AtomicInteger suffixSupported = new AtomicInteger();

    /** Creates meters on a registry. */
    public NodeCacheMeters(MeterRegistry registry) {
        this.registry = Objects.requireNonNull(registry, "registry");
        this.expansions = new AutopathMeters(registry);
    }

    @Override
    public void expanded(Mode mode, int lookups, AnswerStatus status, long nanos) {
        expansions.expanded(mode, lookups, status, nanos);
    }

    @Override
    public void forwarded() {
        Counter.builder("k8sdns.nodecache.autopath.forwarded")
                .description("Questions forwarded with a search list as an EDNS option.")
                .register(registry)
                .increment();
    }

    @Override
    public void suffixSupported(boolean supported) {
        suffixSupported.set(supported ? 1 : 0);
        if (registry.find("k8sdns.nodecache.autopath.supported").gauge() == null) {
            Gauge.builder("k8sdns.nodecache.autopath.supported", suffixSupported, AtomicInteger::get)
                    .description("1 while the cluster DNS supports the autopath suffix, otherwise 0.")
                    .register(registry);
        }
    }
}
