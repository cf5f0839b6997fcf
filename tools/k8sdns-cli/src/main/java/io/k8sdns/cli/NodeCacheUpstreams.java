package io.k8sdns.cli;

import io.k8sdns.cli.ForwardingObserver.SetupError;
import io.k8sdns.forward.AnswerCache;
import io.k8sdns.forward.CacheStalePolicy;
import io.k8sdns.forward.LoopProbe;
import io.k8sdns.forward.UpstreamForwarder;
import io.k8sdns.forward.UpstreamObserver;
import io.k8sdns.forward.UpstreamPolicy;
import io.k8sdns.forward.UpstreamServer;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.kubedns.InvalidKubeDnsConfigException;
import io.k8sdns.kubedns.KubeDnsConfig;
import io.k8sdns.kubedns.KubeDnsConfigDirectory;
import io.k8sdns.kubedns.KubeDnsServer;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.resolver.Catalog;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DirectAnswers;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.FailureObserver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.upstream.Forwarder;
import io.k8sdns.upstream.ForwardingResolver;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.Name;

/**
 * The resolver of {@code node-cache}:
 *
 * <pre>
 *   LoopProbe --> EDNS options of clients removed --> NodeCacheAutopath --> own watch, if any --> AnswerCache --> UpstreamForwarder
 * </pre>
 *
 * <p>Its zones change while it answers, as the ConfigMap of kube-dns does. Answers about names whose servers stay the same stay in
 * the cache.
 */
final class NodeCacheUpstreams implements DnsResolver, AutoCloseable {
    private static final Duration BETWEEN_POLLS = Duration.ofSeconds(10);

    // The bounds of node-local-dns's own configuration.
    private static final Duration SHORTEST_TTL = Duration.ofSeconds(5);
    private static final Duration LONGEST_TTL = Duration.ofSeconds(30);
    private static final Duration DENIAL_TTL = Duration.ofSeconds(5);

    /** How many hits make an answer worth fetching before its TTL has passed. */
    private static final int PREFETCH_HITS = 10;

    /** How long a client waits when there is a stale answer (RFC 8767, 5). */
    private static final Duration STALE_WAIT = Duration.ofMillis(1_800);

    /** The one function of all zones that take the option: a zone with another one would count as changed. */
    private final BiFunction<Question, Client, List<EDNSOption>> searchPaths = NodeCacheUpstreams::ednsOptions;

    /** The one function of the zones of federated names. */
    private final BiFunction<Question, Client, List<EDNSOption>> sourceCluster;

