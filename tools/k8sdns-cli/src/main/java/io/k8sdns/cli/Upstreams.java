package io.k8sdns.cli;

import io.k8sdns.autopath.AutopathResolver;
import io.k8sdns.cli.ForwardingObserver.SetupError;
import io.k8sdns.cli.UpstreamOptions.Mode;
import io.k8sdns.federation.KubeDnsFederations;
import io.k8sdns.forward.AnswerCache;
import io.k8sdns.forward.KubeDnsZones;
import io.k8sdns.forward.LoopProbe;
import io.k8sdns.forward.UpstreamForwarder;
import io.k8sdns.forward.UpstreamPolicy;
import io.k8sdns.forward.UpstreamServer;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.kubedns.InvalidKubeDnsConfigException;
import io.k8sdns.kubedns.KubeDnsConfig;
import io.k8sdns.kubedns.KubeDnsConfigDirectory;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DirectAnswers;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.FailureObserver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.upstream.Forwarder;
import io.k8sdns.upstream.ForwardingResolver;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Rcode;

/**
 * The resolver of {@code serve}: the zones of the cluster, with autopath in front of them and forwarding behind them. Watches the
 * ConfigMap of kube-dns, and replaces the upstream servers when it changes.
 */
final class Upstreams implements DnsResolver, AutoCloseable {
    private static final Duration POLL_INTERVAL = Duration.ofSeconds(10);

    /** The deadline of an expansion, less than the five seconds after which resolvers in Pods retry. */
    private static final Duration AUTOPATH_DEADLINE = Duration.ofMillis(4_400);

    /** Refuses all names, for servers without forwarding. */
    private static final DnsResolver REFUSING = (question, client) -> new Resolution.Ready(Answer.failure(
            Rcode.REFUSED,
            new ExtendedError(ExtendedError.NOT_AUTHORITATIVE, question.name() + " is not served by this server")));

    /**
     * The names that are forwarded to federations.
     *
     * @param contains returns whether a domain lies in the zone of federated names
     * @param before wraps the resolver of all other names with a resolver of federated names
     */
    record FederatedNames(Predicate<DnsLabels> contains, UnaryOperator<DnsResolver> before) {
        /** No federated names. */
        static final FederatedNames NONE = new FederatedNames(domain -> false, UnaryOperator.identity());
    }

    private final UpstreamOptions options;
    private final ResolverChain cluster;
    private final FailureObserver failures;
    private final Supplier<ForwardingObserver> observer;
    private final PrintWriter err;
    private final Function<Client, Optional<String>> namespaces;
    private final LocalShards shards;
    private final FederatedNames federated;
    private final LoopProbe probe = new LoopProbe();
    private final ScheduledExecutorService timer = TimerThreads.start("k8sdns-timer");

    /** Sends requests to the API server, which block; the deadlines of the timer must not wait for them. */
    private final ScheduledExecutorService requests = TimerThreads.start("k8sdns-requests");

    /** Whether a valid ConfigMap was read. */
    private boolean isConfigured;

    /** The warning about the present ConfigMap; empty if it is in use. */
    private String rejection = "";

    private KubeDnsConfig ofDirectory = KubeDnsConfig.DEFAULTS;
    private KubeDnsConfig ofManifests = KubeDnsConfig.DEFAULTS;

    /** The stub domains of the ConfigMap that are ignored because they lie in the zone of federated names. */
    private Set<DnsLabels> hiddenStubDomains = Set.of();

    /** The domains of the federations in the ConfigMap. */
    private volatile Map<String, DnsLabels> federations = Map.of();

    private @Nullable UpstreamForwarder forwarder;
    private @Nullable AnswerCache cache;
    private volatile DnsResolver current;

