package io.k8sdns.nodecache;

import io.k8sdns.arguments.Copies;
import io.k8sdns.autopath.SearchPaths;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.federation.FederationZone;
import io.k8sdns.federation.SourceCluster;
import io.k8sdns.forward.AnswerCache;
import io.k8sdns.forward.CacheObserver;
import io.k8sdns.forward.CacheStalePolicy;
import io.k8sdns.forward.LoopProbe;
import io.k8sdns.forward.UpstreamForwarder;
import io.k8sdns.forward.UpstreamObserver;
import io.k8sdns.forward.UpstreamServer;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.name.ClusterSearches;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.resolver.AliasChaser;
import io.k8sdns.resolver.Catalog;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DirectAnswers;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.FailureObserver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.upstream.Forwarder;
import io.k8sdns.upstream.ForwardingResolver;
import io.k8sdns.zone.ClusterZone;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.Name;

/**
 * A DNS cache for a node: forwards each zone to its servers, caches the answers, and expands search lists of Pods.
 *
 * <pre>{@code
 * try (NodeCache cache = NodeCache.builder("cluster.local")
 *                 .zone(UpstreamZone.of("cluster.local", clusterDns))
 *                 .zone(UpstreamZone.of(".", nodeDns))
 *                 .start();
 *         DnsServer server = DnsServer.start(cache, 0)) {
 *     cache.requireOthers(server.addresses());
 *     cache.findLoops().thenAccept(zones -> zones.forEach(zone -> System.err.println("a loop: " + zone)));
 *     use(server);
 * }
 * }</pre>
 *
 * <p>A question passes these parts:
 *
 * <pre>
 *   LoopProbe --> EDNS options of clients removed --> autopath suffix --> ClusterZone, if any --> AnswerCache --> UpstreamForwarder
 * </pre>
 *
 * <p><b>Zones.</b> A question goes to the servers of the longest zone that its name ends with; a name of no zone is REFUSED. Zones
 * can be {@linkplain #replaceZones replaced} while the cache answers. The servers of a zone are believed about its names alone: the
 * target of an alias into another zone is resolved there. Those of the autopath suffix find names of all zones.
 *
 * <p><b>EDNS options</b> of clients are removed: a Pod must not choose a search list, or pass for another cluster.
 *
 * <p><b>The autopath suffix.</b> A name {@code BASE.search.NS.DOMAIN.SUFFIX} is forwarded as it is, with the search list of the
 * namespace in an EDNS option ({@link SearchPaths}), to the servers of the suffix alone. A zone for the suffix is added unless there
 * is one: with the servers of the cluster domain. Whether they understand the suffix is probed with
 * {@code kubernetes.search.default.DOMAIN.SUFFIX} at the start, every 30 seconds, and after a connection to them was opened or one
 * has failed. Until then, and if they do not, the names are expanded here.
 *
 * <p><b>TTLs</b> are bounded as in node-local-dns's own configuration for the cluster domain: records 5 to 30 seconds, NXDOMAIN and
 * NODATA 5 seconds. An answer with ten hits is fetched again before its TTL has passed. If the servers fail, or take longer than 1.8
 * seconds, the answer is the last one for up to an hour (RFC 8767).
 *
 * <p>Threads: that of the {@link UpstreamForwarder}, and a daemon thread {@code k8sdns-node-cache} for deadlines and probes unless the
 * host has {@linkplain Builder#timer a timer}. All methods may be called by any thread.
 */
public final class NodeCache implements DnsResolver, AutoCloseable {
    // The bounds of node-local-dns's own configuration.
    private static final Duration SHORTEST_TTL = Duration.ofSeconds(5);
    private static final Duration LONGEST_TTL = Duration.ofSeconds(30);
    private static final Duration DENIAL_TTL = Duration.ofSeconds(5);

    /** How many hits make an answer worth fetching before its TTL has passed. */
    private static final int PREFETCH_HITS = 10;

    /** How long a client waits when there is a stale answer (RFC 8767, 5). */
    private static final Duration STALE_WAIT = Duration.ofMillis(1_800);

    /** The one function of all zones that take the option: a zone with another one would count as changed. */
    private final BiFunction<Question, Client, List<EDNSOption>> searchPaths = NodeCache::ednsOptions;