    private final NodeCacheOptions options;
    private final PrintWriter err;
    private final ForwardingObserver observer;
    private final LoopProbe loopProbe = new LoopProbe();
    private final Set<UpstreamServer> answered = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "k8sdns-timer");
        thread.setDaemon(true);
        return thread;
    });

    private final UpstreamForwarder forwarder;
    private final @Nullable AnswerCache cache;
    private final NodeCacheAutopath autopath;
    private final DnsResolver resolver;
    private final boolean watches;
    private volatile Map<DnsLabels, UpstreamZone> zones;
    private volatile List<InetSocketAddress> ownAddresses = List.of();
    private volatile boolean isReady;

    /** Whether a valid ConfigMap was read. */
    private volatile boolean isConfigured;

    /**
     * Starts to forward.
     *
     * @param cluster answers names of the cluster itself; empty to forward them, too
     * @param failures receives the causes of SERVFAIL
     * @param err where changes and what is wrong are reported
     * @throws IOException if the host name of a server cannot be looked up, or a server is at an address that is listened on
     */
    NodeCacheUpstreams(
            NodeCacheOptions options,
            Optional<OwnNames> cluster,
            FailureObserver failures,
            ForwardingObserver observer,
            PrintWriter err)
            throws IOException {
        this.options = options;
        List<EDNSOption> ownCluster = options.federation.isGiven() ? List.of(options.federation.toOption()) : List.of();
        this.sourceCluster = (question, client) -> ownCluster;
        this.err = err;
        this.observer = observer;
        this.ownAddresses = options.addresses();
        Optional<KubeDnsConfigDirectory> directory =
                options.kubeDnsConfig.map(path -> new KubeDnsConfigDirectory(path, this::parse));
        this.zones = byName(zones(directory.flatMap(this::firstConfig).orElse(KubeDnsConfig.DEFAULTS)));
        UpstreamForwarder.Builder builder = UpstreamForwarder.builder().observer(new ServerEvents());
        zones.values().forEach(builder::zone);
        this.forwarder = builder.start();
        this.cache = options.cacheSize == 0 ? null : cache();
        Forwarder answers = cache == null ? forwarder : cache;
        DnsResolver forwarded =
                ForwardingResolver.builder(answers).failures(failures).build();
        this.watches = cluster.isPresent();
        // Only names of an own watch are rotated.
        DnsResolver forwarding = watches ? keepingOrder(forwarded) : forwarded;
        this.autopath = new NodeCacheAutopath(
                options,
                cluster.map(own -> own.before(forwarding)).orElse(forwarding),
                forwarder,
                timer,
                observer,
                this::reportSupport);
        // An own watch is the cluster's DNS: there is no other server to expand names.
        this.resolver = loopProbe.watching(catalog(watches ? autopath.local() : autopath));
        directory.ifPresent(files -> {
            var unused = files.follow(this::reload, this::reject, timer, BETWEEN_POLLS);
        });
    }

    private AnswerCache cache() {
        AnswerCache made = AnswerCache.builder(forwarder)
                .capacityBytes(options.cacheSize)
                .positiveTtl(SHORTEST_TTL, LONGEST_TTL)
                .negativeTtl(DENIAL_TTL, DENIAL_TTL)
                .prefetch(PREFETCH_HITS)
                .serveStale(CacheStalePolicy.onFailure().afterWaiting(STALE_WAIT, timer))
                .optionCodes(Set.of(options.searchPathsCode()))
                .observer(observer)
                .build();
        observer.created(made);
        return made;
    }

    /** Refuses zone transfers and other classes; keeps the fast path. */
    private static DnsResolver catalog(DnsResolver all) {
        DnsResolver catalog = Catalog.builder().route(Name.root, all).build();
        return new DnsResolver() {
            @Override
            public Resolution resolve(Question question, Client client) {
                return catalog.resolve(question, client);
            }

            @Override
            public Optional<DirectAnswers> direct() {
                return all.direct();
            }

            @Override
            public Optional<DirectAnswers> direct(Client client) {
                return all.direct(client);
            }
        };
    }

    /** A Pod must not choose a search list, or pass for another cluster: no EDNS option of a client has an effect. */
    @Override
    public Resolution resolve(Question question, Client client) {
        return resolver.resolve(
                question,
                client.ednsOptions().isEmpty()
                        ? client
                        : client.toBuilder().ednsOptions(List.of()).build());
    }

    @Override
    public Optional<DirectAnswers> direct() {
        return resolver.direct();
    }

    @Override
    public Optional<DirectAnswers> direct(Client client) {
        return resolver.direct(client);
    }

    // ---- zones ----

    private KubeDnsConfig parse(Map<String, String> data) {
        return KubeDnsConfig.parseForNodeCache(data, List.of(options.clusterDomain));
    }

    private Optional<KubeDnsConfig> firstConfig(KubeDnsConfigDirectory files) {
        try {
            Optional<KubeDnsConfig> first = files.poll();
            isConfigured = true;
            return first;
        } catch (InvalidKubeDnsConfigException | IOException invalid) {
            reject(invalid);
            return Optional.empty();
        }
    }

    private void reject(Exception invalid) {
        observer.setupError(SetupError.CONFIGMAP);
        err.println("warning: the ConfigMap of kube-dns is not used, "
                + (isConfigured ? "the last valid one stays: " : "the options alone count: ") + invalid.getMessage());
    }

    private void reload(KubeDnsConfig config) {
        try {
            List<UpstreamZone> next = zones(config);
            requireOthers(next, ownAddresses);
            forwarder.replaceZones(next);
            replace(byName(next));
            isConfigured = true;
            err.println("note: the ConfigMap of kube-dns has changed: " + next.size() + " zones are forwarded");
        } catch (IOException | RuntimeException invalid) {
            reject(invalid);
            return;
        }
        probeForLoops(found -> {
            observer.setupError(SetupError.LOOP);
            err.println("warning: " + found);
        });
        probeAutopath();
    }

    private void replace(Map<DnsLabels, UpstreamZone> next) {
        Map<DnsLabels, UpstreamZone> before = zones;
        zones = next;
        if (cache != null) {
            cache.invalidate(name -> !Objects.equals(zone(before, name), zone(next, name)));
        }
    }

    private static @Nullable UpstreamZone zone(Map<DnsLabels, UpstreamZone> zones, DnsLabels name) {
        for (int skipped = 0; skipped <= name.count(); skipped++) {
            UpstreamZone zone = zones.get(name.skip(skipped));
            if (zone != null) {
                return zone;
            }
        }
        return null;
    }

    /** Returns the zones of the options, and in place of those with the same name those of the ConfigMap. */
    private List<UpstreamZone> zones(KubeDnsConfig config) {
        Map<DnsLabels, UpstreamZone> all = new LinkedHashMap<>();
        options.zones().forEach(zone -> all.put(zone.name(), zone(zone.name(), zone.servers(), UpstreamPolicy.RANDOM)));
        if (!config.upstreamNameservers().isEmpty()) {
            all.put(
                    DnsLabels.EMPTY,
                    zone(DnsLabels.EMPTY, servers(config.upstreamNameservers()), UpstreamPolicy.SEQUENTIAL));
        }
        config.stubDomains()
                .forEach((domain, servers) ->
                        all.put(domain, zone(domain, servers(servers), UpstreamPolicy.SEQUENTIAL)));
        return new ArrayList<>(all.values());
    }

    private static List<EDNSOption> ednsOptions(Question question, Client client) {
        return client.ednsOptions();
    }

    private static Map<DnsLabels, UpstreamZone> byName(List<UpstreamZone> zones) {
        Map<DnsLabels, UpstreamZone> all = new LinkedHashMap<>();
        zones.forEach(zone -> all.put(zone.name(), zone));
        return all;
    }

    private static List<UpstreamServer> servers(List<KubeDnsServer> servers) {
        return servers.stream()
                .map(server -> UpstreamServer.parse(server.toString()))
                .toList();
    }

    private boolean isFederated(DnsLabels name) {
        return options.federation.isGiven() && options.federation.zone().contains(name);
    }

    /** Keeps the order of the server in all answers: a federated name, or an alias of one, has the nearest shard first. */
    private static DnsResolver keepingOrder(DnsResolver resolver) {
        return (question, client) ->
                resolver.resolve(question, client).then(answer -> new Resolution.Ready(answer.inOrder()));
    }

    /**
     * The name of the own cluster goes to the servers of the federation zone alone. The search list, which names the namespace of a Pod,
     * goes to the servers of the autopath suffix alone.
     */
    private UpstreamZone zone(DnsLabels name, List<UpstreamServer> servers, UpstreamPolicy policy) {
        UpstreamZone.Builder zone = UpstreamZone.builder(name).policy(policy);
        servers.forEach(zone::server);
        if (name.endsWith(options.autopathSuffix)) {
            zone.options(searchPaths);
        } else if (isFederated(name)) {
            zone.options(sourceCluster).nextOnFailure();
        }
        return zone.build();
    }

    // ---- loops ----

    /**
     * Checks that no upstream server is this cache.
     *
     * @param listening the addresses that are listened on
     * @throws IOException if one is, by its address
     */
    void requireOthers(List<InetSocketAddress> listening) throws IOException {
        ownAddresses = List.copyOf(listening);
        requireOthers(forwarder.zones(), listening);
    }

    private static void requireOthers(List<UpstreamZone> zones, List<InetSocketAddress> listening) throws IOException {
        for (UpstreamZone zone : zones) {
            for (UpstreamServer server : zone.servers()) {
                for (InetSocketAddress own : listening) {
                    if (Upstreams.isAt(server.address(), own)) {
                        throw new IOException("upstream server " + server + " of " + zone.name()
                                + ". is this cache, which listens on " + HostAndPort.text(own));
                    }
                }
            }
        }
    }

    /**
     * Looks for upstream servers that forward to this cache; asks each zone, so that it becomes ready.
     *
     * @param found takes what is wrong, if anything is, on another thread
     */
    void probeForLoops(Consumer<String> found) {
        CompletableFuture<Void> unused = loopProbe.looping(forwarder).thenAccept(looping -> {
            if (!looping.isEmpty()) {
                found.accept("the upstream servers forward to this cache: " + looping);
            }
        });
    }

    // ---- servers ----

    /** Starts to probe whether the cluster DNS understands the suffix, and waits a moment for the first result. */
    void startAutopathProbes() throws InterruptedException {
        if (!watches && isAutopathForwarded()) {
            autopath.startProbes();
            autopath.awaitFirstProbe();
        }
    }

    private boolean isAutopathForwarded() {
        return zone(zones, options.autopathSuffix) != null;
    }

    private void probeAutopath() {
        if (!watches && isAutopathForwarded()) {
            autopath.probeSoon();
        }
    }

    private void reportSupport(boolean isUnderstood) {
        if (cache != null) {
            cache.invalidate(name -> name.endsWith(options.autopathSuffix));
        }
        String verb = options.expandsLocally()
                ? "names below it are expanded here"
                : "names below it are forwarded all the same";
        err.println(
                isUnderstood
                        ? "note: the cluster DNS expands names below " + options.autopathSuffix + "."
                        : "note: the cluster DNS does not expand names below " + options.autopathSuffix + ".; " + verb);
    }

    /** Returns the zones none of whose servers has answered yet; none from the moment when all have. */
    List<String> unanswered() {
        if (isReady) {
            return List.of();
        }
        List<String> missing = forwarder.zones().stream()
                .filter(zone -> zone.servers().stream().noneMatch(answered::contains))
                .map(zone -> "zone " + zone.name() + ".: no server has answered yet")
                .toList();
        isReady = missing.isEmpty();
        return missing;
    }

    @Override
    public void close() {
        timer.shutdownNow();
        forwarder.close();
    }

    /** Counts, notes which servers have answered, and probes the cluster DNS after a reconnect or a failure. */
    private final class ServerEvents implements UpstreamObserver {
        @Override
        public void answered(UpstreamServer server, int rcode, long nanos) {
            boolean unused = answered.add(server);
            observer.answered(server, rcode, nanos);
        }

        @Override
        public void failed(UpstreamServer server, Failure failure) {
            observer.failed(server, failure);
            probeIfOfCluster(server);
        }

        @Override
        public void connecting(UpstreamServer server) {
            observer.connecting(server);
            probeIfOfCluster(server);
        }

        @Override
        public void reusing(UpstreamServer server) {
            observer.reusing(server);
        }

        @Override
        public void unanswered(UpstreamZone zone) {
            observer.unanswered(zone);
        }

        @Override
        public void setAside(UpstreamServer server) {
            observer.setAside(server);
        }

        @Override
        public void broughtBack(UpstreamServer server) {
            observer.broughtBack(server);
            probeIfOfCluster(server);
        }

        @Override
        public void refused(UpstreamZone zone) {
            observer.refused(zone);
        }

        private void probeIfOfCluster(UpstreamServer server) {
            UpstreamZone zone = zone(zones, options.autopathSuffix);
            // Host names are looked up by the forwarder; a zone that has any counts as the server's.
            if (!watches
                    && zone != null
                    && zone.servers().stream()
                            .anyMatch(one -> one.equals(server) || one.address().isUnresolved())) {
                autopath.probeSoon();
            }
        }
    }
}
