package io.k8sdns.cli;

import io.k8sdns.cli.ForwardingObserver.SetupError;
import io.k8sdns.forward.KubeDnsZones;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.kubedns.KubeDnsConfig;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.nodecache.NodeCache;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Manages the zones of {@code node-cache}: the zones of the ConfigMap, which is watched, and the zones of the options with other
 * names. A ConfigMap in a directory takes precedence over the one in a live cluster. The files of options are polled, too.
 */
final class NodeCacheZones {
    private final NodeCacheOptions options;
    private final UpstreamReports reports;
    private final LoopReports loops;

    private final KubeDnsVersions ofDirectory;
    private final KubeDnsVersions ofCluster;
    private final RepeatedWarning fileWarning;
    private final RepeatedWarning lineWarning;
    private List<UpstreamZone> ofOptions;

    /** Receives the names of the zones after each change. */
    private Consumer<List<DnsLabels>> receiver = names -> {};

    /**
     * Creates the zones, and reads the files of the options, but not the ConfigMap.
     *
     * @param reports receives changes and errors
     * @throws IOException if a file cannot be read, or has no usable name server; the message contains the path
     */
    NodeCacheZones(NodeCacheOptions options, UpstreamReports reports) throws IOException {
        this.options = options;
        this.reports = reports;
        this.loops = new LoopReports("cache", reports);
        this.ofDirectory = versions(options.kubeDnsConfig);
        this.ofCluster = versions(Optional.empty());
        this.fileWarning = new RepeatedWarning(text -> reports.warn(SetupError.RESOLV_CONF, text));
        this.lineWarning = new RepeatedWarning(text -> reports.warn(SetupError.RESOLV_CONF, text));
        this.ofOptions = readOptions();
    }

    private KubeDnsVersions versions(Optional<Path> directory) {
        return new KubeDnsVersions(
                data -> KubeDnsConfig.parseForNodeCache(data, List.of(options.clusterDomain)),
                directory,
                text -> reports.warn(SetupError.CONFIGMAP, text));
    }

    /** Reads the files of the options, and reports the lines that are skipped. */
    private List<UpstreamZone> readOptions() throws IOException {
        // Several zones may have the same file.
        Set<String> skipped = new LinkedHashSet<>();
        List<UpstreamZone> read = options.zones(skipped::add);
        lineWarning.reportAll(skipped);
        return read;
    }

    /** Returns the zones of the options, with which the cache starts. */
    synchronized List<UpstreamZone> ofOptions() {
        return ofOptions;
    }

    private static List<UpstreamZone> zones(
            List<UpstreamZone> ofOptions, KubeDnsConfig inDirectory, KubeDnsConfig inCluster) {
        return KubeDnsZones.over(KubeDnsZones.over(ofOptions, inCluster), inDirectory);
    }

    /** Passes the names of the cache's zones to a receiver, now and after each change. */
    synchronized void pass(NodeCache cache, Consumer<List<DnsLabels>> names) {
        receiver = names;
        passNames(cache);
    }

    private void passNames(NodeCache cache) {
        receiver.accept(cache.zones().stream().map(UpstreamZone::name).toList());
    }

    /**
     * Starts to watch the ConfigMap in the directory and the files of the options, after {@link #poll}, and replaces the zones of the
     * cache after each change. A version that cannot be used now is tried again.
     *
     * @param requests reads the files, and looks up the names of servers, which blocks
     */
    void follow(NodeCache cache, ScheduledExecutorService requests) {
        if (ofDirectory.isDirectory() || options.hasFiles()) {
            var unused = requests.scheduleWithFixedDelay(
                    () -> poll(cache),
                    KubeDnsVersions.POLL_INTERVAL.toMillis(),
                    KubeDnsVersions.POLL_INTERVAL.toMillis(),
                    TimeUnit.MILLISECONDS);
        }
    }

    /** Reads the directory and the files, and tries a version again that could not be used. */
    synchronized void poll(NodeCache cache) {
        ofDirectory.poll();
        boolean unused = change(cache, ofDirectory);
        if (options.hasFiles()) {
            changeFiles(cache);
        }
    }

    /**
     * Starts to read the ConfigMap in a live cluster, and replaces the zones of the cache after each change.
     *
     * @param data see {@link KubeDnsPoll}
     * @param requests see {@link KubeDnsPoll}
     */
    void follow(NodeCache cache, Callable<Optional<Map<String, String>>> data, ScheduledExecutorService requests) {
        new KubeDnsPoll(data, read -> readCluster(cache, read), requests, reports.err()).start();
    }

    /** Returns false if the data may be usable later. */
    private synchronized boolean readCluster(NodeCache cache, Optional<Map<String, String>> data) {
        return !ofCluster.read(data) || change(cache, ofCluster);
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
                ofOptions,
                changed == ofDirectory ? ofDirectory.latest() : ofDirectory.used(),
                changed == ofCluster ? ofCluster.latest() : ofCluster.used());
        try {
            cache.replaceZones(next);
        } catch (IOException | RuntimeException unusable) {
            changed.reject(unusable);
            return false;
        }
        changed.markUsed();
        changed(
                cache,
                "the ConfigMap of kube-dns was read: " + next.size()
                        + (next.size() == 1 ? " zone is forwarded" : " zones are forwarded"));
        return true;
    }

    /** Applies the name servers in the files of options if they have changed. Keeps the last ones, after a warning, if it cannot. */
    private void changeFiles(NodeCache cache) {
        try {
            List<UpstreamZone> read = readOptions();
            if (!read.equals(ofOptions)) {
                cache.replaceZones(zones(read, ofDirectory.used(), ofCluster.used()));
                ofOptions = read;
                changed(cache, "the name servers of " + options.files() + " have changed");
            }
            fileWarning.clear();
        } catch (IOException | RuntimeException unusable) {
            fileWarning.report("warning: the name servers of " + options.files()
                    + " are not read again, the last ones stay: " + unusable.getMessage());
        }
    }

    private void changed(NodeCache cache, String what) {
        passNames(cache);
        reports.print("note: " + what);
        loops.findAgain();
    }

    /**
     * Probes for upstream servers that forward to the cache, now and after each change of the zones. A loop over servers of the ConfigMap
     * is only reported: it can also appear while the cache runs, and must not stop it.
     *
     * @param cache the cache, which answers from now on
     * @param found receives the message if servers of the options are in a loop now, on another thread
     */
    synchronized void probeForLoops(NodeCache cache, Consumer<String> found) {
        Set<DnsLabels> ofConfigMaps = new HashSet<>();
        zones(List.of(), ofDirectory.used(), ofCluster.used()).forEach(zone -> ofConfigMaps.add(zone.name()));
        if (ofOptions.stream().noneMatch(zone -> zone.name().equals(options.autopathSuffix))) {
            // The cache adds a zone of the suffix with the servers of the cluster domain, here those of the ConfigMap.
            ofConfigMaps.add(options.autopathSuffix);
        }
        loops.start(cache::findLoops, ofConfigMaps, found);
    }

    /** Reports the looping zones, which have changed. */
    void loopsChanged(List<UpstreamZone> looping) {
        loops.changed(looping);
    }
}
