package io.k8sdns.nodecache;

import io.k8sdns.arguments.Copies;
import io.k8sdns.autopath.SearchPaths;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.federation.FederationZoneName;
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
import io.k8sdns.schema.NameSchema;
import io.k8sdns.upstream.Deadline;
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
import java.util.function.Predicate;
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
 * <p>A question is processed in this order:
 *
 * <pre>
 *   EDNS options of clients removed --> LoopProbe --> Deadline --> autopath suffix
 *       --> ClusterZone, if any --> AnswerCache --> UpstreamForwarder
 * </pre>
 *
 * <p><b>Zones.</b> A question is forwarded to the servers of the longest zone that contains its name; a name that none
 * contains is REFUSED. Zones can be {@linkplain #replaceZones replaced} at any time. The servers of a zone are trusted only for names of
 * that zone: the target of an alias into another zone is resolved there. The servers of the autopath suffix are trusted for names of all
 * zones.
 *
 * <p><b>EDNS options</b> of clients are removed: a Pod must not choose a search list or impersonate another cluster.
 *
 * <p><b>The autopath suffix.</b> A name {@code BASE.search.NS.DOMAIN.SUFFIX} is forwarded unchanged, with the search list of the
 * namespace in an EDNS option ({@link SearchPaths}), only to the servers of the suffix. Without a configured zone for the suffix these
 * are the servers of the cluster domain; without a zone other than the root for that, too, nothing of the suffix is forwarded, and the
 * names are expanded here or do not exist. An alias to a name of the suffix is not followed. The cache probes whether the servers
 * support the suffix with {@code kubernetes.search.default.DOMAIN.SUFFIX}: at the start, every 30 seconds, and after a connection to
 * them was opened or one of them failed. Until the first answer, and without support, the names are expanded here.
 *
 * <p><b>Deadline.</b> A question is answered within 4.4 seconds, including all its aliases and the names of a search list; at the deadline
 * the answer is SERVFAIL.
 *
 * <p><b>TTLs</b> are limited as in node-local-dns's default configuration for the cluster domain: records 5 to 30 seconds, NXDOMAIN and
 * NODATA 5 seconds. An answer with ten hits is refreshed before its TTL expires. If the servers fail or take longer than 1.8 seconds, a
 * stale answer is served for up to an hour (RFC 8767).
 *
 * <p>Threads: that of the {@link UpstreamForwarder}, and a daemon thread {@code k8sdns-node-cache} for deadlines and probes unless the
 * host provides {@linkplain Builder#timer a timer}. Thread-safe.
 */
public final class NodeCache implements DnsResolver, AutoCloseable {
    // The limits of node-local-dns's default configuration.
    /** The minimum of TTLs other than 0: 5 seconds. */
    public static final Duration MIN_TTL = Duration.ofSeconds(5);

    /** The maximum of the TTL of answers with records: 30 seconds. */
    public static final Duration MAX_TTL = Duration.ofSeconds(30);

    /** The maximum of the TTL of NXDOMAIN and NODATA: 5 seconds. */
    public static final Duration MAX_NEGATIVE_TTL = Duration.ofSeconds(5);

    /** The number of hits from which an answer is refreshed before its TTL expires. */
    private static final int PREFETCH_HITS = 10;

    /**
     * The function of EDNS options of all zones of the suffix. One instance, because a zone with another function is not equal, and
     * would count as changed.
     */
    private final BiFunction<Question, Client, List<EDNSOption>> searchPaths = NodeCache::ednsOptions;

    /** The same for zones of federated names; null if there are none. */
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
    private volatile boolean isReady;

    private NodeCache(Builder builder) throws IOException {
        this.suffix = builder.suffix();
        this.federation = builder.federation;
        this.zones = byName(builder.zones);
        UpstreamForwarder.Builder forwarding = UpstreamForwarder.builder()
                .observer(builder.upstreamObserver)
                .observer(new ServerEvents())
                .findLoops(loopProbe, builder.observer::looping);
        zones.values().forEach(forwarding::zone);
        this.forwarder = forwarding.start();
        this.ownsTimer = builder.timer == null;
        this.timer = builder.timer == null ? newTimer() : builder.timer;
        this.cache = builder.cacheBytes == 0 ? null : cache(builder);
        Forwarder answers = cache == null ? trustingForwarder() : cache;
        ClusterZone cluster = builder.cluster;
        DnsResolver servers =
                ForwardingResolver.builder(answers).failures(builder.failures).build();
        DnsResolver forwarded = cluster == null ? servers : keepingOrder(servers);
        DnsResolver others =
                new AliasChaser(Catalog.builder().route(Name.root, forwarded).build(), name -> !isOfSuffix(name));
        this.autopath = new NodeCacheAutopath(
                suffix,
                cluster == null ? others : before(cluster, forwarded, others),
                forwarder,
                // A ClusterZone of this process replaces the cluster DNS, so that no other server expands names.
                name -> cluster == null && suffixZone(name).isPresent(),
                timer,
                builder.observer,
                this::invalidateSuffix);
        this.resolver = loopProbe.watching(new Deadline(Deadline.BEFORE_RETRY, timer)
                .limiting(catalog(cluster == null ? autopath : autopath.local()), builder.failures));
    }

    private static ScheduledExecutorService newTimer() {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "k8sdns-node-cache");
            thread.setDaemon(true);
            return thread;
        });
        // Nearly all deadlines are cancelled long before they are due.
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }

    private AnswerCache cache(Builder builder) {
        return AnswerCache.builder(trustingForwarder())
                .capacityBytes(builder.cacheBytes)
                .positiveTtl(MIN_TTL, MAX_TTL)
                .negativeTtl(MIN_TTL, MAX_NEGATIVE_TTL)
                .keepAliases()
                .prefetch(PREFETCH_HITS)
                .serveStale(CacheStalePolicy.onFailure().afterWaiting(CacheStalePolicy.CLIENT_WAIT, timer))
                .optionCodes(Set.of(suffix.optionCode()))
                .observer(builder.cacheObserver)
                .build();
    }

    /**
     * Returns the forwarder that trusts the servers of the suffix for names of all zones, and other servers only for names of their
     * zones.
     */
    private Forwarder trustingForwarder() {
        Forwarder ending = forwarder.endingAtOtherZones();
        return (question, client) -> (isOfSuffix(question.labels()) ? forwarder : ending).forward(question, client);
    }

    private boolean isOfSuffix(DnsLabels name) {
        return name.endsWith(suffix.suffix());
    }

    /**
     * Returns a resolver that answers names of the cluster from a zone.
     *
     * @param upstream answers names of other zones, and reverse names that the zone does not have
     * @param others answers all names while the zone is not synced
     */
    private DnsResolver before(ClusterZone zone, DnsResolver upstream, DnsResolver others) {
        ResolverChain chain = ResolverChain.of(zone)
                .withUpstream(upstream)
                // Only a client can choose a search list.
                .withoutForwarding(suffix.suffix())
                .withFallthrough(
                        zone.current().settings().reverseZones().stream()
                                .map(ReverseZone::name)
                                .collect(Collectors.toSet()),
                        forwarder::isForwarded);
        return new Delegating(() -> zone.state() == SyncState.SYNCING ? others : chain);
    }

    /**
     * Returns a resolver that marks answers as ordered, so that the host does not shuffle their records: a federated name has the
     * nearest shard first.
     */
    private static DnsResolver keepingOrder(DnsResolver resolver) {
        return (question, client) -> resolver.resolve(question, client).map(answer -> answer.inOrder());
    }

    /** Returns a resolver that refuses zone transfers and other classes, and keeps the fast path. */
    private static DnsResolver catalog(DnsResolver all) {
        DnsResolver catalog = Catalog.builder().route(Name.root, all).build();
        return new Delegating(() -> all) {
            @Override
            public Resolution resolve(Question question, Client client) {
                return catalog.resolve(question, client);
            }
        };
    }

    /** Delegates to a resolver that can change. */
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
     * @throws IllegalArgumentException if it is not a valid name, or is the root
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
     * Replaces all zones. Questions in flight are completed. Cached answers for names whose servers and settings are unchanged stay;
     * all others are removed. For the ConfigMap of kube-dns: {@code cache.replaceZones(KubeDnsZones.over(zones, config))}.
     *
     * @param all all zones, each name once; a zone for the autopath suffix is added if missing, with the servers of the cluster domain
     * @throws IOException if the host name of a server cannot be looked up, or a server has an address of {@link #requireOthers}; the
     *     zones are then unchanged
     * @throws IllegalArgumentException if two zones have the same name; the zones are then unchanged
     */
    public synchronized void replaceZones(List<UpstreamZone> all) throws IOException {
        Map<DnsLabels, UpstreamZone> next = byName(Copies.list("all", all));
        Predicate<DnsLabels> changed = forwarder.replaceZones(List.copyOf(next.values()));
        zones = next;
        if (cache != null) {
            cache.invalidate(changed);
        }
        autopath.probeSoon();
    }

    /** Returns the zones, including that of the autopath suffix, with the host names of servers resolved. */
    public List<UpstreamZone> zones() {
        return forwarder.zones();
    }

    /** Returns the cache of answers, for its size and for invalidation; empty if its capacity is 0. */
    public Optional<AnswerCache> answers() {
        return Optional.ofNullable(cache);
    }

    /** Returns the zones by name, with a zone for the suffix if there are servers of the cluster domain. */
    private Map<DnsLabels, UpstreamZone> byName(List<UpstreamZone> configured) {
        Map<DnsLabels, UpstreamZone> all = new LinkedHashMap<>();
        for (UpstreamZone zone : configured) {
            if (all.put(zone.name(), withOptions(zone)) != null) {
                throw new IllegalArgumentException("two zones named " + zone.name() + ".");
            }
        }
        if (!all.containsKey(suffix.suffix())) {
            configured.stream()
                    // The servers of the root are those of the node, not of the cluster.
                    .filter(zone -> !zone.name().isEmpty())
                    .filter(zone -> suffix.clusterDomain().endsWith(zone.name()))
                    .max(Comparator.comparingInt(zone -> zone.name().count()))
                    .map(zone -> withOptions(zone.toBuilder(suffix.suffix()).build()))
                    .ifPresent(zone -> all.put(zone.name(), zone));
        }
        return all;
    }

    /**
     * Adds EDNS options to a zone of the suffix or of federated names. Only servers of the suffix receive the search list, which names
     * the namespace of a Pod, and only servers of federated names receive the name of this cluster.
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

    /** The zone of federated names, and the function of EDNS options with the name of this cluster. */
    private record Federation(FederationZoneName zone, BiFunction<Question, Client, List<EDNSOption>> ednsOptions) {}

    private static List<EDNSOption> ednsOptions(Question question, Client client) {
        return client.ednsOptions();
    }

    /** Returns the longest zone that contains a name. */
    private static Optional<UpstreamZone> zone(Map<DnsLabels, UpstreamZone> zones, DnsLabels name) {
        for (int skipped = 0; skipped <= name.count(); skipped++) {
            UpstreamZone zone = zones.get(name.skip(skipped));
            if (zone != null) {
                return Optional.of(zone);
            }
        }
        return Optional.empty();
    }

    /**
     * Returns the zone whose servers support the suffix. Its names contain the namespace of a Pod, which the servers of no other zone may
     * receive.
     *
     * @param name a name of the suffix
     */
    private Optional<UpstreamZone> suffixZone(DnsLabels name) {
        return zone(zones, name).filter(zone -> isOfSuffix(zone.name()));
    }

    // ---- loops ----

    /**
     * Checks now, in each later {@link #replaceZones}, and whenever host names are looked up again, that no server has an address of this
     * cache; see {@link UpstreamForwarder#requireOthers}. {@link #findLoops} also finds indirect loops.
     *
     * @param listening the addresses that this cache listens on; a wildcard is every address of this machine
     * @throws IOException if a server has one of these addresses; the message names both
     */
    public synchronized void requireOthers(Collection<InetSocketAddress> listening) throws IOException {
        forwarder.requireOthers(listening);
    }

    /**
     * Forwards a random name of each zone, to find servers that forward back to this cache. An answer also makes the zone ready; see
     * {@link #unanswered}. Zones are probed again while their servers fail; see {@link NodeCacheObserver#looping}.
     *
     * @return completes on the forwarder's thread with the zones whose questions this cache received
     */
    public CompletableFuture<List<UpstreamZone>> findLoops() {
        return loopProbe.looping(forwarder);
    }

    // ---- servers ----

    /**
     * Waits until the first probe of the suffix is answered or fails. For a host that starts listening afterwards: before the first
     * probe, names below the suffix are expanded here, which costs more queries. Returns immediately if nothing is probed.
     *
     * @param atMost the maximum time to wait
     */
    public void awaitFirstProbe(Duration atMost) throws InterruptedException {
        autopath.awaitFirstProbe(atMost);
    }

    private void invalidateSuffix() {
        if (cache != null) {
            cache.invalidate(this::isOfSuffix);
        }
    }

    /**
     * Returns the zones without an answer from any server so far, for readiness checks. Once the list was empty it stays empty, even if
     * zones are replaced. {@link #findLoops} sends a question to each zone.
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

    /** Stops forwarding and probing; questions in flight fail. Does not shut down a timer of the host. Closing again does nothing. */
    @Override
    public void close() {
        autopath.stopProbes();
        if (ownsTimer) {
            timer.shutdownNow();
        }
        forwarder.close();
    }

    /** Records which servers have answered, and probes the cluster DNS after a reconnect or a failure. */
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
        public void markedUp(UpstreamServer server) {
            probeIfOfSuffix(server);
        }

        private void probeIfOfSuffix(UpstreamServer server) {
            // The event has the resolved address, so that a zone with host names may contain any server.
            if (suffixZone(suffix.probeName()).stream()
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
        private static final String MAX_NAMESPACE = "n".repeat(63);

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
         * Adds a zone and its servers. TCP ({@link UpstreamServer#overTcp}) to the cluster DNS avoids packet loss and connection
         * tracking entries.
         *
         * @param zone a zone whose name no other zone has. In a zone of the autopath suffix the function of EDNS options is replaced
         */
        public Builder zone(UpstreamZone zone) {
            zones.add(Objects.requireNonNull(zone, "zone"));
            return this;
        }

        /** Adds zones, like {@link #zone}. */
        public Builder zones(List<UpstreamZone> all) {
            Copies.list("all", all).forEach(this::zone);
            return this;
        }

        /**
         * Sets the autopath suffix; {@value ClusterSearches#AUTOPATH_SUFFIX} by default.
         *
         * @throws IllegalArgumentException if it is the root, below {@code arpa}, or above or below the cluster domain
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
                    || value.endsWith(NameSchema.ARPA)) {
                throw new IllegalArgumentException(
                        value + ". must not be the root, lie in arpa, or lie above or below the cluster domain "
                                + clusterDomain + ".");
            }
        }

        /**
         * Sets the search domains of the node, which follow those of the cluster; none by default.
         *
         * @throws IllegalArgumentException if the search list does not fit in an option ({@link SearchPaths.PathList})
         */
        public Builder hostSearches(List<DnsLabels> value) {
            List<DnsLabels> copy = Copies.list("hostSearches", value);
            SearchPaths unused =
                    SuffixSettings.listed(new ClusterSearches(MAX_NAMESPACE, clusterDomain.toString()), copy);
            hostSearches = copy;
            return this;
        }

        /**
         * Forwards names below the suffix even if the cluster DNS does not support it; without servers for the cluster domain they do not
         * exist. By default they are then expanded here, with one query for each name of the search list.
         */
        public Builder withoutLocalExpansion() {
            expandsLocally = false;
            return this;
        }

        /**
         * Sets the code of the EDNS option with the search list; {@link SearchPaths#OPTION_CODE} by default.
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
         * search domains. By default the option contains the whole search list ({@link SearchPaths.PathList}).
         */
        public Builder sendNamespace() {
            sendsNamespace = true;
            return this;
        }

        /**
         * Sends the name of this cluster in an EDNS option to the servers of zones of federated names; off by default. After
         * SERVFAIL or REFUSED the next of these servers is asked. The zone must also be added with {@link #zone}.
         *
         * @param zone the zone of federated names
         * @param own this cluster
         * @param code the option code, 1 to 65535, usually {@link SourceCluster#OPTION_CODE}
         * @throws IllegalArgumentException if the code is out of that range
         */
        public Builder sourceCluster(FederationZoneName zone, SourceCluster own, int code) {
            List<EDNSOption> sent = List.of(Objects.requireNonNull(own, "own").toOption(code));
            federation = new Federation(Objects.requireNonNull(zone, "zone"), (question, client) -> sent);
            return this;
        }

        /**
         * Sets the memory for cached answers; 32 MiB by default.
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
         * Answers names of the cluster from a {@link ClusterZone} in this process, and expands search lists here, instead of forwarding
         * both. Reverse names that the zone does not have are forwarded, and so are all names while its state is {@link
         * SyncState#SYNCING}.
         *
         * @param value a zone that the host updates, for example from a watch
         */
        public Builder cluster(ClusterZone value) {
            cluster = Objects.requireNonNull(value, "cluster");
            return this;
        }

        /** Sets the scheduler of deadlines and probes; a thread of the cache by default. The host must shut it down after the cache. */
        public Builder timer(ScheduledExecutorService value) {
            timer = Objects.requireNonNull(value, "timer");
            return this;
        }

        /** Sets the observer of the causes of SERVFAIL; {@link FailureObserver#NONE} by default. */
        public Builder failures(FailureObserver value) {
            failures = Objects.requireNonNull(value, "failures");
            return this;
        }

        /** Sets the observer of the autopath suffix; {@link NodeCacheObserver#NONE} by default. */
        public Builder observer(NodeCacheObserver value) {
            observer = Objects.requireNonNull(value, "observer");
            return this;
        }

        /** Sets the observer of upstream servers; {@link UpstreamObserver#NONE} by default. */
        public Builder upstreamObserver(UpstreamObserver value) {
            upstreamObserver = Objects.requireNonNull(value, "upstreamObserver");
            return this;
        }

        /** Sets the observer of the cache of answers; {@link CacheObserver#NONE} by default. */
        public Builder cacheObserver(CacheObserver value) {
            cacheObserver = Objects.requireNonNull(value, "cacheObserver");
            return this;
        }

        private SuffixSettings suffix() {
            requireApart(autopathSuffix);
            SuffixSettings settings = new SuffixSettings(
                    clusterDomain, autopathSuffix, hostSearches, expandsLocally, optionCode, sendsNamespace);
            DnsLabels unused = settings.probeName();
            return settings;
        }

        /**
         * Looks up the host names of servers, and starts to forward and to probe.
         *
         * @throws IOException if a host name cannot be looked up, or no file descriptor is available
         * @throws IllegalArgumentException if two zones have the same name, the suffix is above or below the cluster domain, or both
         *     are too long for one name
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
