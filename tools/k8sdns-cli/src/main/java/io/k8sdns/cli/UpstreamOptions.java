package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.option;
import static io.k8sdns.cli.CommandSpecs.optional;
import static io.k8sdns.cli.CommandSpecs.options;

import io.k8sdns.autopath.SearchPaths;
import io.k8sdns.forward.UpstreamPolicy;
import io.k8sdns.forward.UpstreamServer;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.name.ClusterSearches;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.ReverseZone;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The options of {@code serve} for names outside the cluster: forwarding and search lists. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class UpstreamOptions {
    private static final String TLS_SCHEME = "tls://";

    private static final String HEADING = "Names outside the cluster (REFUSED by default):";

    List<UpstreamServer> forward = new ArrayList<>();
    Optional<UpstreamPolicy> forwardPolicy;
    List<StubDomain> stubDomains = new ArrayList<>();
    List<String> fallthrough = new ArrayList<>();
    Optional<Path> kubeDnsConfig;

    /** The host's resolv.conf; empty if the default is used. */
    private Optional<String> resolvConf;

    final CacheOptions cache = new CacheOptions();
    String autopath;
    private Optional<String> searchFile;
    private Optional<DnsLabels> autopathSuffix;
    List<DnsLabels> hostSearches = new ArrayList<>();
    List<IpNetwork> trust = new ArrayList<>();
    long searchPathsOption;

    /** The search domains of the host, without those of the cluster; empty if an option sets search domains. */
    List<DnsLabels> searchesOfHost = List.of();

    /** The search list of all clients in the mode pod; empty if each has that of its Pod's namespace. */
    List<DnsLabels> searchesOfFile = List.of();

    private final String defaultResolvConf;
    private CommandSpec command;

    UpstreamOptions() {
        this("/etc/resolv.conf");
    }

    UpstreamOptions(String defaultResolvConf) {
        this.defaultResolvConf = defaultResolvConf;
    }

    /** The questions that are expanded. */
    enum Mode {
        NAME,
        OPTION,
        POD
    }

    /** Declares the options. */
    void declare(CommandSpec command) {
        this.command = command;
        addOptions(
                command,
                HEADING,
                options("--forward", UpstreamServer.class, value -> forward = value)
                        .converters(Main.parsed(UpstreamOptions::server))
                        .paramLabel("SERVER")
                        .description("Forward other names to this DNS server: HOST[:PORT], IPv6 in brackets, or "
                                + "tls://HOST[:PORT][#NAME] for DNS over TLS; repeatable, see --forward-policy."),
                optional("--forward-policy", UpstreamPolicy.class, value -> forwardPolicy = value)
                        .paramLabel("random|round-robin|sequential")
                        .description(
                                "The order in which the servers of --forward are queried: random: in a random order; round-robin: each "
                                        + "query starts with the next one; sequential: later ones only if earlier ones fail (default: "
                                        + "random)."),
                options("--stub-domain", StubDomain.class, value -> stubDomains = value)
                        .converters(Main.parsed(StubDomain::parse))
                        .paramLabel("DOMAIN=SERVER[,SERVER]...")
                        .description(
                                "Forward the names of this domain to these servers instead, in this order; repeatable, the longest "
                                        + "domain wins."),
                options("--fallthrough", String.class, value -> fallthrough = value)
                        .paramLabel("ZONE")
                        .description(
                                "Forward names that do not exist in this zone of the cluster, too; a zone's name or, for a reverse "
                                        + "zone, its CIDR; repeatable."),
                optional("--kube-dns-config", Path.class, value -> kubeDnsConfig = value)
                        .paramLabel("DIR")
                        .description(
                                "The ConfigMap of kube-dns as a directory with a file for each key (stubDomains, "
                                        + "upstreamNameservers); it is followed. Without upstreamNameservers and --forward the servers of "
                                        + "the host's resolv.conf are used. A ConfigMap kube-system/kube-dns in the live cluster is used "
                                        + "in the same way, and the host's servers stay in use if it is deleted. One among the manifests "
                                        + "uses the host's servers only with --resolv-conf; otherwise other names stay REFUSED."),
                optional("--resolv-conf", String.class, value -> resolvConf = value)
                        .paramLabel("FILE")
                        .description("The host's resolv.conf, for the ConfigMap of kube-dns and --autopath (default: "
                                + defaultResolvConf + ")."));
        cache.declare(command, HEADING);
        addOptions(
                command,
                HEADING,
                option("--autopath", String.class, value -> autopath = value)
                        .paramLabel("name,option,pod|off")
                        .defaultValue("off")
                        .description(
                                "Expand the search list of Pods in this server: for names below the suffix (name), for queries with the EDNS "
                                        + "option SearchPaths (option), for Pods known by their address (pod) (default: ${DEFAULT-VALUE})."),
                optional("--autopath-suffix", DnsLabels.class, value -> autopathSuffix = value)
                        .converters(Main.parsed(DnsLabels::parseHostName))
                        .paramLabel("DOMAIN")
                        .description("The suffix of names to be expanded, with name or option (default: "
                                + ClusterSearches.AUTOPATH_SUFFIX + ")."),
                optional("--autopath-search-file", String.class, value -> searchFile = value)
                        .paramLabel("FILE")
                        .description(
                                "With --autopath pod, the search list of all clients, in place of that of their Pods: the search "
                                        + "domains of this file in the format of resolv.conf. Names below the first one are expanded. "
                                        + "Only for a server whose clients all have this list."),
                options("--autopath-host-search", DnsLabels.class, value -> hostSearches = value)
                        .converters(Main.parsed(DnsLabels::parseHostName))
                        .paramLabel("DOMAIN")
                        .description(
                                "A search domain of the nodes, after those of the cluster; repeatable (default: those of "
                                        + "--resolv-conf that are forwarded, without the cluster's own)."),
                options("--autopath-trust", IpNetwork.class, value -> trust = value)
                        .paramLabel("CIDR")
                        .description(
                                "Clients whose SearchPaths option is used; repeatable (default: 127.0.0.0/8 and ::1/128)."),
                option("--search-paths-option", long.class, value -> searchPathsOption = value)
                        .paramLabel("CODE")
                        .defaultValue(String.valueOf(SearchPaths.OPTION_CODE))
                        .description("The code of that option (default: ${DEFAULT-VALUE})."));
    }

    /**
     * Parses a server of an option, as {@link UpstreamServer#parse} but without IPv6 addresses that have no brackets: the last group of
     * {@code ::1:53} looks like a port.
     *
     * @throws IllegalArgumentException if the text is invalid; the message contains the reason
     */
    static UpstreamServer server(String text) {
        String tls = text.startsWith(TLS_SCHEME) ? TLS_SCHEME : "";
        int hash = text.indexOf('#');
        String name = hash < 0 ? "" : text.substring(hash);
        String host = text.substring(tls.length(), text.length() - name.length());
        if (IpAddress.tryParse(host).filter(ip -> !ip.isIpv4()).isPresent()) {
            int colon = host.lastIndexOf(':');
            String withPort = IpAddress.tryParse(host.substring(0, colon)).isPresent()
                            && host.substring(colon + 1).chars().allMatch(Character::isDigit)
                    ? ", or " + tls + "[" + host.substring(0, colon) + "]" + host.substring(colon) + name
                            + " with a port"
                    : "";
            throw new IllegalArgumentException("an IPv6 address needs brackets: '" + text + "'; write " + tls + "["
                    + host + "]" + name + withPort);
        }
        return UpstreamServer.parse(text);
    }

    /**
     * Checks that {@code --fallthrough} has an effect.
     *
     * @param canHaveConfigMap whether there is a ConfigMap of kube-dns among the objects of the cluster, or one can be added later
     * @throws ParameterException if neither the options nor the ConfigMap can name servers
     */
    void checkFallthrough(boolean canHaveConfigMap) {
        if (!fallthrough.isEmpty()
                && !canHaveConfigMap
                && forward.isEmpty()
                && stubDomains.isEmpty()
                && kubeDnsConfig.isEmpty()) {
            throw usage("--fallthrough needs --forward, --stub-domain, --kube-dns-config, or a ConfigMap of kube-dns "
                    + "among the objects");
        }
    }

    /**
     * Returns the questions that are expanded.
     *
     * @throws ParameterException if the option has another value
     */
    Set<Mode> modes() {
        Set<Mode> modes = EnumSet.noneOf(Mode.class);
        if (autopath.equals("off")) {
            return modes;
        }
        for (String word : autopath.split(",", -1)) {
            try {
                modes.add(Mode.valueOf(word.toUpperCase(Locale.ROOT)));
            } catch (IllegalArgumentException unknown) {
                throw usage(
                        word.equals("off")
                                ? "--autopath: 'off' cannot be combined with other values"
                                : "--autopath: unknown value '" + word + "'; use one of name, option, pod, off");
            }
        }
        return modes;
    }

    /** Returns the path of the host's resolv.conf. */
    String resolvConf() {
        return resolvConf.orElse(defaultResolvConf);
    }

    /** Returns whether an option names the host's resolv.conf. */
    boolean namesResolvConf() {
        return resolvConf.isPresent();
    }

    /** Returns the suffix of names to be expanded. */
    DnsLabels autopathSuffix() {
        return autopathSuffix.orElseGet(() -> DnsLabels.parse(ClusterSearches.AUTOPATH_SUFFIX));
    }

    /** Returns whether names below the suffix are expanded. */
    boolean usesSuffix() {
        Set<Mode> modes = modes();
        return modes.contains(Mode.NAME) || modes.contains(Mode.OPTION);
    }

    /**
     * Returns the code of the SearchPaths option.
     *
     * @throws ParameterException if it is not a code that users may choose
     */
    int searchPathsCode() {
        EdnsOptionCodes.problem("--search-paths-option", searchPathsOption).ifPresent(problem -> {
            throw usage(problem);
        });
        return (int) searchPathsOption;
    }

    /**
     * Returns the zones whose missing names are forwarded.
     *
     * @throws ParameterException if a text is neither the name of a zone nor a network
     */
    Set<DnsLabels> fallthroughZones() {
        Set<DnsLabels> zones = new LinkedHashSet<>();
        for (String text : fallthrough) {
            try {
                if (text.indexOf('/') >= 0) {
                    ReverseZone.parse(text).forEach(zone -> zones.add(zone.name()));
                } else {
                    zones.add(DnsLabels.parse(text));
                }
            } catch (IllegalArgumentException invalid) {
                throw usage("--fallthrough: " + invalid.getMessage());
            }
        }
        return zones;
    }

    /**
     * Checks options that the parser cannot check.
     *
     * @param served the zones of the cluster
     * @throws ParameterException if an option is invalid
     */
    void check(List<DnsLabels> served) {
        cache.check(this::usage);
        if (forwardPolicy.isPresent() && forward.isEmpty()) {
            throw usage(
                    "--forward-policy needs --forward; the servers of stub domains, of a ConfigMap and of the host's "
                            + "resolv.conf are queried in order");
        }
        for (StubDomain stub : stubDomains) {
            served.stream().filter(stub.domain()::endsWith).findFirst().ifPresent(zone -> {
                throw usage("--stub-domain: " + stub.domain() + " lies in zone " + zone + ", which is served here");
            });
        }
        Set<Mode> modes = modes();
        int unused = searchPathsCode();
        if (!trust.isEmpty() && !modes.contains(Mode.OPTION)) {
            throw usage("--autopath-trust needs --autopath option");
        }
        if (searchFile.isPresent() && !modes.contains(Mode.POD)) {
            throw usage("--autopath-search-file needs --autopath pod");
        }
        if (autopathSuffix.isPresent() && !usesSuffix()) {
            throw usage("--autopath-suffix needs --autopath name or option");
        }
        if (!hostSearches.isEmpty() && modes.isEmpty()) {
            throw usage("--autopath-host-search needs --autopath");
        }
        if (!hostSearches.isEmpty() && !usesHostSearches()) {
            throw usage(
                    "--autopath-host-search has no effect, because --autopath-search-file has the whole search list");
        }
        if (hostSearches.size() > SearchPaths.MAX_PATHS) {
            throw usage("--autopath-host-search: " + hostSearches.size() + " search domains, at most "
                    + SearchPaths.MAX_PATHS + " are allowed");
        }
    }

    /** Returns whether names are expanded by the namespaces of Pods, which must be known by their addresses. */
    boolean findsPods() {
        return modes().contains(Mode.POD) && searchFile.isEmpty();
    }

    /** Returns whether a mode adds the search domains of the host to those of the cluster. */
    private boolean usesHostSearches() {
        Set<Mode> modes = modes();
        return !modes.isEmpty() && (searchFile.isEmpty() || !modes.equals(EnumSet.of(Mode.POD)));
    }

    /**
     * Reads the search domains of {@code --autopath-search-file}, and those of the host if they are used and no option sets them.
     * Ignores the host's domains of the cluster, which are in the resolv.conf of a Pod, and a missing file at the default path.
     *
     * @param served the zones of the cluster
     * @param messages receives a message if the file at the default path cannot be read
     * @throws IOException if a file at another path cannot be read or, for {@code --autopath-search-file}, has no search domain or
     *     too many; the message contains the path
     */
    void readSearches(List<DnsLabels> served, Consumer<String> messages) throws IOException {
        if (searchFile.isPresent()) {
            searchesOfFile = HostResolver.searches(searchFile.get());
            if (searchesOfFile.isEmpty() || searchesOfFile.size() > SearchPaths.MAX_PATHS) {
                throw new IOException(searchFile.get() + ": " + searchesOfFile.size()
                        + " search domains; --autopath-search-file takes 1 to " + SearchPaths.MAX_PATHS);
            }
        }
        if (!usesHostSearches() || !hostSearches.isEmpty()) {
            return;
        }
        try {
            searchesOfHost = HostResolver.searches(resolvConf()).stream()
                    .filter(domain -> served.stream().noneMatch(domain::endsWith))
                    .filter(domain -> !usesSuffix() || !domain.endsWith(autopathSuffix()))
                    .limit(SearchPaths.MAX_PATHS)
                    .toList();
        } catch (IOException unreadable) {
            if (namesResolvConf()) {
                throw unreadable;
            }
            messages.accept("note: " + resolvConf() + " cannot be read, so no search domains of the nodes are known; "
                    + "--autopath-host-search names them");
        }
    }

    /** Returns the exception for options that the parser accepts but that are invalid. */
    ParameterException usage(String text) {
        return new ParameterException(command.commandLine(), text);
    }
}
