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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;

/**
 * Manages the zones of {@code node-cache}: the zones of the ConfigMap, which is watched, and the zones of the options with other
 * names. A ConfigMap in a directory takes precedence over the one in a live cluster.
 */
final class NodeCacheZones {
    private static final Duration POLL_INTERVAL = Duration.ofSeconds(10);

    private final List<UpstreamZone> ofOptions;
    private final Function<Map<String, String>, KubeDnsConfig> parser;
    private final Optional<KubeDnsConfigDirectory> directory;
    private final ForwardingObserver observer;
    private final PrintWriter err;

    /** Whether a valid ConfigMap was read. */
    private volatile boolean isConfigured;

    /** The warning about the present ConfigMap; empty if it is in use. */
    private final Set<String> rejections = new HashSet<>();

    private KubeDnsConfig ofDirectory = KubeDnsConfig.DEFAULTS;
    private KubeDnsConfig ofCluster = KubeDnsConfig.DEFAULTS;

    /**
     * Creates the zones without reading the ConfigMap.
     *
     * @param err receives changes and errors
     */
    NodeCacheZones(NodeCacheOptions options, ForwardingObserver observer, PrintWriter err) {
        this.ofOptions = options.zones();
        this.parser = data -> KubeDnsConfig.parseForNodeCache(data, List.of(options.clusterDomain));
        this.directory = options.kubeDnsConfig.map(path -> new KubeDnsConfigDirectory(path, parser));
        this.observer = observer;
        this.err = err;
    }

    /** Reads the ConfigMap in the directory, and returns the zones. An invalid ConfigMap is reported and ignored. */
    synchronized List<UpstreamZone> first() {
        if (directory.isPresent()) {
            try {
                ofDirectory = directory.get().poll().orElse(ofDirectory);
                isConfigured = true;
            } catch (InvalidKubeDnsConfigException | IOException invalid) {
                reject(invalid);
            }
        }
        return zones();
    }

    private List<UpstreamZone> zones() {
        return KubeDnsZones.over(KubeDnsZones.over(ofOptions, ofCluster), ofDirectory);
    }

    /** Starts to watch the ConfigMap in the directory, and replaces the zones of the cache after each change. */
    void follow(NodeCache cache, ScheduledExecutorService timer) {
        directory.ifPresent(files -> {
            var unused = files.follow(
                    config -> replace(cache, () -> ofDirectory = config), this::reject, timer, POLL_INTERVAL);
        });
    }

    /**
     * Starts to read the ConfigMap in a live cluster, and replaces the zones of the cache after each change.
     *
     * @param data see {@link KubeDnsPoll}
     * @param requests see {@link KubeDnsPoll}
     */
    void follow(NodeCache cache, Callable<Optional<Map<String, String>>> data, ScheduledExecutorService requests) {
        new KubeDnsPoll(data, read -> readCluster(cache, read), requests, err).start();
    }

    /** Returns false if the data may be usable later. */
    private boolean readCluster(NodeCache cache, Optional<Map<String, String>> data) {
        try {
            KubeDnsConfig config = data.map(parser).orElse(KubeDnsConfig.DEFAULTS);
            return config.equals(ofCluster) || replace(cache, () -> ofCluster = config);
        } catch (InvalidKubeDnsConfigException invalid) {
            reject(invalid);
            return true;
        }
    }

    /** Applies a change. Returns false, after a warning, if the zones cannot be used now: a host name cannot be resolved, or a server is this cache. */
    private synchronized boolean replace(NodeCache cache, Runnable change) {
        KubeDnsConfig lastOfDirectory = ofDirectory;
        KubeDnsConfig lastOfCluster = ofCluster;
        change.run();
        List<UpstreamZone> next = zones();
        try {
            cache.replaceZones(next);
        } catch (IOException | RuntimeException invalid) {
            ofDirectory = lastOfDirectory;
            ofCluster = lastOfCluster;
            reject(invalid);
            return false;
        }
        isConfigured = true;
        rejections.clear();
        err.println("note: the ConfigMap of kube-dns has changed: " + next.size() + " zones are forwarded");
        var unused = cache.findLoops().thenAccept(looping -> {
            if (!looping.isEmpty()) {
                observer.setupError(SetupError.LOOP);
                err.println("warning: " + loops(looping));
            }
        });
        return true;
    }

    /** Returns the message about zones whose servers forward to this cache. */
    static String loops(List<UpstreamZone> looping) {
        return "the upstream servers forward to this cache: " + looping;
    }

    /** Reports an error once, although its cause is tried again. */
    private synchronized void reject(Exception invalid) {
        String message = "warning: the ConfigMap of kube-dns is not used, "
                + (isConfigured ? "the last valid one stays: " : "only the options are used: ") + invalid.getMessage();
        if (rejections.add(message)) {
            observer.setupError(SetupError.CONFIGMAP);
            err.println(message);
        }
    }
}
