package io.k8sdns.cli;

import io.k8sdns.autopath.AutopathResolver;
import io.k8sdns.cli.ForwardingObserver.SetupError;
import io.k8sdns.cli.UpstreamOptions.Mode;
import io.k8sdns.federation.KubeDnsFederations;
import io.k8sdns.forward.AnswerCache;
import io.k8sdns.forward.LoopProbe;
import io.k8sdns.forward.UpstreamForwarder;
import io.k8sdns.forward.UpstreamServer;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.kubedns.KubeDnsConfig;
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
import io.k8sdns.upstream.Deadline;
import io.k8sdns.upstream.Forwarder;
import io.k8sdns.upstream.ForwardingResolver;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
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
    /**
     * The deadline of a question with all its aliases, with federated names: three attempts of two seconds, before the answer is this
     * cluster's own Service.
     */
    private static final Duration MAX_DURATION_OF_FEDERATED = Duration.ofMillis(5_900);

    /**
     * The deadline of an expansion, a little earlier: in the mode pod the client then receives the first answer, and continues with its
     * own search list.
     */
    private static final Duration AUTOPATH_DEADLINE = Duration.ofMillis(4_300);

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
    private final Deadline deadline;

    /**
     * Sends requests to the API server, reads the directory of the ConfigMap and looks up the names of servers, which all block; the
     * deadlines of the timer must not wait for them.
     */
    private final ScheduledExecutorService requests = TimerThreads.start("k8sdns-requests");

    /** The ConfigMap in the directory of the option. It takes precedence over the other source. */
    private final KubeDnsVersions directory;

    /** The ConfigMap of the manifests or the live cluster. */
    private final KubeDnsVersions objects;

    /** The servers of the host's resolv.conf; empty if they are not used. */
    private List<UpstreamServer> ofHost = List.of();

    /** The servers of the host's resolv.conf that were used last, kept while a ConfigMap names others. */
    private List<UpstreamServer> lastOfHost = List.of();

    private final RepeatedWarning hostWarning;
    private final RepeatedWarning hostLineWarning;

    /** The forward and reverse zones that this server answers. */
    private final List<DnsLabels> served;

    /** The warnings about stub domains of the ConfigMap without effect. */
    private Set<String> stubDomainWarnings = Set.of();

    /** The domains of the federations in the ConfigMap. */
    private volatile Map<String, DnsLabels> federations = Map.of();

    /** The addresses of this server, which must not be those of an upstream server. */
    private List<InetSocketAddress> ownAddresses = List.of();

    /** Whether {@link #start} has returned. */
    private boolean isStarted;

    /** Whether the objects are those of a live cluster. */
    private boolean isLive;

    /** Whether the objects have, or had, a ConfigMap, even an empty or invalid one. */
    private boolean hasConfigMap;

    private boolean isPolling;

    private boolean isClosed;

    /** Whether this server answers, so that a loop can be found. */
    private boolean isAnswering;

    private @Nullable UpstreamForwarder forwarder;
    private @Nullable AnswerCache cache;

    /** The resolver of all names, without search lists. */
    private ResolverChain chain;

    /** The search domains of the nodes that are in use. */
    private List<DnsLabels> hostSearches;

    private volatile DnsResolver current;

    /**
     * Creates a resolver that does not forward before {@link #start}.
     *
     * @param cluster resolves the names of the cluster
     * @param reverseZones the reverse zones of the cluster
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
            List<DnsLabels> reverseZones,
            Function<Client, Optional<String>> namespaces,
            LocalShards shards,
            FederatedNames federated,
            FailureObserver failures,
            Supplier<ForwardingObserver> observer,
            PrintWriter err) {
        this.options = options;
        this.cluster = cluster;
        this.served =
                Stream.concat(cluster.zones().stream(), reverseZones.stream()).toList();
        this.namespaces = namespaces;
        this.shards = shards;
        this.federated = federated;
        this.deadline = new Deadline(
                federated.equals(FederatedNames.NONE) ? Deadline.BEFORE_RETRY : MAX_DURATION_OF_FEDERATED, timer);
        this.failures = failures;
        this.observer = observer;
        this.err = err;
        this.directory = versions(options.kubeDnsConfig);
        this.objects = versions(Optional.empty());
        this.hostWarning = new RepeatedWarning(text -> warn(SetupError.RESOLV_CONF, text));
        this.hostLineWarning = new RepeatedWarning(text -> warn(SetupError.RESOLV_CONF, text));
        requireServed(options.fallthroughZones());
        this.chain = withOthers(REFUSING);
        this.hostSearches = options.hostSearches;
        this.current = limited(chain, hostSearches);
    }

    /** Checks the zones of {@code --fallthrough} even if names are forwarded only after a change of the ConfigMap. */
    private void requireServed(Set<DnsLabels> fallthrough) {
        try {
            var unused = cluster.withFallthrough(fallthrough);
        } catch (IllegalArgumentException notServed) {
            throw options.usage("--fallthrough: " + notServed.getMessage());
        }
    }

    /** Returns a resolver that expands names, has one deadline for a question with all its aliases, and detects loops. */
    private DnsResolver limited(ResolverChain chain, List<DnsLabels> hostSearches) {
        return probe.watching(deadline.limiting(autopath(chain, hostSearches), failures));
    }

    private KubeDnsVersions versions(Optional<Path> path) {
        return new KubeDnsVersions(
                data -> KubeDnsConfig.parse(data, cluster.zones()), path, text -> warn(SetupError.CONFIGMAP, text));
    }

    private void warn(SetupError kind, String text) {
        observer.get().setupError(kind);
        err.println(text);
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
        ResolverChain resolvers = cluster.withUpstream(all);
        return options.usesSuffix() ? resolvers.withoutForwarding(options.autopathSuffix()) : resolvers;
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
     * Starts to forward, and to watch the directory of the ConfigMap. A ConfigMap that cannot be used now is reported and tried again;
     * in the meantime only the options are used.
     *
     * @param listening the addresses of this server, which no upstream server may have
     * @throws IOException if a server of the options has a host name that cannot be looked up, or is this server, or if the servers of
     *     the resolv.conf that an option names are used and cannot be
     */
    synchronized void start(List<InetSocketAddress> listening) throws IOException {
        ownAddresses = List.copyOf(listening);
        options.stubDomains.stream()
                .map(StubDomain::domain)
                .distinct()
                .flatMap(domain -> withoutEffect(domain).stream())
                .forEach(problem -> err.println("warning: --stub-domain: " + problem));
        directory.poll();
        try {
            use(directory.latest(), objects.latest());
            if (!directory.isInUse() || !objects.isInUse()) {
                directory.use();
                objects.use();
                noteZones(0);
            }
        } catch (IOException unusable) {
            if (directory.isInUse() && objects.isInUse()) {
                throw unusable;
            }
            use(KubeDnsConfig.DEFAULTS, KubeDnsConfig.DEFAULTS);
            if (objects.isInUse()) {
                directory.reject(unusable);
            } else if (directory.isInUse()) {
                objects.reject(unusable);
            } else {
                retry();
            }
        }
        isStarted = true;
        pollIfNeeded();
    }

    /** Polls from now on if there is a directory, a version to try again, or a resolv.conf whose servers are used. */
    private void pollIfNeeded() {
        if (!isPolling
                && !isClosed
                && (directory.isDirectory() || !directory.isInUse() || !objects.isInUse() || usesHost())) {
            isPolling = true;
            var unused = requests.scheduleWithFixedDelay(
                    this::poll,
                    KubeDnsVersions.POLL_INTERVAL.toMillis(),
                    KubeDnsVersions.POLL_INTERVAL.toMillis(),
                    TimeUnit.MILLISECONDS);
        }
    }

    /** Reads the directory and the host's resolv.conf, and tries versions again that could not be used. */
    synchronized void poll() {
        if (isClosed) {
            return;
        }
        directory.poll();
        retry();
        if (usesHost()) {
            readHostServers();
        }
    }

    /** Returns whether the servers of the host's resolv.conf are used, or will be as soon as they can be. */
    private boolean usesHost() {
        return usesHost(directory.used(), objects.used());
    }

    private boolean usesHost(KubeDnsConfig ofDirectory, KubeDnsConfig ofObjects) {
        return ForwardedZones.usesHost(options, ofDirectory, ofObjects, isLive, hasConfigMap);
    }

    /** Uses the servers of the host's resolv.conf if they have changed. Keeps the last ones, if any, after a warning, if it cannot. */
    private void readHostServers() {
        try {
            List<UpstreamServer> read = hostServers();
            if (!read.equals(ofHost)) {
                boolean isFirst = ofHost.isEmpty();
                use(directory.used(), objects.used(), read);
                err.println(
                        isFirst
                                ? "note: other names are forwarded to the name servers of " + options.resolvConf()
                                : "note: the name servers of " + options.resolvConf() + " have changed");
                findLoopsIfAnswering();
            }
            hostWarning.clear();
        } catch (IOException | RuntimeException unusable) {
            warnOfHost(unusable);
        }
    }

    private List<UpstreamServer> hostServers() throws IOException {
        List<String> skipped = new ArrayList<>();
        List<UpstreamServer> read = HostResolver.servers(options.resolvConf(), skipped::add);
        hostLineWarning.reportAll(skipped);
        return read;
    }

    private void warnOfHost(Exception unusable) {
        hostWarning.report(
                ofHost.isEmpty()
                        ? "warning: the name servers of " + options.resolvConf()
                                + " are not used, other names are REFUSED: " + unusable.getMessage()
                        : HostResolver.unusable(options.resolvConf(), unusable));
    }

    private void retry() {
        changed(directory);
        changed(objects);
    }

    /**
     * Sets the data of the ConfigMap of the manifests or the live cluster; empty if there is none. Used from {@link #start} on. A
     * version that cannot be used now is reported and tried again: the name of a server cannot be resolved, or a server is this server.
     *
     * <p>With {@code --resolv-conf}, the servers of that file are used from the first ConfigMap on, while it has no servers for all
     * other names, is invalid or is deleted, as in kube-dns. If those servers cannot be used after the start, reports a warning, uses
     * the ConfigMap without them, and tries them again.
     */
    synchronized void kubeDnsData(Optional<Map<String, String>> data) {
        hasConfigMap |= data.isPresent();
        objects.read(data);
        if (!isStarted) {
            return;
        }
        changed(objects);
        // The data have changed nothing if they are invalid, or equal the defaults.
        if (!isClosed && usesHost() && ofHost.isEmpty()) {
            readHostServers();
        }
        pollIfNeeded();
    }

    /** Returns whether the objects have, or had, a ConfigMap, even an empty or invalid one. */
    synchronized boolean hasConfigMap() {
        return hasConfigMap;
    }

    /** Sets the data of the ConfigMap of a live cluster, as {@link #kubeDnsData}, but uses the host's servers without an option, too. */
    synchronized void liveKubeDnsData(Optional<Map<String, String>> data) {
        isLive = true;
        kubeDnsData(data);
    }

    /**
     * Starts to read the ConfigMap of a live cluster periodically.
     *
     * @param data see {@link KubeDnsPoll}
     */
    void follow(Callable<Optional<Map<String, String>>> data) {
        Predicate<Optional<Map<String, String>>> changed = read -> {
            liveKubeDnsData(read);
            // If it cannot be used now, this object tries it again.
            return true;
        };
        new KubeDnsPoll(data, changed, requests, err).start();
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

    /**
     * Applies the latest version of a source if it is not in use. If the name of a server cannot be resolved, or a server is this
     * server, reports a warning and changes nothing.
     */
    private void changed(KubeDnsVersions source) {
        if (isClosed || source.isInUse()) {
            return;
        }
        int before = forwarder == null ? 0 : forwarder.zones().size();
        try {
            use(
                    source == directory ? directory.latest() : directory.used(),
                    source == objects ? objects.latest() : objects.used());
        } catch (IOException | RuntimeException unusable) {
            source.reject(unusable);
            return;
        }
        source.use();
        noteZones(before);
        findLoopsIfAnswering();
    }

    private void noteZones(int before) {
        int after = forwarder == null ? 0 : forwarder.zones().size();
        if (before + after > 0) {
            err.println("note: the ConfigMap of kube-dns was read: " + after + (after == 1 ? " zone is" : " zones are")
                    + " forwarded");
        }
    }

    /** Applies the options and both ConfigMaps, as a whole: the host names of servers are looked up before anything is changed. */
    private void use(KubeDnsConfig ofDirectory, KubeDnsConfig ofObjects) throws IOException {
        if (!usesHost(ofDirectory, ofObjects)) {
            use(ofDirectory, ofObjects, List.of());
            hostWarning.clear();
        } else if (!ofHost.isEmpty()) {
            // The poll reads these servers again, so that the file cannot delay a change of a ConfigMap.
            use(ofDirectory, ofObjects, ofHost);
        } else {
            useWithHost(ofDirectory, ofObjects);
        }
    }

    /**
     * Also uses the servers of the host's resolv.conf. If only they are unusable, uses the last ones, if any, so that stub domains and
     * federations do not depend on that file. At the start that is an error if an option names the file.
     */
    private void useWithHost(KubeDnsConfig ofDirectory, KubeDnsConfig ofObjects) throws IOException {
        try {
            use(ofDirectory, ofObjects, hostServers());
            hostWarning.clear();
        } catch (IOException | RuntimeException unusable) {
            if (!isStarted && options.namesResolvConf()) {
                throw unusable;
            }
            use(ofDirectory, ofObjects, lastOfHost);
            warnOfHost(unusable);
        }
    }

    private void use(KubeDnsConfig ofDirectory, KubeDnsConfig ofObjects, List<UpstreamServer> servers)
            throws IOException {
        forward(ForwardedZones.of(options, ofDirectory, ofObjects, servers));
        ofHost = servers;
        if (!servers.isEmpty()) {
            lastOfHost = servers;
        }
        federations =
                Map.copyOf(ofDirectory.federations().isEmpty() ? ofObjects.federations() : ofDirectory.federations());
        warnOfStubDomains(ofDirectory, ofObjects);
    }

    private void forward(List<UpstreamZone> zones) throws IOException {
        UpstreamForwarder running = forwarder;
        if (running != null) {
            if (!running.zones().equals(zones)) {
                Predicate<DnsLabels> changed = running.replaceZones(zones);
                if (cache != null) {
                    cache.invalidate(changed);
                }
                List<DnsLabels> searches = hostSearches(zones);
                if (!searches.equals(hostSearches)) {
                    answer(chain, searches);
                }
            }
        } else if (!zones.isEmpty()) {
            startForwarder(zones);
        }
    }

    private void startForwarder(List<UpstreamZone> zones) throws IOException {
        UpstreamForwarder.Builder builder =
                UpstreamForwarder.builder().observer(observer.get()).findLoops(probe, this::loopsChanged);
        zones.forEach(builder::zone);
        UpstreamForwarder started = builder.start();
        try {
            started.requireOthers(ownAddresses);
            answerWith(started, zones);
        } catch (IOException | RuntimeException unusable) {
            started.close();
            throw unusable;
        }
        forwarder = started;
    }

    private void answerWith(UpstreamForwarder started, List<UpstreamZone> zones) {
        Forwarder answers = started.endingAtOtherZones();
        AnswerCache cached = null;
        if (options.cache.isEnabled()) {
            cached = options.cache
                    .apply(AnswerCache.builder(answers), timer)
                    .keepAliases()
                    .observer(observer.get())
                    .build();
            answers = cached;
        }
        ResolverChain resolvers = withOthers(
                ForwardingResolver.builder(answers).failures(failures).build());
        answer(resolvers.withFallthrough(options.fallthroughZones(), started::isForwarded), hostSearches(zones));
        if (cached != null) {
            cache = cached;
            observer.get().created(cached);
        }
    }

    private void answer(ResolverChain resolvers, List<DnsLabels> searches) {
        current = limited(resolvers, searches);
        if (options.hostSearches.isEmpty() && !searches.equals(hostSearches)) {
            err.println("note: the search domains of the nodes are those of " + options.resolvConf() + ": " + searches);
        }
        chain = resolvers;
        hostSearches = searches;
    }

    /**
     * Returns the search domains of the options, otherwise the host's search domains that lie in a forwarded zone. Names in other
     * domains would be REFUSED, and expansions that try them would be SERVFAIL instead of NXDOMAIN.
     */
    private List<DnsLabels> hostSearches(List<UpstreamZone> zones) {
        if (!options.hostSearches.isEmpty()) {
            return options.hostSearches;
        }
        return options.searchesOfHost.stream()
                .filter(domain -> zones.stream().map(UpstreamZone::name).anyMatch(domain::endsWith))
                .toList();
    }

    /** Warns once about each stub domain of the ConfigMaps without effect. */
    private void warnOfStubDomains(KubeDnsConfig ofDirectory, KubeDnsConfig ofObjects) {
        Set<String> warnings = Stream.of(ofObjects, ofDirectory)
                .flatMap(config -> config.stubDomains().keySet().stream())
                .flatMap(domain -> withoutEffect(domain).stream())
                .map(problem -> "warning: the ConfigMap of kube-dns, stubDomains: " + problem)
                .collect(Collectors.toCollection(LinkedHashSet::new));
        warnings.stream().filter(text -> !stubDomainWarnings.contains(text)).forEach(err::println);
        stubDomainWarnings = warnings;
    }

    /** Returns why a stub domain has no effect; empty if its names are forwarded to its servers. */
    private Optional<String> withoutEffect(DnsLabels domain) {
        if (federated.contains().test(domain)) {
            return Optional.of(domain
                    + " lies in the zone of federated names, which go to the name servers of their federation alone; this "
                    + "stub domain has no effect");
        }
        if (options.usesSuffix() && domain.endsWith(options.autopathSuffix())) {
            return Optional.of(domain + " lies in the autopath suffix " + options.autopathSuffix()
                    + ", which this server answers; this stub domain has no effect");
        }
        Set<DnsLabels> fallthrough = options.fallthroughZones();
        return served.stream()
                .filter(domain::endsWith)
                .max(Comparator.comparing(DnsLabels::count))
                .filter(zone -> !fallthrough.contains(zone))
                .map(zone -> domain + " lies in zone " + zone
                        + ", which this server answers; without --fallthrough " + zone
                        + " this stub domain has no effect");
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
                .suffix(options.autopathSuffix())
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
        if (options.findsPods()) {
            builder.byPod(namespaces);
        } else if (modes.contains(Mode.POD)) {
            builder.byPod(options.searchesOfFile);
        }
        try {
            return builder.build();
        } catch (IllegalArgumentException invalid) {
            throw options.usage("--autopath: " + invalid.getMessage());
        }
    }

    /**
     * Probes for upstream servers that forward to this server, now and after each change of the ConfigMap. A loop over servers of the
     * ConfigMap, or after a change, is reported as a warning, and the server continues.
     *
     * @param found receives the message if servers of the options are in a loop now, on another thread
     */
    synchronized void probeForLoops(Consumer<String> found) {
        isAnswering = true;
        findLoops(Optional.of(found));
    }

    private void findLoopsIfAnswering() {
        if (isAnswering) {
            findLoops(Optional.empty());
        }
    }

    private void findLoops(Optional<Consumer<String>> found) {
        UpstreamForwarder running = forwarder;
        if (running == null) {
            return;
        }
        Set<DnsLabels> ofConfigMap = new HashSet<>();
        for (KubeDnsConfig config : List.of(directory.used(), objects.used())) {
            ofConfigMap.addAll(config.stubDomains().keySet());
            if (!config.upstreamNameservers().isEmpty()) {
                ofConfigMap.add(DnsLabels.EMPTY);
            }
        }
        if (!ofHost.isEmpty() && isLive && options.kubeDnsConfig.isEmpty()) {
            ofConfigMap.add(DnsLabels.EMPTY);
        }
        CompletableFuture<Void> unused = probe.looping(running).thenAccept(looping -> {
            if (looping.isEmpty()) {
                return;
            }
            if (found.isPresent() && !ofConfigMap.containsAll(names(looping))) {
                observer.get().setupError(SetupError.LOOP);
                found.get().accept(loops(looping));
            } else {
                warnOfLoop(looping);
            }
        });
    }

    private void loopsChanged(List<UpstreamZone> looping) {
        if (looping.isEmpty()) {
            err.println("note: no upstream server forwards to this server any more");
        } else {
            warnOfLoop(looping);
        }
    }

    private void warnOfLoop(List<UpstreamZone> looping) {
        warn(SetupError.LOOP, "warning: " + loops(looping));
    }

    private static String loops(List<UpstreamZone> looping) {
        return "the upstream servers forward to this server: " + looping;
    }

    private static List<DnsLabels> names(List<UpstreamZone> zones) {
        return zones.stream().map(UpstreamZone::name).toList();
    }

    @Override
    public void close() {
        timer.shutdownNow();
        requests.shutdownNow();
        // A running lookup of host names holds the lock.
        synchronized (this) {
            isClosed = true;
            UpstreamForwarder running = forwarder;
            if (running != null) {
                running.close();
            }
        }
    }
}