    /** What zones of federated names have, in the same way; null if there are none. */
    private final @Nullable Federation federation;

    private final SuffixSettings suffix;
    private final LoopProbe loopProbe = new LoopProbe();
    private final Set<UpstreamServer> answered = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService timer;
    private final boolean ownsTimer;
    private final UpstreamForwarder forwarder;
    private final @Nullable AnswerCache cache;
    private final NodeCacheAutopath autopath;
    private final DnsResolver resolver;
    private volatile Map<DnsLabels, UpstreamZone> zones;
    private volatile List<InetSocketAddress> ownAddresses = List.of();
    private volatile boolean isReady;

    private NodeCache(Builder builder) throws IOException {
        this.suffix = builder.suffix();
        this.federation = builder.federation;
        this.zones = byName(builder.zones);
        UpstreamForwarder.Builder forwarding =
                UpstreamForwarder.builder().observer(builder.upstreamObserver).observer(new ServerEvents());
        zones.values().forEach(forwarding::zone);
        this.forwarder = forwarding.start();
        this.ownsTimer = builder.timer == null;
        this.timer = builder.timer == null ? newTimer() : builder.timer;
        this.cache = builder.cacheBytes == 0 ? null : cache(builder);
        Forwarder answers = cache == null ? believedServers() : cache;
        ClusterZone cluster = builder.cluster;
        DnsResolver servers =
                ForwardingResolver.builder(answers).failures(builder.failures).build();
        DnsResolver forwarded = cluster == null ? servers : keepingOrder(servers);
        DnsResolver others =
                new AliasChaser(Catalog.builder().route(Name.root, forwarded).build());
        this.autopath = new NodeCacheAutopath(
                suffix,
                cluster == null ? others : before(cluster, forwarded, others),
                forwarder,
                // A zone of its own is the cluster's DNS: there is no other server to expand names.
                () -> cluster == null && zone(zones, suffix.suffix()).isPresent(),
                timer,
                builder.observer,
                this::forgetSuffix);
        this.resolver = loopProbe.watching(catalog(cluster == null ? autopath : autopath.local()));
    }

