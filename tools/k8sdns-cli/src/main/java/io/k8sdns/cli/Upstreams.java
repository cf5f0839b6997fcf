package io.k8sdns.cli;

import io.k8sdns.cli.ConfigMapSources.Configs;
import io.k8sdns.cli.ForwardingObserver.SetupError;
import io.k8sdns.forward.UpstreamServer;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DirectAnswers;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.FailureObserver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.timers.DelayedTask;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import picocli.CommandLine.ParameterException;

/**
 * The resolver of {@code serve}, which watches the ConfigMap of kube-dns and the host's resolv.conf, and replaces the upstream
 * servers when they change. {@link ForwardingChain} has the servers in use, {@link ConfigMapSources} the ConfigMaps, and {@link
 * HostServers} the servers of the resolv.conf.
 */
final class Upstreams implements DnsResolver, AutoCloseable {
    private final UpstreamOptions options;
    private final UpstreamReports reports;
    private final LocalShards shards;
    private final LoopReports loops;
    private final StubDomainWarnings stubDomains;
    private final ConfigMapSources sources;
    private final HostServers host;
    private final ForwardingChain chain;
    private final ScheduledExecutorService timer = TimerThreads.start("k8sdns-timer");

    /**
     * Sends requests to the API server, reads the directory of the ConfigMap and looks up the names of servers, which all block; the
     * deadlines of the timer must not wait for them.
     */
    private final ScheduledExecutorService requests = TimerThreads.start("k8sdns-requests");

    /** The domains of the federations in the ConfigMap. */
    private volatile Map<String, DnsLabels> federations = Map.of();

    /** The addresses of this server, which must not be those of an upstream server. */
    private List<InetSocketAddress> ownAddresses = List.of();

    /** Whether {@link #start} has returned. */
    private boolean isStarted;

    private boolean isPolling;

    private boolean isClosed;

    /**
     * Creates a resolver that does not forward before {@link #start}.
     *
     * @param failures receives the causes of SERVFAIL
     * @throws ParameterException if an option is invalid
     */
    Upstreams(UpstreamOptions options, LocalNames names, FailureObserver failures, UpstreamReports reports) {
        this.options = options;
        this.reports = reports;
        this.shards = names.shards();
        this.sources = new ConfigMapSources(
                options.kubeDnsConfig, names.cluster().zones(), text -> reports.warn(SetupError.CONFIGMAP, text));
        this.stubDomains = new StubDomainWarnings(options, names, reports);
        this.host = new HostServers(options.resolvConf(), reports);
        this.loops = new LoopReports("server", reports);
        FrontResolvers front = new FrontResolvers(options, names, reports, () -> federations, timer);
        this.chain = new ForwardingChain(options, names, failures, reports, loops, front, timer);
    }

    @Override
    public Resolution resolve(Question question, Client client) {
        return chain.resolve(question, client);
    }

    @Override
    public Optional<DirectAnswers> direct() {
        return chain.direct();
    }

    @Override
    public Optional<DirectAnswers> direct(Client client) {
        return chain.direct(client);
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
        stubDomains.reportOptions();
        sources.poll();
        List<KubeDnsVersions> changed = sources.changed();
        try {
            apply(sources.latest());
            if (!changed.isEmpty()) {
                sources.markUsed();
                noteZones(0);
            }
        } catch (IOException unusable) {
            if (changed.isEmpty()) {
                throw unusable;
            }
            apply(Configs.DEFAULTS);
            if (changed.size() == 1) {
                changed.get(0).reject(unusable);
            } else {
                applyChanged();
            }
        }
        isStarted = true;
        pollIfNeeded();
    }

