package io.k8sdns.cli;

import io.k8sdns.cli.ForwardingObserver.SetupError;
import io.k8sdns.forward.KubeDnsZones;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.kubedns.InvalidKubeDnsConfigException;
import io.k8sdns.kubedns.KubeDnsConfig;
import io.k8sdns.kubedns.KubeDnsConfigDirectory;
import io.k8sdns.nodecache.NodeCache;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Manages the zones of {@code node-cache}: the zones of the ConfigMap, which is watched, and the zones of the options with other
 * names.
 */
final class NodeCacheZones {
    private static final Duration POLL_INTERVAL = Duration.ofSeconds(10);

    private final List<UpstreamZone> ofOptions;
    private final Optional<KubeDnsConfigDirectory> directory;
    private final ForwardingObserver observer;
    private final PrintWriter err;

    /** Whether a valid ConfigMap was read. */
    private volatile boolean isConfigured;

    /**
     * Creates the zones without reading the ConfigMap.
     *
     * @param err receives changes and errors
     */
    NodeCacheZones(NodeCacheOptions options, ForwardingObserver observer, PrintWriter err) {
        this.ofOptions = options.zones();
        this.directory = options.kubeDnsConfig.map(path -> new KubeDnsConfigDirectory(
                path, data -> KubeDnsConfig.parseForNodeCache(data, List.of(options.clusterDomain))));
        this.observer = observer;
        this.err = err;
    }

    /** Reads the ConfigMap, and returns the zones. An invalid ConfigMap is reported and ignored. */
    List<UpstreamZone> first() {
        KubeDnsConfig config = KubeDnsConfig.DEFAULTS;
        if (directory.isPresent()) {
            try {
                config = directory.get().poll().orElse(config);
                isConfigured = true;
            } catch (InvalidKubeDnsConfigException | IOException invalid) {
                reject(invalid);
            }
        }
        return KubeDnsZones.over(ofOptions, config);
    }

    /** Starts to watch the ConfigMap, and replaces the zones of the cache after each change. */
    void follow(NodeCache cache, ScheduledExecutorService timer) {
        directory.ifPresent(files -> {
            var unused = files.follow(config -> replace(cache, config), this::reject, timer, POLL_INTERVAL);
        });
    }

    private void replace(NodeCache cache, KubeDnsConfig config) {
        List<UpstreamZone> next = KubeDnsZones.over(ofOptions, config);
        try {
            cache.replaceZones(next);
        } catch (IOException | RuntimeException invalid) {
            reject(invalid);
            return;
        }
        isConfigured = true;
        err.println("note: the ConfigMap of kube-dns has changed: " + next.size() + " zones are forwarded");
        var unused = cache.findLoops().thenAccept(looping -> {
            if (!looping.isEmpty()) {
                observer.setupError(SetupError.LOOP);
                err.println("warning: " + loops(looping));
            }
        });
    }

    /** Returns the message about zones whose servers forward to this cache. */
    static String loops(List<UpstreamZone> looping) {
        return "the upstream servers forward to this cache: " + looping;
    }

    private void reject(Exception invalid) {
        observer.setupError(SetupError.CONFIGMAP);
        err.println("warning: the ConfigMap of kube-dns is not used, "
                + (isConfigured ? "the last valid one stays: " : "the options alone count: ") + invalid.getMessage());
    }
}
