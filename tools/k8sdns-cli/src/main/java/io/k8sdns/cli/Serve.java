package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.exitCodes;
import static io.k8sdns.cli.CommandSpecs.flag;
import static io.k8sdns.cli.CommandSpecs.option;
import static io.k8sdns.cli.CommandSpecs.optional;
import static io.k8sdns.cli.CommandSpecs.options;

import io.k8sdns.autopath.PodNamespaces;
import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.manifest.ManifestSource;
import io.k8sdns.records.PodsMode;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.sockets.DnsServer;
import io.k8sdns.sockets.FailureLog;
import io.k8sdns.sockets.UdpMode;
import io.k8sdns.sockets.UdpTransport;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneFeed;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** The command {@code k8sdns serve}: runs a DNS server until it is stopped. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class Serve implements Callable<Integer> {
    private @Nullable String config;
    private List<HostAndPort> listen;
    private UdpMode udp;
    private Optional<Integer> udpThreads;
    private Optional<Long> staleLimit;
    private boolean watch;
    private boolean explainErrors;
    private Optional<HostAndPort> metrics;
    private final UpstreamOptions upstream = new UpstreamOptions();
    private final FederationOptions federation = new FederationOptions();
    private final LiveOptions live = new LiveOptions();
    private final ClusterOptions options = new ClusterOptions();
    private final ManifestArguments manifests = new ManifestArguments();
    private CommandSpec command;

    /** Declares the command. */
    CommandSpec spec() {
        command = CommandSpecs.command("serve", this);
        command.usageMessage()
                .description(
                        "Serves DNS from Kubernetes manifests, or from a live cluster, until SIGTERM or Ctrl-C.",
                        "",
                        "Prints one line for each address on stdout when it answers there: 'listening on 127.0.0.1:1053 (udp, "
                                + "tcp)'. Manifests are read once, as if they had just been applied: fields that the "
                                + "API server, the scheduler and the kubelet would set are completed (see --as-is). A summary, notes "
                                + "and warnings go to stderr.",
                        "")
                .footer(
                        "  k8sdns serve -f examples/bookstore",
                        "  dig @127.0.0.1 -p 1053 cart.shop.svc.cluster.local",
                        "",
                        "  k8sdns serve --listen '[::]:53' --reverse-zone 10.96.0.0/12 --ns-address 192.0.2.53 -f deploy/",
                        "  kubectl get ns,svc,endpointslices,pods -A -o yaml | k8sdns serve --as-is -f -",
                        "  k8sdns serve --watch -f deploy/",
                        "  k8sdns serve --live --context staging",
                        "  k8sdns serve --config k8sdns.yaml")
                .exitCodeList(exitCodes(
                        "0:ended by SIGTERM or Ctrl-C, after all pending answers were sent",
                        "1:failed at run time, for example: the port is taken",
                        "2:usage or invalid input"));
        manifests.declare(command);
        addOptions(
                command,
                HelpSections.OWN,
                option("--config", String.class, value -> config = value)
                        .paramLabel("FILE")
                        .description(
                                "Read options from this YAML file, - for standard input. Its keys are the long names of "
                                        + "options without dashes, filename for the manifests; an option that can be repeated has a "
                                        + "list. Options on the command line replace those of the file, and those that they exclude: "
                                        + "-f replaces live, for example."),
                options("--listen", HostAndPort.class, value -> listen = value)
                        .paramLabel("HOST:PORT")
                        .defaultValue("127.0.0.1:1053")
                        .description(
                                "Where to answer, UDP and TCP; repeatable, IPv6 in brackets, port 0 takes a free one "
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
                        .paramLabel("HOST:PORT")
                        .description(
                                "Where to answer HTTP: /metrics for Prometheus (docs/metrics.md), /health, and /ready, which is 200 "
                                        + "once all objects are listed (default: nowhere)."));
        upstream.declare(command);
        federation.declare(command);
        live.declareOfServer(command);
        options.declare(command);
        manifests.declarePositional(command);
        return command;
    }

    @Override
    public Integer call() throws IOException {
        if (config != null) {
            readConfig(config);
        }
        live.requireOneSource(manifests.all(), options.reading);
        if (watch && live.isChosen()) {
            throw options.usage("--watch is for manifests; a live cluster is watched anyway");
        }
        if (watch && manifests.all().contains("-")) {
            throw options.usage("--watch: standard input cannot be watched");
        }
        List<InetSocketAddress> addresses = ListenAddresses.of(listen, options::usage);
        RecordRules rules = new RecordRules(options.settings(ListenAddresses.nameServers(addresses)));
        noteWildcard(addresses, rules);
        upstream.check(rules.settings().zones());
        federation.check(rules.settings().zones(), upstream);
        upstream.readSearches(rules.settings().zones(), err());
        Shutdown shutdown = new Shutdown();
        try (Monitoring monitoring = monitoring(shutdown)) {
            return serve(addresses, rules, monitoring, shutdown);
        } finally {
            shutdown.cancel();
        }
    }

    /** A wildcard address is not an address that clients can use, so {@code ns.dns.ZONE} has the address of the loopback interface. */
    private void noteWildcard(List<InetSocketAddress> addresses, RecordRules rules) {
        if (options.zones.nameServers.isEmpty()) {
            addresses.stream()
                    .filter(address -> address.getAddress().isAnyLocalAddress())
                    .findFirst()
                    .ifPresent(wildcard -> err().println("note: ns.dns."
                            + rules.settings().zones().get(0) + " has the address " + ClusterOptions.LOOPBACK
                            + ", because " + HostAndPort.text(wildcard)
                            + " is a wildcard; set the address that clients reach with --ns-address IP"));
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
            throw options.usage(String.valueOf(invalid.getMessage()));
        }
        List<String> arguments = new ArrayList<>(read.argumentsWithout(winning));
        arguments.addAll(given.expandedArgs());
        try {
            parser.parseArgs(arguments.toArray(String[]::new));
        } catch (ParameterException wrong) {
            String place = wrong.getArgSpec() instanceof OptionSpec option ? read.place(option.longestName()) : "";
            throw options.usage(place + wrong.getMessage());
        }
        ProgramOptions.apply(parser.getParseResult());
        if (manifests.all().contains("-") && file.equals("-")) {
            throw options.usage("standard input (-) can be one input only");
        }
    }

    /**
     * Returns the metrics server, or {@link Monitoring#NONE}. The class of the server is loaded only if it is used, because the
     * metrics libraries are as large as the rest of the command.
     */
    private Monitoring monitoring(Shutdown shutdown) throws IOException {
        if (metrics.isEmpty()) {
            return Monitoring.NONE;
        }
        MetricsServer server = MetricsServer.start(metrics.get().address());
        shutdown.monitoring(server);
        err().println("metrics: http://" + HostAndPort.text(server.address()) + "/metrics");
        return server;
    }

    private int serve(List<InetSocketAddress> addresses, RecordRules rules, Monitoring monitoring, Shutdown shutdown)
            throws IOException {
        ClusterZone zone = ClusterZone.empty(rules, options.visibility());
        ZoneFeed feed = feed(zone, monitoring.cluster());
        monitoring.serves(feed);
        PodNamespaces pods = new PodNamespaces(feed);
        LocalShards shards = new LocalShards(upstream.findsPods() ? pods : feed);
        FailureLog failures = new FailureLog("io.k8sdns.cli");
        ResolverChain cluster = ResolverChain.of(zone);
        @Nullable
        Federations federations = federation.isEnabled()
                ? new Federations(federation, upstream.cache, failures, monitoring.forwarding())
                : null;
        Upstreams resolver = new Upstreams(
                upstream,
                cluster,
                rules.settings().reverseZones().stream().map(ReverseZone::name).toList(),
                pods::of,
                shards,
                federations == null
                        ? Upstreams.FederatedNames.NONE
                        : new Upstreams.FederatedNames(
                                federations::contains,
                                others -> federations.before(cluster, shards::hasReadyEndpoint, others)),
                failures,
                monitoring::forwarding,
                err());
        options.kubeDnsData(resolver::kubeDnsData);
        Optional<ExplainedErrors> explained = explainErrors
                ? Optional.of(new ExplainedErrors(
                        rules.settings(),
                        options.visibility(),
                        System::nanoTime,
                        ExplainedErrors.thread(),
                        unexplainedNote()))
                : Optional.empty();
        DnsResponder.Builder responder = DnsResponder.builder(
                        explained.map(errors -> errors.resolver(resolver)).orElse(resolver))
                .order(options.zones.order)
                .random(new Random())
                .tooLarge(noteOnce())
                .failures(failures);
        monitoring.responses().ifPresent(responder::observer);
        @Nullable ExplainedErrors explaining = explained.orElse(null);
        // Binds before the objects are read, to report a port in use immediately. Queries that arrive in the meantime
        // are answered afterwards.
        try (federations;
                explaining;
                resolver;
                DnsServer server = server(addresses, responder.build()).bind();
                ClusterSource source = source(
                        rules,
                        explained
                                .map(errors -> errors.observer(monitoring.cluster()))
                                .orElseGet(monitoring::cluster))) {
            int code = options.exitCode(Main.DONE);
            if (code != Main.DONE) {
                return code;
            }
            upstream.checkFallthrough(live.isChosen() || watch || resolver.hasConfigMap());
            shutdown.onSignal(() -> noteDrops(server), server::close);
            monitoring.receiveBufferDrops(server::udpDrops);
            resolver.start(server.addresses());
            source.start(explained.map(errors -> errors.objects(shards)).orElse(shards));
            if (federations != null) {
                federations.start(err());
            }
            if (live.isChosen()) {
                resolver.follow(LiveCluster.kubeDnsData(live));
                resolver.followTopology(LiveCluster.topology(live));
            }
            awaitSynced(feed);
            server.answer();
            PrintableWriter.to(err()).debug("udp: " + text(server.udp()));
            PrintWriter out = command.commandLine().getOut();
            for (InetSocketAddress address : server.addresses()) {
                out.println("listening on " + HostAndPort.text(address) + " (udp, tcp)");
            }
            if (out.checkError()) {
                return Main.FAILED;
            }
            resolver.probeForLoops(shutdown::fail);
            Optional<String> failure = shutdown.await();
            if (failure.isPresent()) {
                throw new IOException(failure.get());
            }
        } catch (InterruptedException ended) {
            // Another program runs the command in a thread and has interrupted the thread.
        }
        return Main.DONE;
    }

    private ZoneFeed feed(ClusterZone zone, ClusterObserver observer) {
        ZoneFeed.Builder feed = ZoneFeed.builder(zone, InstantSource.system()).observer(observer);
        if (staleLimit.isPresent()) {
            if (!live.isChosen() || staleLimit.get() < 0) {
                throw options.usage(
                        live.isChosen()
                                ? "--stale-limit: not a number of seconds: " + staleLimit.get()
                                : "--stale-limit is for a live cluster");
            }
            feed.staleLimit(Duration.ofSeconds(staleLimit.get()));
        }
        return feed.build();
    }

    private ClusterSource source(RecordRules rules, ClusterObserver observer) throws IOException {
        if (rules.settings().pods() == PodsMode.INSECURE) {
            err().println("warning: --pods insecure answers for every address in every namespace, whether a Pod "
                    + "has it or not; the owner of any address can impersonate a Pod");
        }
        if (live.isChosen()) {
            // Explanations name the Pods that a selector matches, also where no record depends on Pods.
            return LiveCluster.source(live, options, rules.settings(), upstream.findsPods() || explainErrors, observer);
        }
        return watch
                ? options.watched(manifests.all(), rules)
                : ManifestSource.of(options.manifests(manifests.all(), options.reading.asIs, rules));
    }

    /** Waits until the zone is synced, at most for {@code --startup-timeout}. */
    private void awaitSynced(ZoneFeed feed) throws InterruptedException {
        Progress progress = Progress.start("reading the objects of the cluster", err());
        try {
            feed.synced().toCompletableFuture().get(live.startupTimeout, TimeUnit.SECONDS);
        } catch (TimeoutException late) {
            progress.close();
            err().println("warning: not all objects of the cluster were listed within " + live.startupTimeout
                    + " s; its names are SERVFAIL until they are");
        } catch (ExecutionException impossible) {
            throw new AssertionError(impossible);
        } finally {
            progress.close();
        }
    }

    private DnsServer.Builder server(List<InetSocketAddress> addresses, DnsResponder responder) {
        DnsServer.Builder server = DnsServer.builder(addresses, responder).udpMode(udp);
        try {
            udpThreads.ifPresent(server::udpThreads);
        } catch (IllegalArgumentException invalid) {
            throw options.usage("--udp-threads: " + invalid.getMessage());
        }
        return server;
    }

    private static String text(UdpTransport udp) {
        return udp.mode().name().toLowerCase(Locale.ROOT)
                + udp.missing()
                        .map(missing -> " (batched needs " + missing + ")")
                        .orElse("")
                + ", " + udp.threads() + (udp.threads() == 1 ? " thread" : " threads")
                + ", receive buffer " + udp.receiveBufferBytes() + " bytes";
    }

    private void noteDrops(DnsServer server) {
        server.udpDrops().stream()
                .filter(drops -> drops > 0)
                .forEach(drops -> err().println(
                                "note: the kernel dropped " + drops + " datagrams because a receive buffer was full"));
    }

    /** Returns an observer of truncated answers that prints only one note, so that clients cannot fill the log. */
    private Consumer<Question> noteOnce() {
        AtomicBoolean noted = new AtomicBoolean();
        return question -> {
            if (!noted.getAndSet(true)) {
                err().println("note: the answer to " + question.name() + " " + question.type()
                        + " is longer than a message can be (65535 bytes) and is truncated, with TC; further "
                        + "ones are not reported");
            }
        };
    }

    /** Returns an observer of explanations that fail, which is a fault of this program; it prints only one note. */
    private Consumer<RuntimeException> unexplainedNote() {
        AtomicBoolean noted = new AtomicBoolean();
        return failure -> {
            if (!noted.getAndSet(true)) {
                err().println("warning: --explain-errors: a missing name cannot be explained: " + failure
                        + "; further ones are not reported");
            }
        };
    }

    private PrintWriter err() {
        return command.commandLine().getErr();
    }
}