    /** Polls from now on if there is a directory, a version to try again, or a resolv.conf whose servers are used. */
    private void pollIfNeeded() {
        if (!isPolling
                && !isClosed
                && (sources.hasDirectory() || !sources.changed().isEmpty() || usesHost())) {
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
        sources.poll();
        applyChanged();
        if (usesHost()) {
            readHostServers();
        }
    }

    /** Returns whether the servers of the host's resolv.conf are used, or will be as soon as they can be. */
    private boolean usesHost() {
        return usesHost(sources.used());
    }

    private boolean usesHost(Configs configs) {
        return ForwardedZones.usesHost(
                options, configs.ofDirectory(), configs.ofObjects(), sources.isLive(), sources.hasConfigMap());
    }

    /**
     * Uses the servers of the host's resolv.conf if they have changed. If they cannot be read or used, reports a warning and keeps the
     * servers in use.
     */
    private void readHostServers() {
        try {
            List<UpstreamServer> read = host.read();
            if (!read.equals(host.used())) {
                boolean isFirst = !host.areUsed();
                replace(sources.used(), read);
                reports.print(
                        isFirst
                                ? "note: other names are forwarded to the name servers of " + options.resolvConf()
                                : "note: the name servers of " + options.resolvConf() + " have changed");
                loops.findAgain();
            }
            host.clearWarning();
        } catch (IOException | RuntimeException unusable) {
            host.reject(unusable);
        }
    }

    /** Applies the latest versions that are not in use, one source after the other. */
    private void applyChanged() {
        sources.changed().forEach(this::applyLatest);
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
        sources.read(data);
        applyObjects();
    }

    /** Sets the data of the ConfigMap of a live cluster, as {@link #kubeDnsData}, but uses the host's servers without an option, too. */
    synchronized void liveKubeDnsData(Optional<Map<String, String>> data) {
        sources.readLive(data);
        applyObjects();
    }

    private void applyObjects() {
        if (!isStarted) {
            return;
        }
        applyLatest(sources.objects());
        // The data have changed nothing if they are invalid, or equal the defaults.
        if (!isClosed && usesHost() && !host.areUsed()) {
            readHostServers();
        }
        pollIfNeeded();
    }

    /** Returns whether the objects have, or had, a ConfigMap, even an empty or invalid one. */
    synchronized boolean hasConfigMap() {
        return sources.hasConfigMap();
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
        new KubeDnsPoll(data, changed, requests, reports.err()).start();
    }

    /**
     * Starts to read the location of the cluster while there are federations, whose names contain it.
     *
     * @param topology see {@link TopologyFollower}
     */
    void followTopology(Callable<Optional<DnsLabels>> topology) {
        TopologyFollower follower =
                new TopologyFollower(topology, () -> !federations.isEmpty(), shards, this::after, reports.err());
        requests.execute(follower::read);
    }

    private void after(Duration delay, Runnable task) {
        DelayedTask unused = DelayedTask.schedule(requests, delay, task);
    }

    /**
     * Applies the latest version of a source if it is not in use. If the name of a server cannot be resolved, or a server is this
     * server, reports a warning and changes nothing.
     */
    private void applyLatest(KubeDnsVersions source) {
        if (isClosed || source.isInUse()) {
            return;
        }
        int before = chain.zoneCount();
        try {
            apply(sources.usedWithLatest(source));
        } catch (IOException | RuntimeException unusable) {
            source.reject(unusable);
            return;
        }
        source.markUsed();
        noteZones(before);
        loops.findAgain();
    }

    private void noteZones(int before) {
        int after = chain.zoneCount();
        if (before + after > 0) {
            reports.print("note: the ConfigMap of kube-dns was read: " + after
                    + (after == 1 ? " zone is" : " zones are") + " forwarded");
        }
    }

    /** Applies the options and both ConfigMaps, as a whole: the host names of servers are looked up before anything is changed. */
    private void apply(Configs configs) throws IOException {
        if (!usesHost(configs)) {
            replace(configs, List.of());
            host.clearWarning();
        } else if (host.areUsed()) {
            // The poll reads these servers again, so that the file cannot delay a change of a ConfigMap.
            replace(configs, host.used());
        } else {
            applyWithHost(configs);
        }
    }

    /**
     * Also uses the servers of the host's resolv.conf. If only they are unusable, uses the last ones, if any, so that stub domains and
     * federations do not depend on that file. At the start that is an error if an option names the file.
     */
    private void applyWithHost(Configs configs) throws IOException {
        try {
            replace(configs, host.read());
            host.clearWarning();
        } catch (IOException | RuntimeException unusable) {
            if (!isStarted && options.namesResolvConf()) {
                throw unusable;
            }
            replace(configs, host.last());
            host.reject(unusable);
        }
    }

    /** Replaces the zones, the host's servers and the federations in use; changes nothing if the zones cannot be used. */
    private void replace(Configs configs, List<UpstreamServer> ofHost) throws IOException {
        chain.forward(ForwardedZones.of(options, configs.ofDirectory(), configs.ofObjects(), ofHost), ownAddresses);
        host.markUsed(ofHost);
        federations = Map.copyOf(configs.federations());
        stubDomains.report(configs.ofDirectory(), configs.ofObjects());
    }

    /**
     * Probes for upstream servers that forward to this server, now and after each change of the ConfigMap. A loop over servers of the
     * ConfigMap, or after a change, is reported as a warning, and the server continues.
     *
     * @param found receives the message if servers of the options are in a loop now, on another thread
     */
    synchronized void probeForLoops(Consumer<String> found) {
        loops.start(chain::findLoops, ofConfigMap(), found);
    }

    /** Returns the zones whose servers are those of a ConfigMap, or of the host because of a ConfigMap in a live cluster. */
    private Set<DnsLabels> ofConfigMap() {
        Set<DnsLabels> zones = new HashSet<>(sources.used().zones());
        if (host.areUsed() && sources.isLive() && options.kubeDnsConfig.isEmpty()) {
            zones.add(DnsLabels.EMPTY);
        }
        return zones;
    }

    @Override
    public void close() {
        timer.shutdownNow();
        requests.shutdownNow();
        // A running lookup of host names holds the lock.
        synchronized (this) {
            isClosed = true;
            chain.close();
        }
    }
}