    /**
     * Creates a resolver that does not forward before {@link #start}.
     *
     * @param cluster resolves the names of the cluster
     * @param namespaces returns the namespace of a client, for the autopath of Pods
     * @param shards the ready Services of the cluster, for the federations of kube-dns
     * @param federated the names that are forwarded to federations
     * @param failures receives the causes of SERVFAIL
     * @param observer returns the observer of events; called only if names are forwarded or expanded
     * @param err receives messages about the ConfigMap
     */
    Upstreams(
            UpstreamOptions options,
            ResolverChain cluster,
            Function<Client, Optional<String>> namespaces,
            LocalShards shards,
            FederatedNames federated,
            FailureObserver failures,
            Supplier<ForwardingObserver> observer,
            PrintWriter err) {
        this.options = options;
        this.cluster = cluster;
        this.namespaces = namespaces;
        this.shards = shards;
        this.federated = federated;
        this.failures = failures;
        this.observer = observer;
        this.err = err;
        this.current = autopath(withOthers(REFUSING), options.hostSearches);
    }

    /**
     * Returns the chain with an upstream resolver. Without upstream servers and federations, returns the chain itself, which
     * refuses all other names.
     */
    private ResolverChain withOthers(DnsResolver others) {
        DnsResolver all = federated.before().apply(others);
        if (all == others && others == REFUSING) {
            return cluster;
        }
        ResolverChain chain = cluster.withUpstream(all);
        Set<Mode> modes = options.modes();
        return modes.contains(Mode.NAME) || modes.contains(Mode.OPTION)
                ? chain.withoutForwarding(options.autopathSuffix)
                : chain;
    }

    @Override
    public Resolution resolve(Question question, Client client) {
        return current.resolve(question, client);
    }

    @Override
    public Optional<DirectAnswers> direct() {
        return current.direct();
    }

    @Override
    public Optional<DirectAnswers> direct(Client client) {
        return current.direct(client);
    }

    /**
     * Starts to forward, and to watch the directory of the ConfigMap.
     *
     * @throws IOException if the host name of a server cannot be looked up
     */
    synchronized void start() throws IOException {
        Optional<Path> directory = options.kubeDnsConfig;
        if (directory.isPresent()) {
            KubeDnsConfigDirectory files = new KubeDnsConfigDirectory(directory.get(), this::parse);
            try {
                files.poll().ifPresent(config -> ofDirectory = config);
                isConfigured = true;
            } catch (InvalidKubeDnsConfigException | IOException invalid) {
                reject(invalid);
            }
            var unused =
                    files.follow(config -> changed(() -> ofDirectory = config), this::reject, timer, POLL_INTERVAL);
        }
        apply();
    }

    /**
     * Sets the data of the ConfigMap of the manifests or the live cluster; empty if there is none.
     *
     * @return false if the name of a server cannot be resolved now
     */
    boolean kubeDnsData(Optional<Map<String, String>> data) {
        if (data.isEmpty() && ofManifests.equals(KubeDnsConfig.DEFAULTS)) {
            return true;
        }
        try {
            KubeDnsConfig config = data.map(this::parse).orElse(KubeDnsConfig.DEFAULTS);
            return changed(() -> ofManifests = config);
        } catch (InvalidKubeDnsConfigException invalid) {
            reject(invalid);
            return true;
        }
    }

    /**
     * Starts to read the ConfigMap of a live cluster periodically.
     *
     * @param data see {@link KubeDnsPoll}
     */
    void follow(Callable<Optional<Map<String, String>>> data) {
        new KubeDnsPoll(data, this::kubeDnsData, requests, err).start();
    }

    /**
     * Starts to read the location of the cluster while there are federations, whose names contain it.
     *
     * @param topology see {@link TopologyFollower}
     */
    void followTopology(Callable<Optional<DnsLabels>> topology) {
        TopologyFollower follower =
                new TopologyFollower(topology, () -> !federations.isEmpty(), shards, this::after, err);
        requests.execute(follower::read);
    }

    private void after(Duration delay, Runnable task) {
        try {
            var unused = requests.schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException closed) {
            // The executor is shut down, so there is nothing to read.
        }
    }

    private KubeDnsConfig parse(Map<String, String> data) {
        return KubeDnsConfig.parse(data, cluster.zones());
    }

