package io.k8sdns.cli;

import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.nodecache.NodeCache;
import io.k8sdns.nodecache.NodeCacheObserver;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.resolver.AnswerStatus;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.FailureObserver;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The cache of a running {@code node-cache}, with its zones, which follow files and ConfigMaps, and its threads. */
final class RunningNodeCache implements AutoCloseable {
    /** The longest wait for the first probe of the autopath suffix before the cache answers. */
    private static final Duration MAX_PROBE_WAIT = Duration.ofSeconds(1);

    private final NodeCacheOptions options;
    private final Optional<WatchedNames> cluster;
    private final ForwardingObserver observer;
    private final PrintWriter err;
    private final NodeCacheZones zones;
    private final ScheduledExecutorService timer;
    private final ScheduledExecutorService requests;
    private final NodeCache cache;

    /**
     * Starts the cache with the zones of the options.
     *
     * @param cluster the names of a watched cluster; empty if none is watched
     * @param failures receives the causes of SERVFAIL
     * @param err receives notes and warnings
     * @throws IOException if a file cannot be read, or the servers of a zone cannot be used
     */
    RunningNodeCache(
            NodeCacheOptions options,
            Optional<WatchedNames> cluster,
            ForwardingObserver observer,
            FailureObserver failures,
            PrintWriter err)
            throws IOException {
        this.options = options;
        this.cluster = cluster;
        this.observer = observer;
        this.err = err;
        this.zones = new NodeCacheZones(options, new UpstreamReports(() -> observer, err));
        this.timer = TimerThreads.start("k8sdns-timer");
        this.requests = TimerThreads.start("k8sdns-requests");
        try {
            NodeCache.Builder builder = options.builder()
                    .zones(zones.ofOptions())
                    .timer(timer)
                    .failures(failures)
                    .observer(new CacheReports())
                    .upstreamObserver(observer)
                    .cacheObserver(observer);
            cluster.ifPresentOrElse(watched -> builder.cluster(watched.zone()), () -> observer.suffixSupported(false));
            this.cache = builder.start();
        } catch (IOException | RuntimeException failed) {
            timer.shutdownNow();
            requests.shutdownNow();
            throw failed;
        }
        cache.answers().ifPresent(observer::created);
    }

    /** Returns the resolver of all names. */
    DnsResolver resolver() {
        return cache;
    }

    /**
     * Checks that no upstream server is this cache.
     *
     * @throws IOException if one is; the message names it
     */
    void requireOthers(List<InetSocketAddress> own) throws IOException {
        cache.requireOthers(own);
    }

    /** Passes the names of all zones to a receiver, now and after each change. */
    void passZones(Consumer<List<DnsLabels>> receiver) {
        List<DnsLabels> others = otherZones();
        zones.pass(
                cache,
                names -> receiver.accept(
                        Stream.concat(names.stream(), others.stream()).toList()));
    }

    /** Returns the zones of names that the cache answers itself: the autopath suffix, and the zones of the watched cluster. */
    private List<DnsLabels> otherZones() {
        Stream<DnsLabels> watched = cluster.stream()
                .map(names -> names.zone().current().settings())
                .flatMap(settings -> Stream.concat(
                        settings.zones().stream(),
                        settings.reverseZones().stream().map(ReverseZone::name)));
        return Stream.concat(Stream.of(options.autopathSuffix), watched).toList();
    }

    /** Returns a message about each zone of which no server has answered yet. */
    List<String> unanswered() {
        return cache.unanswered().stream()
                .map(zone -> "zone " + zone.name() + ".: no server has answered yet")
                .toList();
    }

    /**
     * Starts to follow files, ConfigMaps and the cluster, and waits for the first probe of the autopath suffix, at most a second.
     *
     * @param own the addresses of this cache, which no upstream server may have
     * @throws IOException if one has
     */
    void start(List<InetSocketAddress> own) throws IOException, InterruptedException {
        cache.requireOthers(own);
        // Only now, because a ConfigMap with a wrong server must not stop the cache.
        zones.poll(cache);
        zones.follow(cache, requests);
        if (options.live.isChosen()) {
            zones.follow(cache, LiveCluster.kubeDnsData(options.live), requests);
        } else {
            options.withoutSuffixServers(cache.zones().stream().map(UpstreamZone::name))
                    .ifPresent(text -> err.println("note: " + text));
        }
        cluster.ifPresent(WatchedNames::start);
        cache.awaitFirstProbe(MAX_PROBE_WAIT);
    }

    /**
     * Probes for upstream servers that forward to this cache, which answers from now on.
     *
     * @param found see {@link NodeCacheZones#probeForLoops}
     */
    void probeForLoops(Consumer<String> found) {
        zones.probeForLoops(cache, found);
    }

    /** Closes the cache, and ends the threads. */
    @Override
    public void close() {
        try {
            cache.close();
        } finally {
            timer.shutdownNow();
            requests.shutdownNow();
        }
    }

    /** Prints whether the cluster DNS supports the suffix, and loops. */
    private final class CacheReports implements NodeCacheObserver {
        @Override
        public void looping(List<UpstreamZone> looping) {
            zones.loopsChanged(looping);
        }

        @Override
        public void expanded(Mode mode, int lookups, AnswerStatus status, long nanos) {
            observer.expanded(mode, lookups, status, nanos);
        }

        @Override
        public void forwarded() {
            observer.forwarded();
        }

        @Override
        public void suffixSupported(boolean supported) {
            observer.suffixSupported(supported);
            String otherwise = options.expandsLocally()
                    ? "names below it are expanded here"
                    : "names below it are still forwarded";
            err.println(
                    supported
                            ? "note: the cluster DNS expands names below " + options.autopathSuffix + "."
                            : "note: the cluster DNS does not expand names below " + options.autopathSuffix + ".; "
                                    + otherwise);
        }
    }
}
