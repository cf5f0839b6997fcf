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
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
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

    private final KubeDnsVersions ofDirectory = new KubeDnsVersions();
    private final KubeDnsVersions ofCluster = new KubeDnsVersions();

    /**
     * Creates the zones without reading the ConfigMap.
     *
     * @param err receives changes and errors
     */
    NodeCacheZones(NodeCacheOptions options, ForwardingObserver observer, PrintWriter err) {
        this.ofOptions = options.zones();
        this.parser = data -> KubeDnsConfig.parseForNodeCache(data, List.of(options.clusterDomain));
        // The parser receives every new version, even one that is returned by no poll because it equals the last valid
        // one.
        this.directory = options.kubeDnsConfig.map(path -> new KubeDnsConfigDirectory(path, data -> {
            KubeDnsConfig config = parser.apply(data);
            ofDirectory.read(config);
            return config;
        }));
        this.observer = observer;
        this.err = err;
    }

    /** Reads the ConfigMap in the directory, and returns the zones. An invalid ConfigMap is reported and ignored. */
    synchronized List<UpstreamZone> first() {
        readDirectory();
        ofDirectory.use();
        return zones(ofDirectory.used(), ofCluster.used());
    }

    private void readDirectory() {
        if (directory.isPresent()) {
            try {
                var unused = directory.get().poll();
            } catch (InvalidKubeDnsConfigException invalid) {
                ofDirectory.drop();
                reject(ofDirectory, invalid);
            } catch (IOException | RuntimeException unreadable) {
                reject(ofDirectory, unreadable);
            }
        }
    }

    private List<UpstreamZone> zones(KubeDnsConfig inDirectory, KubeDnsConfig inCluster) {
        return KubeDnsZones.over(KubeDnsZones.over(ofOptions, inCluster), inDirectory);
    }

    /**
     * Starts to watch the ConfigMap in the directory, and replaces the zones of the cache after each change. A version that cannot be used
     * now is tried again.
     *
     * @param requests reads the files, and looks up the names of servers, which blocks
     */
    void follow(NodeCache cache, ScheduledExecutorService requests) {
        if (directory.isPresent()) {
            var unused = requests.scheduleWithFixedDelay(
                    () -> poll(cache), POLL_INTERVAL.toMillis(), POLL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** Reads the directory, and tries a version again that could not be used. */
    synchronized void poll(NodeCache cache) {
        readDirectory();
        change(cache, ofDirectory);
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
    private synchronized boolean readCluster(NodeCache cache, Optional<Map<String, String>> data) {
        try {
            ofCluster.read(data.map(parser).orElse(KubeDnsConfig.DEFAULTS));
        } catch (InvalidKubeDnsConfigException invalid) {
            ofCluster.drop();
            reject(ofCluster, invalid);
            return true;
        }
        return change(cache, ofCluster);
    }

    /**
     * Applies the latest version of a source if it is not in use. Returns false, after a warning, if it cannot be used now: a host name
     * cannot be resolved, or a server is this cache.
     */
    private boolean change(NodeCache cache, KubeDnsVersions changed) {
        if (changed.isInUse()) {
            return true;
        }
        List<UpstreamZone> next = zones(
                changed == ofDirectory ? ofDirectory.latest() : ofDirectory.used(),
                changed == ofCluster ? ofCluster.latest() : ofCluster.used());
        try {
            cache.replaceZones(next);
        } catch (IOException | RuntimeException unusable) {
            reject(changed, unusable);
            return false;
        }
        changed.use();
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
    private void reject(KubeDnsVersions versions, Exception unusable) {
        String message = "warning: the ConfigMap of kube-dns is not used, "
                + (versions.used().equals(KubeDnsConfig.DEFAULTS)
                        ? "only the options are used: "
                        : "the last valid one stays: ")
                + unusable.getMessage();
        if (versions.isNewRejection(message)) {
            observer.setupError(SetupError.CONFIGMAP);
            err.println(message);
        }
    }
}