    /** Reports an error once, although its cause is tried again. */
    private synchronized void reject(Exception invalid) {
        String message = "warning: the ConfigMap of kube-dns is not used, "
                + (isConfigured ? "the last valid one stays: " : "the defaults are: ") + invalid.getMessage();
        if (!message.equals(rejection)) {
            rejection = message;
            observer.get().setupError(SetupError.CONFIGMAP);
            err.println(message);
        }
    }

    /** Applies a change. Returns false, after a warning, if the name of a server cannot be resolved. */
    private synchronized boolean changed(Runnable change) {
        change.run();
        try {
            int before = forwarder == null ? 0 : forwarder.zones().size();
            apply();
            isConfigured = true;
            rejection = "";
            int after = forwarder == null ? 0 : forwarder.zones().size();
            if (before + after > 0) {
                err.println("note: the ConfigMap of kube-dns was read: " + after
                        + (after == 1 ? " zone is" : " zones are") + " forwarded");
            }
            return true;
        } catch (IOException unknownHost) {
            reject(unknownHost);
            return false;
        }
    }

    private void apply() throws IOException {
        federations =
                Map.copyOf(ofDirectory.federations().isEmpty() ? ofManifests.federations() : ofDirectory.federations());
        warnOfHiddenStubDomains();
        List<UpstreamZone> zones = zones();
        UpstreamForwarder running = forwarder;
        if (running != null) {
            if (!running.zones().equals(zones)) {
                running.replaceZones(zones);
                if (cache != null) {
                    cache.invalidateAll();
                }
            }
            return;
        }
        if (zones.isEmpty()) {
            return;
        }
        UpstreamForwarder.Builder builder = UpstreamForwarder.builder().observer(observer.get());
        zones.forEach(builder::zone);
        running = builder.start();
        forwarder = running;
        Forwarder answers = running.endingAtOtherZones();
        if (options.cacheSize > 0) {
            cache = AnswerCache.builder(answers)
                    .capacityBytes(options.cacheSize)
                    .keepAliases()
                    .observer(observer.get())
                    .build();
            observer.get().created(cache);
            answers = cache;
        }
        ResolverChain chain = withOthers(
                ForwardingResolver.builder(answers).failures(failures).build());
        Set<DnsLabels> fallthrough = options.fallthroughZones();
        try {
            chain = fallthrough.isEmpty() ? chain : chain.withFallthrough(fallthrough);
        } catch (IllegalArgumentException notServed) {
            throw options.usage("--fallthrough: " + notServed.getMessage());
        }
        current = probe.watching(autopath(chain, hostSearches(zones)));
    }

    /**
     * Returns the search domains of the options, otherwise the host's search domains that lie in a forwarded zone. Names in other
     * domains would be REFUSED, and expansions that try them would be SERVFAIL instead of NXDOMAIN.
     */
    private List<DnsLabels> hostSearches(List<UpstreamZone> zones) {
        if (!options.hostSearches.isEmpty()) {
            return options.hostSearches;
        }
        List<DnsLabels> searches = options.searchesOfHost.stream()
                .filter(domain -> zones.stream().map(UpstreamZone::name).anyMatch(domain::endsWith))
                .toList();
        if (!searches.isEmpty()) {
            err.println("note: the search domains of the nodes are those of " + options.resolvConf + ": " + searches);
        }
        return searches;
    }

    /** Warns once about each stub domain without effect, whose names belong to the zone of federated names. */
    private void warnOfHiddenStubDomains() {
        Set<DnsLabels> hidden = Stream.of(ofManifests, ofDirectory)
                .flatMap(config -> config.stubDomains().keySet().stream())
                .filter(federated.contains())
                .collect(Collectors.toCollection(LinkedHashSet::new));
        hidden.stream()
                .filter(domain -> !hiddenStubDomains.contains(domain))
                .forEach(domain -> err.println("warning: the ConfigMap of kube-dns, stubDomains: " + domain
                        + " lies in the zone of federated names, which go to the name servers of their federation alone; this "
                        + "stub domain has no effect"));
        hiddenStubDomains = hidden;
    }

