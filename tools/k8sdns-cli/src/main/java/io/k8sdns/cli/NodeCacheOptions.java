package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.option;
import static io.k8sdns.cli.CommandSpecs.optional;
import static io.k8sdns.cli.CommandSpecs.options;

import io.k8sdns.autopath.SearchPaths;
import io.k8sdns.forward.LoopProbe;
import io.k8sdns.forward.UpstreamServer;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.name.ClusterSearches;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.nodecache.NodeCache;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The options of {@code node-cache}. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class NodeCacheOptions {
    List<HostAndPort> listen = new ArrayList<>();
    List<NodeCacheZone> zoneUpstreams = new ArrayList<>();
    DnsLabels clusterDomain;
    DnsLabels autopathSuffix;
    List<DnsLabels> hostSearches = new ArrayList<>();
    String autopathFallback;
    private long searchPathsOption;
    private String searchPathsForm;
    Optional<Path> kubeDnsConfig;
    Optional<HostAndPort> metrics;
    Optional<Path> healthDir;
    long cacheSize;
    final LiveOptions live = new LiveOptions();
    final FederationIdentity federation = new FederationIdentity();
    private CommandSpec command;

    /** Declares the options. */
    void declare(CommandSpec command) {
        this.command = command;
        addOptions(
                command,
                HelpSections.OWN,
                options("--listen", HostAndPort.class, value -> listen = value)
                        .converters(ListenAddresses.CONVERTER)
                        .required(true)
                        .paramLabel("ADDR:PORT")
                        .description(
                                "Where to answer, UDP and TCP; repeatable, IPv6 in brackets, :PORT for all addresses, port 0 takes a "
                                        + "free one. An address that does not exist yet is bound when it does. Another node-cache of the same user may listen "
                                        + "there too, for upgrades."),
                options("--zone-upstream", NodeCacheZone.class, value -> zoneUpstreams = value)
                        .converters(Main.parsed(NodeCacheZone::parse))
                        .required(true)
                        .paramLabel("ZONE=SERVER[,SERVER]...[,tcp|udp|tls]")
                        .description(
                                "Forward the names of this zone ('.' is every other name) to these servers, and how; repeatable, the "
                                        + "longest zone wins. SERVER is HOST[:PORT], IPv6 in brackets, or tls://HOST[:PORT][#NAME]; the path of a "
                                        + "resolv.conf, with a slash first, stands for its name servers. Servers of "
                                        + "the cluster domain are queried over TCP by default, others over UDP, and over TCP when an answer "
                                        + "is truncated."),
                option("--cluster-domain", DnsLabels.class, value -> clusterDomain = value)
                        .converters(Main.parsed(DnsLabels::parseHostName))
                        .paramLabel("DOMAIN")
                        .defaultValue(ZoneKey.DEFAULT_ZONE)
                        .description("The cluster's domain (default: ${DEFAULT-VALUE})."),
                optional("--kube-dns-config", Path.class, value -> kubeDnsConfig = value)
                        .paramLabel("DIR")
                        .description("The ConfigMap of kube-dns as a directory with a file for each key (stubDomains, "
                                + "upstreamNameservers); it is watched, and replaces zones of --zone-upstream. A ConfigMap "
                                + "kube-system/kube-dns in a live cluster is used, too."),
                option("--cache-size", long.class, value -> cacheSize = value)
                        .paramLabel("BYTES")
                        .defaultValue("33554432")
                        .description(
                                "How much memory cached answers may take, 0 for none (default: ${DEFAULT-VALUE})."),
                optional("--metrics", HostAndPort.class, value -> metrics = value)
                        .converters(ListenAddresses.CONVERTER)
                        .paramLabel("HOST:PORT")
                        .description(
                                "Where to answer HTTP, :PORT for all addresses: /metrics for Prometheus (docs/node-cache.md), /health, "
                                        + "and /ready, which is 200 while every address is served, once every zone has been answered "
                                        + "(default: nowhere). A port that is "
                                        + "in use, as by the previous version during an upgrade, is tried again every second."),
                optional("--health-dir", Path.class, value -> healthDir = value)
                        .paramLabel("DIR")
                        .description(
                                "Keep the file alive in this directory while the cache runs, and the files health and ready "
                                        + "while /health and /ready are 200. Each is created again within a second, so that probes can delete them ('rm "
                                        + "DIR/ready'): an HTTP probe may reach another process during an upgrade "
                                        + "(default: nowhere)."));
        live.declareCluster(
                command,
                "A live cluster, whose names are answered from a watch of its objects instead of being forwarded:",
                "Follow the objects of the cluster that this file describes; needs permission to list and watch namespaces, "
                        + "services, endpointslices and pods, and to get the ConfigMap kube-system/kube-dns. Names are "
                        + "forwarded until all objects are listed.");
        addOptions(
                command,
                "Search lists (names BASE.search.NAMESPACE.DOMAIN.SUFFIX):",
                option("--autopath-suffix", DnsLabels.class, value -> autopathSuffix = value)
                        .converters(Main.parsed(DnsLabels::parseHostName))
                        .paramLabel("SUFFIX")
                        .defaultValue(ClusterSearches.AUTOPATH_SUFFIX)
                        .description(
                                "The suffix of names to be expanded; forwarded to the servers of the cluster domain "
                                        + "unless it has a --zone-upstream, but never to those of '.' (default: ${DEFAULT-VALUE})."),
                options("--autopath-host-search", DnsLabels.class, value -> hostSearches = value)
                        .converters(Main.parsed(DnsLabels::parseHostName))
                        .paramLabel("DOMAIN")
                        .description(
                                "A search domain of the node, after those of the cluster; repeatable (default: none)."),
                option("--autopath-fallback", String.class, value -> autopathFallback = value)
                        .paramLabel("local|none")
                        .defaultValue("local")
                        .description(
                                "What to do when the cluster DNS does not support the suffix: look the names up one by one (local), "
                                        + "or still forward the question (none; needs a --zone-upstream of the cluster domain "
                                        + "or the suffix) (default: ${DEFAULT-VALUE})."),
                option("--search-paths-option", long.class, value -> searchPathsOption = value)
                        .paramLabel("CODE")
                        .defaultValue(String.valueOf(SearchPaths.OPTION_CODE))
                        .description("The code of the EDNS option with the search list in forwarded questions "
                                + "(default: ${DEFAULT-VALUE})."),
                option("--search-paths-form", String.class, value -> searchPathsForm = value)
                        .paramLabel("text|version")
                        .defaultValue("text")
                        .description(
                                "The form of that option: the list itself, or the namespace and the domain, to which the server adds its "
                                        + "own host search domains (default: ${DEFAULT-VALUE})."));
        addOptions(command, "Federated names (docs/federation-stub-zones.md):", federation.options(command));
    }

    /**
     * Checks options that the parser cannot check.
     *
     * @throws ParameterException if an option is invalid
     */
    void check() {
        checkFederation();
        live.requireOneCluster();
        requireWord("--autopath-fallback", autopathFallback, "local", "none");
        requireWord("--search-paths-form", searchPathsForm, "text", "version");
        EdnsOptionCodes.problem("--search-paths-option", searchPathsOption).ifPresent(problem -> {
            throw usage(problem);
        });
        Set<DnsLabels> names = new HashSet<>();
        for (NodeCacheZone zone : zoneUpstreams) {
            if (!names.add(zone.name())) {
                throw usage("--zone-upstream given twice: " + zone.name() + ".");
            }
        }
        // A ConfigMap can have servers for the suffix, and with a live cluster the cache always expands names itself.
        boolean mayHaveServers = kubeDnsConfig.isPresent() || live.isChosen();
        if (!expandsLocally()
                && !mayHaveServers
                && withoutSuffixServers(names.stream()).isPresent()) {
            throw usage("--autopath-fallback none: "
                    + withoutSuffixServers(names.stream()).get());
        }
        NodeCache.Builder unused = builder();
    }

    /**
     * Returns a message if no zone has servers for the autopath suffix, so that its names are not forwarded: neither a zone of the suffix
     * nor one of the cluster domain other than the root.
     *
     * @param zones the names of the zones
     */
    Optional<String> withoutSuffixServers(Stream<DnsLabels> zones) {
        boolean hasServers = zones.anyMatch(
                zone -> zone.endsWith(autopathSuffix) || !zone.isEmpty() && clusterDomain.endsWith(zone));
        return hasServers
                ? Optional.empty()
                : Optional.of("no zone has servers for names below " + autopathSuffix + ".: "
                        + (expandsLocally() ? "they are expanded here" : "they do not exist")
                        + "; if the servers of . are the cluster DNS, add --zone-upstream " + clusterDomain
                        + "=SERVER or --zone-upstream " + autopathSuffix + "=SERVER");
    }

    /**
     * Returns a builder of the cache with all settings except the zones.
     *
     * @throws ParameterException if an option is invalid
     */
    NodeCache.Builder builder() {
        NodeCache.Builder builder = valid("--cluster-domain", () -> NodeCache.builder(clusterDomain));
        valid("--cache-size", () -> builder.cacheBytes(cacheSize));
        valid("--autopath-suffix", () -> builder.autopathSuffix(autopathSuffix));
        valid("--autopath-host-search", () -> builder.hostSearches(hostSearches));
        builder.optionCode((int) searchPathsOption);
        if (federation.isGiven()) {
            builder.sourceCluster(federation.zone(), federation.cluster(), federation.optionCode());
        }
        if (!expandsLocally()) {
            builder.withoutLocalExpansion();
        }
        return searchPathsForm.equals("version") ? builder.sendNamespace() : builder;
    }

    private NodeCache.Builder valid(String option, Supplier<NodeCache.Builder> set) {
        try {
            return set.get();
        } catch (IllegalArgumentException invalid) {
            throw usage(option + ": " + invalid.getMessage());
        }
    }

    private void checkFederation() {
        federation.check();
        if (!federation.isGiven()) {
            return;
        }
        federation.requireApart(clusterDomain, "--cluster-domain");
        federation.requireApart(autopathSuffix, "--autopath-suffix");
        if (federation.optionCode() == searchPathsOption) {
            throw usage("--source-cluster-option and --search-paths-option are both " + searchPathsOption);
        }
        if (zoneUpstreams.stream()
                .noneMatch(zone -> zone.name().equals(federation.zone().name()))) {
            throw usage("--cluster-name needs --zone-upstream " + federation.zone() + "=SERVER");
        }
    }

    private void requireWord(String option, String value, String one, String other) {
        if (!value.equals(one) && !value.equals(other)) {
            throw usage(option + ": '" + value + "' is neither " + one + " nor " + other);
        }
    }

    /** Returns whether this cache expands names if the cluster DNS does not support the suffix. */
    boolean expandsLocally() {
        return autopathFallback.equals("local");
    }

    /**
     * Returns the addresses to listen on.
     *
     * @throws IOException if a host name cannot be looked up
     * @throws ParameterException if an address is given twice
     */
    List<InetSocketAddress> addresses() throws IOException {
        return ListenAddresses.of(listen, this::usage);
    }

    /**
     * Returns the zones of {@code --zone-upstream} and, if one is for the cluster domain, that of the autopath suffix, and reads the
     * servers of zones from files. The default transport is TCP for the cluster domain, the suffix, zones below them, and every zone
     * with the same servers; otherwise UDP.
     *
     * @param skipped receives warnings about lines of files that are skipped, possibly several times
     * @throws IOException if a file cannot be read, or has no usable name server; the message contains the path
     */
    List<UpstreamZone> zones(Consumer<String> skipped) throws IOException {
        List<NodeCacheZone> read = readFiles(skipped);
        // The servers of the root are those of the node, not of the cluster.
        Optional<NodeCacheZone> cluster = read.stream()
                .filter(zone -> !zone.name().isEmpty())
                .filter(zone -> clusterDomain.endsWith(zone.name()))
                .max(Comparator.comparingInt(zone -> zone.name().count()));
        List<NodeCacheZone> zones = new ArrayList<>();
        for (NodeCacheZone zone : read) {
            boolean isCluster = zone.name().endsWith(clusterDomain)
                    || zone.name().endsWith(autopathSuffix)
                    || cluster.isPresent() && sameServers(zone, cluster.get());
            zones.add(isCluster ? zone.overTcpByDefault() : zone);
        }
        boolean suffixIsGiven = read.stream().anyMatch(zone -> zone.name().equals(autopathSuffix));
        if (!suffixIsGiven) {
            cluster.map(zone -> new NodeCacheZone(autopathSuffix, zone.servers(), zone.transport(), zone.file()))
                    .map(NodeCacheZone::overTcpByDefault)
                    .ifPresent(zones::add);
        }
        return zones.stream().map(NodeCacheZone::toUpstream).toList();
    }

    private List<NodeCacheZone> readFiles(Consumer<String> skipped) throws IOException {
        List<NodeCacheZone> read = new ArrayList<>();
        for (NodeCacheZone zone : zoneUpstreams) {
            read.add(zone.read(skipped));
        }
        return read;
    }

    /** Returns whether the servers of a zone are in a file. */
    boolean hasFiles() {
        return !files().isEmpty();
    }

    /** Returns the paths of the files with servers. */
    List<String> files() {
        return zoneUpstreams.stream()
                .flatMap(zone -> zone.file().stream())
                .distinct()
                .toList();
    }

    /**
     * Checks that no name server of a resolv.conf is this cache: after an installation, that of the node may name the cache.
     *
     * @param own the addresses that the cache listens on
     * @throws IOException if one is, or a file cannot be read; the message names the file and the server
     */
    void requireOtherNameServers(List<InetSocketAddress> own) throws IOException {
        // The zones are read again later, with the warnings about skipped lines.
        for (NodeCacheZone zone : readFiles(skipped -> {})) {
            if (zone.file().isPresent()) {
                try {
                    LoopProbe.requireOthers(List.of(zone.toUpstream()), own);
                } catch (IOException loop) {
                    throw new IOException("--zone-upstream: " + zone.file().get() + ": " + loop.getMessage(), loop);
                }
            }
        }
    }

    private static boolean sameServers(NodeCacheZone one, NodeCacheZone other) {
        return addresses(one).equals(addresses(other));
    }

    private static Set<InetSocketAddress> addresses(NodeCacheZone zone) {
        Set<InetSocketAddress> addresses = new HashSet<>();
        zone.servers().stream().map(UpstreamServer::address).forEach(addresses::add);
        return addresses;
    }

    /** Returns the exception for options that the parser accepts but that are invalid. */
    ParameterException usage(String text) {
        return new ParameterException(command.commandLine(), text);
    }
}