    private static ScheduledExecutorService newTimer() {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "k8sdns-node-cache");
            thread.setDaemon(true);
            return thread;
        });
        // Nearly all deadlines are cancelled long before their time.
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }

    private AnswerCache cache(Builder builder) {
        return AnswerCache.builder(believedServers())
                .capacityBytes(builder.cacheBytes)
                .positiveTtl(SHORTEST_TTL, LONGEST_TTL)
                .negativeTtl(DENIAL_TTL, DENIAL_TTL)
                .keepAliases()
                .prefetch(PREFETCH_HITS)
                .serveStale(CacheStalePolicy.onFailure().afterWaiting(STALE_WAIT, timer))
                .optionCodes(Set.of(suffix.optionCode()))
                .observer(builder.cacheObserver)
                .build();
    }

    /** The servers of the suffix find names of all zones, and are believed; those of any other zone are for its names alone. */
    private Forwarder believedServers() {
        Forwarder ending = forwarder.endingAtOtherZones();
        return (question, client) ->
                (question.labels().endsWith(suffix.suffix()) ? forwarder : ending).forward(question, client);
    }

    /**
     * Answers names of the cluster from a zone.
     *
     * @param upstream answers names of other zones, and reverse names that the zone does not have
     * @param others answers until the zone is filled
     */
    private static DnsResolver before(ClusterZone zone, DnsResolver upstream, DnsResolver others) {
        ResolverChain chain = ResolverChain.of(zone)
                .withUpstream(upstream)
                .withFallthrough(zone.current().settings().reverseZones().stream()
                        .map(ReverseZone::name)
                        .collect(Collectors.toSet()));
        return new Delegating(() -> zone.state() == SyncState.SYNCING ? others : chain);
    }

    /** Keeps the order of the server while a host mixes the records of its own zone: a federated name has the nearest shard first. */
    private static DnsResolver keepingOrder(DnsResolver resolver) {
        return (question, client) -> resolver.resolve(question, client).map(answer -> answer.inOrder());
    }

    /** Refuses zone transfers and other classes; keeps the fast path. */
    private static DnsResolver catalog(DnsResolver all) {
        DnsResolver catalog = Catalog.builder().route(Name.root, all).build();
        return new Delegating(() -> all) {
            @Override
            public Resolution resolve(Question question, Client client) {
                return catalog.resolve(question, client);
            }
        };
    }

    /** Resolves as another resolver does, which may change. */
    private static class Delegating implements DnsResolver {
        private final Supplier<DnsResolver> current;

        Delegating(Supplier<DnsResolver> current) {
            this.current = current;
        }

        @Override
        public Resolution resolve(Question question, Client client) {
            return current.get().resolve(question, client);
        }

        @Override
        public Optional<DirectAnswers> direct() {
            return current.get().direct();
        }

        @Override
        public Optional<DirectAnswers> direct(Client client) {
            return current.get().direct(client);
        }
    }

    /**
     * Returns a builder of a cache without zones.
     *
     * @param clusterDomain the domain of the cluster, for example {@code cluster.local}
     * @throws IllegalArgumentException if it is no name, or the root
     */
    public static Builder builder(String clusterDomain) {
        return builder(DnsLabels.parse(Objects.requireNonNull(clusterDomain, "clusterDomain")));
    }

    /**
     * Returns a builder of a cache without zones.
     *
     * @param clusterDomain the domain of the cluster
     * @throws IllegalArgumentException if it is the root
     */
    public static Builder builder(DnsLabels clusterDomain) {
        return new Builder(clusterDomain);
    }

    /** {@inheritDoc} EDNS options of the client have no effect. */
    @Override
    public Resolution resolve(Question question, Client client) {
        Client without = client.ednsOptions().isEmpty()
                ? client
                : client.toBuilder().ednsOptions(List.of()).build();
        return resolver.resolve(question, without).map(answer -> answer.withRecursionAvailable(true));
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

    /**
     * Forwards to other zones from now on. Questions under way are finished. Answers about names whose servers and settings stay the
     * same stay in the cache; all others are removed. For the ConfigMap of kube-dns:
     * {@code cache.replaceZones(KubeDnsZones.over(zones, config))}.
     *
     * @param all all zones, each name once; one for the autopath suffix is added as by the builder
     * @throws IOException if the host name of a server cannot be looked up, or a server is at an address of {@link #requireOthers};
     *     then nothing has changed
     * @throws IllegalArgumentException if a zone is given twice; then nothing has changed
     */
    public synchronized void replaceZones(List<UpstreamZone> all) throws IOException {
        Map<DnsLabels, UpstreamZone> next = byName(Copies.list("all", all));
        LoopProbe.requireOthers(next.values(), ownAddresses);
        forwarder.replaceZones(List.copyOf(next.values()));
        Map<DnsLabels, UpstreamZone> before = zones;
        zones = next;
        if (cache != null) {
            cache.invalidate(name -> !zone(before, name).equals(zone(next, name)));
        }
        autopath.probeSoon();
    }

    /** Returns the zones that are forwarded, with that of the autopath suffix and the host names of servers looked up. */
    public List<UpstreamZone> zones() {
        return forwarder.zones();
    }

    /** Returns the cache of answers, for its size and for invalidation; empty if its capacity is 0. */
    public Optional<AnswerCache> answers() {
        return Optional.ofNullable(cache);
    }

    /** Adds the zone of the suffix. */
    private Map<DnsLabels, UpstreamZone> byName(List<UpstreamZone> given) {
        Map<DnsLabels, UpstreamZone> all = new LinkedHashMap<>();
        for (UpstreamZone zone : given) {
            if (all.put(zone.name(), withOptions(zone)) != null) {
                throw new IllegalArgumentException("two zones named " + zone.name() + ".");
            }
        }
        if (!all.containsKey(suffix.suffix())) {
            given.stream()
                    .filter(zone -> suffix.clusterDomain().endsWith(zone.name()))
                    .max(Comparator.comparingInt(zone -> zone.name().count()))
                    .map(zone -> withOptions(zone.toBuilder(suffix.suffix()).build()))
                    .ifPresent(zone -> all.put(zone.name(), zone));
        }
        return all;
    }

    /**
     * The search list, which names the namespace of a Pod, is sent to the servers of the suffix alone, and the name of the own cluster
     * to those of federated names alone.
     */
    private UpstreamZone withOptions(UpstreamZone zone) {
        if (zone.name().endsWith(suffix.suffix())) {
            return zone.toBuilder(zone.name()).options(searchPaths).build();
        }
        return federation != null && federation.zone().contains(zone.name())
                ? zone.toBuilder(zone.name())
                        .options(federation.ednsOptions())
                        .nextOnFailure()
                        .build()
                : zone;
    }

    /** The zone of federated names, and the one function of EDNS options with the own cluster. */
    private record Federation(FederationZone zone, BiFunction<Question, Client, List<EDNSOption>> ednsOptions) {}

    private static List<EDNSOption> ednsOptions(Question question, Client client) {
        return client.ednsOptions();
    }

    /** Returns the longest zone that a name ends with. */
    private static Optional<UpstreamZone> zone(Map<DnsLabels, UpstreamZone> zones, DnsLabels name) {
        for (int skipped = 0; skipped <= name.count(); skipped++) {
            UpstreamZone zone = zones.get(name.skip(skipped));
            if (zone != null) {
                return Optional.of(zone);
            }
        }
        return Optional.empty();
    }

    // ---- loops ----

    /**
     * Checks that no server is this cache, by its address, now and in each {@link #replaceZones}; there, servers with a host name are
     * not checked. {@link #findLoops} finds servers that lead back here in any way.
     *
     * @param listening the addresses that this cache listens on; a wildcard is every address of this machine
     * @throws IOException if one is; the message names server and address
     */
    public synchronized void requireOthers(Collection<InetSocketAddress> listening) throws IOException {
        ownAddresses = List.copyOf(listening);
        LoopProbe.requireOthers(forwarder.zones(), ownAddresses);
    }

    /**
     * Asks in each zone for a random name, to find servers that forward to this cache. Every zone is asked, so that it becomes ready.
     *
     * @return completes with the zones whose questions came back, on the forwarder's thread
     */
    public CompletableFuture<List<UpstreamZone>> findLoops() {
        return loopProbe.looping(forwarder);
    }

    // ---- servers ----

    /**
     * Waits until the first probe of the suffix was answered or has failed. For a host that listens only then: names below the suffix
     * that are asked for before are expanded here, which costs more queries. Returns at once if there is nothing to probe.
     *
     * @param atMost the longest time to wait
     */
    public void awaitFirstProbe(Duration atMost) throws InterruptedException {
        autopath.awaitFirstProbe(atMost);
    }

    private void forgetSuffix() {
        if (cache != null) {
            cache.invalidate(name -> name.endsWith(suffix.suffix()));
        }
    }

    /**
     * Returns the zones none of whose servers has answered yet, for readiness; none from the moment when all have, even if zones are
     * replaced. {@link #findLoops} asks each of them.
     */
    public List<UpstreamZone> unanswered() {
        if (isReady) {
            return List.of();
        }
        List<UpstreamZone> missing = forwarder.zones().stream()
                .filter(zone -> zone.servers().stream().noneMatch(answered::contains))
                .toList();
        isReady = missing.isEmpty();
        return missing;
    }

    /** Stops forwarding and probing; questions under way fail. A timer of the host is not shut down. Closing again does nothing. */
    @Override
    public void close() {
        autopath.stopProbes();
        if (ownsTimer) {
            timer.shutdownNow();
        }
        forwarder.close();
    }

    /** Notes which servers have answered, and probes the cluster DNS after a reconnect or a failure. */
    private final class ServerEvents implements UpstreamObserver {
        @Override
        public void answered(UpstreamServer server, int rcode, long nanos) {
            boolean unused = answered.add(server);
        }

        @Override
        public void failed(UpstreamServer server, Failure failure) {
            probeIfOfSuffix(server);
        }

        @Override
        public void connecting(UpstreamServer server) {
            probeIfOfSuffix(server);
        }

        @Override
        public void broughtBack(UpstreamServer server) {
            probeIfOfSuffix(server);
        }

        private void probeIfOfSuffix(UpstreamServer server) {
            // Host names are looked up by the forwarder; a zone that has any counts as the server's.
            if (zone(zones, suffix.suffix()).stream()
                    .flatMap(zone -> zone.servers().stream())
                    .anyMatch(one -> one.equals(server) || one.address().isUnresolved())) {
                autopath.probeSoon();
            }
        }
    }

    /** Collects the settings of a node cache. */
    public static final class Builder {
        private static final long DEFAULT_CACHE_BYTES = 32L << 20;
        private static final int MAX_OPTION_CODE = 0xFFFF;
        private static final String LONGEST_NAMESPACE = "n".repeat(63);
        private static final DnsLabels ARPA = DnsLabels.of("arpa");

        private final DnsLabels clusterDomain;
        private final List<UpstreamZone> zones = new ArrayList<>();
        private DnsLabels autopathSuffix = DnsLabels.parse(ClusterSearches.AUTOPATH_SUFFIX);
        private List<DnsLabels> hostSearches = List.of();
        private boolean expandsLocally = true;
        private int optionCode = SearchPaths.OPTION_CODE;
        private boolean sendsNamespace;
        private @Nullable Federation federation;
        private long cacheBytes = DEFAULT_CACHE_BYTES;
        private @Nullable ClusterZone cluster;
        private @Nullable ScheduledExecutorService timer;
        private FailureObserver failures = FailureObserver.NONE;
        private NodeCacheObserver observer = NodeCacheObserver.NONE;
        private UpstreamObserver upstreamObserver = UpstreamObserver.NONE;
        private CacheObserver cacheObserver = CacheObserver.NONE;

        private Builder(DnsLabels clusterDomain) {
            if (clusterDomain.isEmpty()) {
                throw new IllegalArgumentException("not the name of a domain: '.'");
            }
            this.clusterDomain = clusterDomain;
        }

        /**
         * Adds a zone and its servers. TCP ({@link UpstreamServer#overTcp}) to the cluster DNS avoids lost datagrams and entries for
         * connection tracking.
         *
         * @param zone its name is that of no other zone. For a zone of the autopath suffix a function of EDNS options is replaced
         */
        public Builder zone(UpstreamZone zone) {
            zones.add(Objects.requireNonNull(zone, "zone"));
            return this;
        }

        /** Adds zones and their servers, as {@link #zone} does. */
        public Builder zones(List<UpstreamZone> all) {
            Copies.list("all", all).forEach(this::zone);
            return this;
        }

        /**
         * Sets the suffix of names that are expanded; {@value ClusterSearches#AUTOPATH_SUFFIX} unless set.
         *
         * @throws IllegalArgumentException if it is the root, lies in {@code arpa}, or lies above or below the cluster domain
         */
        public Builder autopathSuffix(DnsLabels value) {
            requireApart(value);
            autopathSuffix = value;
            return this;
        }

        private void requireApart(DnsLabels value) {
            if (value.isEmpty()
                    || value.endsWith(clusterDomain)
                    || clusterDomain.endsWith(value)
                    || value.endsWith(ARPA)) {
                throw new IllegalArgumentException(
                        value + ". must not be the root, lie in arpa, or lie above or below the cluster domain "
                                + clusterDomain + ".");
            }
        }

        /**
         * Sets the search domains of the node, behind those of the cluster; none unless set.
         *
         * @throws IllegalArgumentException if the search list does not fit in an option ({@link SearchPaths.Listed})
         */
        public Builder hostSearches(List<DnsLabels> value) {
            List<DnsLabels> copy = Copies.list("hostSearches", value);
            SearchPaths unused =
                    SuffixSettings.listed(new ClusterSearches(LONGEST_NAMESPACE, clusterDomain.toString()), copy);
            hostSearches = copy;
            return this;
        }

        /**
         * Forwards names below the suffix all the same when the cluster DNS does not understand it. Unless called, they are expanded
         * here, a question for each name of the search list.
         */
        public Builder withoutLocalExpansion() {
            expandsLocally = false;
            return this;
        }

        /**
         * Sets the code of the EDNS option with the search list; {@link SearchPaths#OPTION_CODE} unless set.
         *
         * @param value 1 to 65535
         */
        public Builder optionCode(int value) {
            if (value < 1 || value > MAX_OPTION_CODE) {
                throw new IllegalArgumentException("not an option code (1 to " + MAX_OPTION_CODE + "): " + value);
            }
            optionCode = value;
            return this;
        }

        /**
         * Sends the namespace and the cluster domain in the option ({@link SearchPaths.OfNamespace}); the server adds its own host
         * search domains. Unless called, the option has the list ({@link SearchPaths.Listed}).
         */
        public Builder sendNamespace() {
            sendsNamespace = true;
            return this;
        }

        /**
         * Sends the name of the own cluster, as an EDNS option, to the servers of zones of federated names; not sent unless called. The
         * next of these servers is asked when one answers SERVFAIL or REFUSED. The zone itself is given by {@link #zone}.
         *
         * @param zone the zone of federated names
         * @param own the own cluster
         * @param code the option code, 1 to 65535, usually {@link SourceCluster#OPTION_CODE}
         * @throws IllegalArgumentException if the code is out of that range
         */
        public Builder sourceCluster(FederationZone zone, SourceCluster own, int code) {
            List<EDNSOption> sent = List.of(Objects.requireNonNull(own, "own").toOption(code));
            federation = new Federation(Objects.requireNonNull(zone, "zone"), (question, client) -> sent);
            return this;
        }

        /**
         * Sets how much memory cached answers may take; 32 MiB unless set.
         *
         * @param value in bytes; 0 for no cache
         */
        public Builder cacheBytes(long value) {
            if (value < 0) {
                throw new IllegalArgumentException("not a number of bytes: " + value);
            }
            cacheBytes = value;
            return this;
        }

        /**
         * Answers names of the cluster from a zone of this process, and expands search lists here, instead of forwarding both. Reverse
         * names that the zone does not have are forwarded, and all names while its state is {@link SyncState#SYNCING}.
         *
         * @param value a zone that the host fills, for example from a watch
         */
        public Builder cluster(ClusterZone value) {
            cluster = Objects.requireNonNull(value, "cluster");
            return this;
        }

        /** Sets what runs deadlines and probes; a thread of the cache unless set. The host shuts it down after the cache. */
        public Builder timer(ScheduledExecutorService value) {
            timer = Objects.requireNonNull(value, "timer");
            return this;
        }

        /** Sets what receives the causes of SERVFAIL; {@link FailureObserver#NONE} unless set. */
        public Builder failures(FailureObserver value) {
            failures = Objects.requireNonNull(value, "failures");
            return this;
        }

        /** Sets what receives the events of the autopath suffix; {@link NodeCacheObserver#NONE} unless set. */
        public Builder observer(NodeCacheObserver value) {
            observer = Objects.requireNonNull(value, "observer");
            return this;
        }

        /** Sets what receives the events of upstream servers; {@link UpstreamObserver#NONE} unless set. */
        public Builder upstreamObserver(UpstreamObserver value) {
            upstreamObserver = Objects.requireNonNull(value, "upstreamObserver");
            return this;
        }

        /** Sets what receives the events of the cache of answers; {@link CacheObserver#NONE} unless set. */
        public Builder cacheObserver(CacheObserver value) {
            cacheObserver = Objects.requireNonNull(value, "cacheObserver");
            return this;
        }

        private SuffixSettings suffix() {
            requireApart(autopathSuffix);
            SuffixSettings settings = new SuffixSettings(
                    clusterDomain, autopathSuffix, hostSearches, expandsLocally, optionCode, sendsNamespace);
            DnsLabels unused = settings.probedName();
            return settings;
        }

        /**
         * Looks up the host names of servers, and starts to forward and to probe.
         *
         * @throws IOException if a host name cannot be looked up, or there is no file descriptor left
         * @throws IllegalArgumentException if a zone is given twice, the suffix lies above or below the cluster domain, or both are
         *     too long for one name
         * @throws java.util.concurrent.RejectedExecutionException if the timer is shut down
         */
        public NodeCache start() throws IOException {
            NodeCache started = new NodeCache(this);
            try {
                started.autopath.startProbes();
                return started;
            } catch (RuntimeException failed) {
                started.close();
                throw failed;
            }
        }
    }
}
