package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.flag;
import static io.k8sdns.cli.CommandSpecs.option;
import static io.k8sdns.cli.CommandSpecs.optional;
import static io.k8sdns.cli.CommandSpecs.options;

import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.manifest.ManifestResult;
import io.k8sdns.manifest.ManifestSource;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.sockets.DnsServer;
import io.k8sdns.sockets.UdpMode;
import io.k8sdns.wire.DnsResponder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** The options of {@code serve}. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class ServeOptions {
    private @Nullable String config;
    private List<HostAndPort> listen;
    private UdpMode udp;
    private Optional<Integer> udpThreads;
    private Optional<Long> staleLimit;
    private boolean watch;
    boolean explainErrors;
    Optional<HostAndPort> metrics;
    final UpstreamOptions upstream = new UpstreamOptions();
    final FederationOptions federation = new FederationOptions();
    final LiveOptions live = new LiveOptions();
    final ClusterOptions cluster = new ClusterOptions();
    private final ManifestArguments manifests = new ManifestArguments();
    private CommandSpec command;

    /** Declares the options. */
    void declare(CommandSpec command) {
        this.command = command;
        manifests.declare(command);
        addOptions(
                command,
                HelpSections.OWN,
                option("--config", String.class, value -> config = value)
                        .paramLabel("FILE")
                        .description(
                                "Read options from this YAML file, - for standard input. Its keys are the long names of "
                                        + "options without dashes, filename for the manifests; an option that can be repeated has a "
                                        + "list. Options on the command line replace those of the file, and some that they exclude: "
                                        + "-f replaces live, for example (docs/command.md)."),
                options("--listen", HostAndPort.class, value -> listen = value)
                        .converters(ListenAddresses.CONVERTER)
                        .paramLabel("HOST:PORT")
                        .defaultValue("127.0.0.1:1053")
                        .description(
                                "Where to answer, UDP and TCP; repeatable, IPv6 in brackets, :PORT for all addresses, port 0 takes a free one "
                                        + "(default: ${DEFAULT-VALUE})."),
                option("--udp", UdpMode.class, value -> udp = value)
                        .paramLabel("auto|batched|plain")
                        .defaultValue("auto")
                        .description(
                                "How datagrams are received and sent: batched is many with one system call, on Linux (x86-64, "
                                        + "aarch64) with JDK 22 or later (and built there); plain is one by one; auto is batched if available "
                                        + "(default: ${DEFAULT-VALUE})."),
                optional("--udp-threads", Integer.class, value -> udpThreads = value)
                        .paramLabel("NUMBER")
                        .description(
                                "Threads that answer UDP at each address, 1 to 1024; on Linux only, and for a wildcard only "
                                        + "when batched (default: one per processor)."),
                optional("--stale-limit", Long.class, value -> staleLimit = value)
                        .paramLabel("SECONDS")
                        .description("Answer SERVFAIL while the API server has been unavailable for longer than "
                                + "this, instead of stale records (default: never)."),
                flag("--watch", value -> watch = value)
                        .names("-w", "--watch")
                        .description("Watch the manifests, and serve changes immediately. A file that can no longer be "
                                + "parsed keeps its last objects; the objects of a missing file are removed."),
                flag("--explain-errors", value -> explainErrors = value)
                        .description(
                                "Send the reason of NXDOMAIN and NODATA from the zones of the cluster as an extended error "
                                        + "(EDE 0, RFC 8914) to clients with EDNS, for example dig: the cause that k8sdns explain prints "
                                        + "first. All objects stay in memory, those of a live cluster with all Pods; at most "
                                        + ExplainedErrors.PER_SECOND
                                        + " reasons a second are found, and answers are slower."),
                optional("--metrics", HostAndPort.class, value -> metrics = value)
                        .converters(ListenAddresses.CONVERTER)
                        .paramLabel("HOST:PORT")
                        .description(
                                "Where to answer HTTP, :PORT for all addresses: /metrics for Prometheus (docs/metrics.md), /health, "
                                        + "and /ready, which is 200 once all objects are listed (default: nowhere)."));
        upstream.declare(command);
        federation.declare(command);
        live.declareOfServer(command);
        cluster.declare(command);
        manifests.declarePositional(command);
    }

    /**
     * Reads the file of {@code --config}, if any.
     *
     * @throws IOException if the file cannot be read
     * @throws ParameterException if an option is invalid
     */
    void readConfig() throws IOException {
        if (config != null) {
            readConfig(config);
        }
    }

    /**
     * Checks the source of the objects, after the options of a file were read.
     *
     * @throws ParameterException if there is no source, or more than one, or it cannot be watched
     */
    void checkSources() {
        live.requireOneSource(manifests.all());
        if (watch && live.isChosen()) {
            throw usage("--watch is for manifests; a live cluster is watched anyway");
        }
        if (watch && manifests.all().contains("-")) {
            throw usage("--watch: standard input cannot be watched");
        }
    }

    /** Parses the options again, those of a file before those of the command line. */
    private void readConfig(String file) throws IOException {
        CommandLine parser = command.commandLine();
        ParseResult given = parser.getParseResult();
        Set<String> winning = given.matchedOptions().stream()
                .map(OptionSpec::longestName)
                .collect(Collectors.toCollection(HashSet::new));
        if (!given.matchedPositionals().isEmpty()) {
            winning.add("--filename");
        }
        Set.copyOf(winning).forEach(option -> winning.addAll(ReplacedOptions.by(option)));
        ConfigFile read;
        try {
            read = ConfigFile.read(file, command, Set.of("--config", "--help", "--version"));
        } catch (IllegalArgumentException invalid) {
            throw usage(String.valueOf(invalid.getMessage()));
        }
        List<String> arguments = new ArrayList<>(read.argumentsWithout(winning));
        arguments.addAll(given.expandedArgs());
        try {
            parser.parseArgs(arguments.toArray(String[]::new));
        } catch (ParameterException wrong) {
            String location =
                    wrong.getArgSpec() instanceof OptionSpec option ? read.location(option.longestName()) : "";
            throw usage(location + wrong.getMessage());
        }
        ProgramOptions.apply(parser.getParseResult());
        if (manifests.all().contains("-") && file.equals("-")) {
            throw usage("standard input (-) can be one input only");
        }
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
     * Returns the rules of the records.
     *
     * @param addresses the addresses to listen on
     */
    RecordRules rules(List<InetSocketAddress> addresses) {
        return new RecordRules(cluster.settings(ListenAddresses.nameServers(addresses)));
    }

    /**
     * Returns how long stale records are served; empty for no limit.
     *
     * @throws ParameterException if the option has no effect, or is negative
     */
    Optional<Duration> staleLimit() {
        if (staleLimit.isPresent() && (!live.isChosen() || staleLimit.get() < 0)) {
            throw usage(
                    live.isChosen()
                            ? "--stale-limit: not a number of seconds: " + staleLimit.get()
                            : "--stale-limit is for a live cluster");
        }
        return staleLimit.map(Duration::ofSeconds);
    }

    /**
     * Returns the builder of the server.
     *
     * @throws ParameterException if the number of threads is invalid
     */
    DnsServer.Builder server(List<InetSocketAddress> addresses, DnsResponder responder) {
        DnsServer.Builder server = DnsServer.builder(addresses, responder).udpMode(udp);
        try {
            udpThreads.ifPresent(server::udpThreads);
        } catch (IllegalArgumentException invalid) {
            throw usage("--udp-threads: " + invalid.getMessage());
        }
        return server;
    }

    /** Returns whether the objects can change after the start. */
    boolean canChange() {
        return live.isChosen() || watch;
    }

    /** Prints messages about options: with the report on the manifests, or now, for a live cluster. */
    void report(List<String> messages) {
        if (live.isChosen()) {
            messages.forEach(command.commandLine().getErr()::println);
        } else {
            cluster.addToReport(messages);
        }
    }

    /**
     * Returns the source of the objects.
     *
     * @param observer observes the source
     * @throws IOException if the manifests, or the file that describes the cluster, cannot be read
     */
    ClusterSource source(RecordRules rules, ClusterObserver observer) throws IOException {
        if (live.isChosen()) {
            // Explanations name the Pods that a selector matches, also where no record depends on Pods.
            return LiveCluster.source(live, cluster, rules.settings(), upstream.findsPods() || explainErrors, observer);
        }
        if (watch) {
            return cluster.watched(manifests.all(), rules);
        }
        ManifestResult read = cluster.manifests(manifests.all(), cluster.reading.asIs, rules);
        cluster.requireObject(manifests.all(), read);
        return ManifestSource.of(read);
    }

    /** Returns the exception for options that the parser accepts but that are invalid. */
    private ParameterException usage(String text) {
        return new ParameterException(command.commandLine(), text);
    }
}