    /**
     * Returns the forwarded zones. Servers of the ConfigMap take precedence over options, as they take precedence over the host's
     * in kube-dns.
     */
    private List<UpstreamZone> zones() throws IOException {
        List<UpstreamZone> zones = new ArrayList<>();
        if (!options.forward.isEmpty()) {
            zones.add(zone(DnsLabels.EMPTY, options.forward, UpstreamPolicy.RANDOM));
        } else if (options.kubeDnsConfig.isPresent()
                && ofManifests.upstreamNameservers().isEmpty()
                && ofDirectory.upstreamNameservers().isEmpty()) {
            zones.add(zone(DnsLabels.EMPTY, HostResolver.servers(options.resolvConf), UpstreamPolicy.SEQUENTIAL));
        }
        Map<DnsLabels, List<UpstreamServer>> stubs = new LinkedHashMap<>();
        for (StubDomain stub : options.stubDomains) {
            stubs.computeIfAbsent(stub.domain(), any -> new ArrayList<>()).addAll(stub.servers());
        }
        stubs.forEach((domain, servers) -> zones.add(zone(domain, servers, UpstreamPolicy.SEQUENTIAL)));
        return KubeDnsZones.over(KubeDnsZones.over(zones, ofManifests), ofDirectory);
    }

    private static UpstreamZone zone(DnsLabels name, List<UpstreamServer> servers, UpstreamPolicy policy) {
        UpstreamZone.Builder zone = UpstreamZone.builder(name).policy(policy);
        servers.forEach(zone::server);
        return zone.build();
    }

    private DnsResolver autopath(ResolverChain chain, List<DnsLabels> hostSearches) {
        DnsResolver names = KubeDnsFederations.builder(chain, cluster.zones().get(0))
                .federations(() -> federations)
                .readyServices(shards::hasReadyEndpoint)
                .topology(shards::topology)
                .build();
        Set<Mode> modes = options.modes();
        if (modes.isEmpty()) {
            return names;
        }
        AutopathResolver.Builder builder = AutopathResolver.builder(names, cluster.zones())
                .suffix(options.autopathSuffix)
                .hostSearches(hostSearches)
                .deadline(AUTOPATH_DEADLINE, timer)
                .observer(observer.get(), System::nanoTime);
        if (modes.contains(Mode.NAME)) {
            builder.byName();
        }
        if (modes.contains(Mode.OPTION)) {
            builder.optionCode(options.searchPathsCode());
            if (options.trust.isEmpty()) {
                builder.byOption();
            } else {
                builder.byOption(options.trust);
            }
        }
        if (modes.contains(Mode.POD)) {
            builder.byPod(namespaces);
        }
        try {
            return builder.build();
        } catch (IllegalArgumentException invalid) {
            throw options.usage("--autopath: " + invalid.getMessage());
        }
    }

    /**
     * Checks that no upstream server is this server.
     *
     * @param listening the addresses of this server
     * @throws IOException if an upstream server has one of these addresses
     */
    synchronized void requireOthers(List<InetSocketAddress> listening) throws IOException {
        UpstreamForwarder running = forwarder;
        if (running != null) {
            LoopProbe.requireOthers(running.zones(), listening);
        }
    }

    /**
     * Probes for upstream servers that forward to this server.
     *
     * @param found receives the message if a loop is found, on another thread
     */
    synchronized void probeForLoops(Consumer<String> found) {
        UpstreamForwarder running = forwarder;
        if (running == null) {
            return;
        }
        CompletableFuture<Void> unused = probe.looping(running).thenAccept(looping -> {
            if (!looping.isEmpty()) {
                observer.get().setupError(SetupError.LOOP);
                found.accept("the upstream servers forward to this server: " + looping);
            }
        });
    }

    @Override
    public synchronized void close() {
        timer.shutdownNow();
        requests.shutdownNow();
        UpstreamForwarder running = forwarder;
        if (running != null) {
            running.close();
        }
    }
}
