package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.exitCodes;
import static io.k8sdns.cli.CommandSpecs.flag;
import static io.k8sdns.cli.CommandSpecs.option;
import static io.k8sdns.cli.CommandSpecs.optional;

import io.k8sdns.cli.OutputOptions.Format;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.explain.Explainer;
import io.k8sdns.manifest.ManifestException;
import io.k8sdns.manifest.ManifestResult;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.sockets.ServerCheck;
import io.k8sdns.sockets.ServerCheck.Difference;
import io.k8sdns.verify.Expectation;
import io.k8sdns.verify.Expectations;
import io.k8sdns.verify.ExpectedOutcome;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneRevision;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** The command {@code k8sdns verify}: queries any running server for all names of manifests and prints the differences. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class Verify implements Callable<Integer> {
    /** A server whose differences are known. */
    enum Peer {
        COREDNS
    }

    private static final int MAX_CONCURRENCY = 1_024;
    private static final int DNS_PORT = 53;

    private @Nullable HostAndPort server;
    private Optional<DnsLabels> autopathSuffix;
    private boolean asApplied;
    private long concurrency;
    private @Nullable Peer peer;
    private final OutputOptions output = new OutputOptions(Format.NAME, Format.JUNIT);
    private final ManifestArguments manifests = new ManifestArguments();
    private final LiveOptions live = new LiveOptions();
    private final ClusterOptions options = new ClusterOptions();
    private CommandSpec command;

    /** Declares the command. */
    CommandSpec spec() {
        command = CommandSpecs.command("verify", this);
        command.usageMessage()
                .description(
                        "Queries a running DNS server, of any kind, over UDP and TCP for all records of the objects "
                                + "in Kubernetes manifests, or in a live cluster, and prints the differences.",
                        "",
                        "Also queried: the other address family of every name; _tcp and _udp below every Service; no-such-name "
                                + "at the apex, in every namespace and below every Service; one unused address in each reverse "
                                + "zone. Not compared: SOA, NS and ns.dns.ZONE, TTLs, order, SRV priority and weight. "
                                + "Manifests are not completed: their Services without an address are not checked, and counted in a "
                                + "warning; --as-applied completes them.",
                        "",
                        "Prints one line for each difference, with the Kubernetes object behind it, and below it why the records "
                                + "are expected, or why there should be none or no others; and finally 'N names, M differences'. With --peer, differences that are explained are only counted, by their reason, and "
                                + "do not change the exit code.",
                        "")
                .footer(
                        "  k8sdns verify --live --peer coredns",
                        "  k8sdns verify --live --peer coredns -o junit >dns.xml",
                        "  kubectl get ns,svc,endpointslices,pods -A -o yaml >live.yaml",
                        "  k8sdns verify --server 10.96.0.10:53 --pods insecure -f live.yaml",
                        "  k8sdns verify --server 127.0.0.1:1053 --as-applied -f examples/bookstore")
                .exitCodeList(exitCodes(
                        "0:no difference, or with --peer only explained ones",
                        "1:differences were found",
                        "2:usage or invalid input, or no object has a record, so that nothing is checked",
                        "3:failed at run time, for example the server does not answer"));
        manifests.declare(command);
        addOptions(
                command,
                HelpSections.OWN,
                option("--server", HostAndPort.class, value -> server = value)
                        .converters(Main.parsed(text -> HostAndPort.parse(text, DNS_PORT)))
                        .paramLabel("HOST[:PORT]")
                        .description(
                                "The server, IPv6 in brackets, the port is 53 if it is omitted (default: of a live cluster the Service "
                                        + "kube-system/kube-dns, or else one with the label k8s-app=kube-dns)."),
                option("--concurrency", long.class, value -> concurrency = value)
                        .paramLabel("N")
                        .defaultValue("16")
                        .description(
                                "How many questions are asked at the same time, 1 to 1024 (default: ${DEFAULT-VALUE})."),
                option("--peer", Peer.class, value -> peer = value)
                        .paramLabel("coredns")
                        .completionCandidates(List.of("coredns"))
                        .description("The kind of server, whose known differences are explained and are not failures: "
                                + "those where "
                                + "k8sdns follows the specification or an RFC and CoreDNS does not."),
                optional("--autopath-suffix", DnsLabels.class, value -> autopathSuffix = value)
                        .paramLabel("DOMAIN")
                        .description(
                                "Check also that the server expands the search lists of Pods for names below this suffix, "
                                        + "for example ap.k8s.io: Pods whose resolv.conf relies on it find nothing otherwise."),
                flag("--as-applied", value -> asApplied = value)
                        .description("Complete manifests as if they had just been applied, as the other commands do."));
        output.declare(
                command,
                HelpSections.OWN,
                "one object: {\"server\", \"names\", \"differences\"}, each difference being {\"objects\", \"name\", \"type\", "
                        + "\"transports\", \"difference\", \"explanation\", \"because\"}, with \"invented\": true if an expected record has an "
                        + "address that no manifest holds.");
        live.declare(command);
        options.declare(command);
        manifests.declarePositional(command);
        return command;
    }

    @Override
    public Integer call() throws IOException {
        output.check();
        requireNoServer(manifests.all());
        live.requireOneSource(manifests.all());
        if (asApplied && (options.reading.asIs || live.isChosen())) {
            throw options.usage(
                    "--as-applied and " + (live.isChosen() ? "a live cluster" : "--as-is") + " exclude each other");
        }
        RecordRules rules = new RecordRules(options.settings(List.of(ClusterOptions.LOOPBACK)));
        Visibility visibility = options.visibility();
        if (concurrency < 1 || concurrency > MAX_CONCURRENCY) {
            throw options.usage("--concurrency: not in 1 to " + MAX_CONCURRENCY + ": " + concurrency);
        }
        Checked checked = checked(rules);
        HostAndPort asked = checked.server();
        ClusterSnapshot snapshot = checked.snapshot();
        ZoneRevision zone = ClusterZone.of(snapshot, rules, visibility).current();
        List<Expectation> expectations = new ArrayList<>(Expectations.of(zone, snapshot, visibility));
        autopathSuffix.ifPresent(suffix -> expectations.addAll(Expectations.ofAutopath(zone, snapshot, suffix)));
        UncheckedServices unchecked = new UncheckedServices(snapshot, visibility, rules.settings());
        if (!asApplied) {
            expectations.removeIf(unchecked::concern);
        }
        reportUnchecked(expectations, unchecked);
        Function<Difference, Optional<String>> explanations = any -> Optional.empty();
        if (peer == Peer.COREDNS) {
            explanations = new CoreDnsDifferences(
                    expectations, snapshot, rules.settings().zones())::explanation;
        }
        InventedRecords invented = checked.manifests().map(InventedRecords::of).orElse(InventedRecords.NONE);
        expectations.replaceAll(one -> new Expectation(
                one.name(),
                one.type(),
                one.outcome(),
                one.objects().stream().map(invented::observed).distinct().toList()));
        VerifyOutput printed = new VerifyOutput(
                asked,
                explanations,
                new DifferenceReasons(
                        snapshot,
                        rules.settings(),
                        checked.manifests(),
                        invented,
                        () -> explainer(checked, rules.settings(), visibility))::of,
                new InventedExpectations(invented),
                output,
                command.commandLine().getOut());
        ServerCheck check = ServerCheck.of(asked.address())
                .withConcurrency(Math.toIntExact(concurrency))
                .withListener(printed::found);
        ServerCheck.Report report =
                Progress.during("asking " + asked, command.commandLine().getErr(), () -> check.run(expectations));
        boolean isRight = printed.print(expectations, report);
        if (!isRight && isReadAsIs() && !manifests.all().contains("-")) {
            noteAsApplied(report, check.withListener(any -> {}), rules);
        }
        return options.exitCode(isRight ? Main.DONE : Main.FAILED);
    }

    /** Checks that no manifest is meant as the server, as with dig. */
    private void requireNoServer(List<String> files) {
        for (String file : files) {
            String address = (file.startsWith("@") ? file.substring(1) : file).replaceFirst("/.*", "");
            if (!UsageHints.isManifest(file)
                    && (file.startsWith("@") || UsageHints.hostOf(file).isPresent())) {
                throw options.usage(
                        "no such file or directory: '" + file + "'; to ask a server, write --server " + address);
            }
        }
    }

    /**
     * Warns of Services that are not checked.
     *
     * @throws InvalidInputException if no record of an object is expected: any server without objects would pass
     */
    private void reportUnchecked(List<Expectation> expectations, UncheckedServices unchecked) {
        String completed = isReadAsIs() ? "; --as-applied completes manifests as k8sdns serve does" : "";
        if (expectations.stream().noneMatch(Verify::expectsRecordOfAnObject)) {
            throw options.invalidInput("nothing is checked, because no object has a record"
                    + (asApplied || unchecked.isEmpty() ? "" : ": " + unchecked + completed));
        }
        if (!asApplied && !unchecked.isEmpty()) {
            command.commandLine().getErr().println("warning: not checked: " + unchecked + completed);
        }
    }

    /** Returns whether a record is expected that depends on an object; {@code dns-version.ZONE} depends on none. */
    private static boolean expectsRecordOfAnObject(Expectation expectation) {
        return expectation.outcome() instanceof ExpectedOutcome.Records
                && !expectation.objects().isEmpty();
    }

    /** Returns whether manifests are read without completion because no option chooses another way. */
    private boolean isReadAsIs() {
        return !live.isChosen() && !asApplied && !options.reading.asIs;
    }

    /** Prints how many of the differences do not exist if manifests are completed, as {@code serve} does. */
    private void noteAsApplied(ServerCheck.Report report, ServerCheck check, RecordRules rules) throws IOException {
        Set<String> different = questions(report);
        ClusterSnapshot completed;
        try {
            completed = options.silently(manifests.all(), false, rules).snapshot();
        } catch (ManifestException refused) {
            return;
        }
        Visibility visibility = options.visibility();
        ZoneRevision zone = ClusterZone.of(completed, rules, visibility).current();
        List<Expectation> again = Expectations.of(zone, completed, visibility).stream()
                .filter(one -> different.contains(question(one)))
                .toList();
        Set<String> explained = again.stream().map(Verify::question).collect(Collectors.toSet());
        explained.removeAll(questions(check.run(again)));
        if (!explained.isEmpty()) {
            command.commandLine().getOut().flush();
            command.commandLine()
                    .getErr()
                    .println("note: " + explained.size() + " of "
                            + PlanTable.count(different.size(), "difference")
                            + (explained.size() == 1 ? " disappears" : " disappear")
                            + " with --as-applied, which completes manifests as k8sdns serve does");
        }
    }

    private static Set<String> questions(ServerCheck.Report report) {
        return report.differences().stream()
                .map(difference -> question(difference.expectation()))
                .collect(Collectors.toSet());
    }

    private static String question(Expectation expectation) {
        return expectation.name() + " " + expectation.type();
    }

    /**
     * The server that is asked, and the objects whose names it should have, of manifests or of a live cluster.
     *
     * @param hasPods whether all Pods are among the objects, unless options hide some
     */
    private record Checked(
            HostAndPort server, ClusterSnapshot snapshot, boolean hasPods, Optional<ManifestResult> manifests) {
        static Checked ofCluster(HostAndPort server, LiveCluster.PresentObjects objects) {
            return new Checked(server, objects.snapshot(), objects.hasPods(), Optional.empty());
        }
    }

    /** Returns an explainer of the objects; of a live cluster, Pods are known only if they were read and no filter is set. */
    private Explainer explainer(Checked checked, ZoneSettings settings, Visibility visibility) {
        Explainer all = Explainer.of(checked.snapshot(), settings, visibility).withoutChanges();
        boolean knowsPods = checked.manifests().isPresent()
                || checked.hasPods() && visibility.labels().equals(Visibility.ALL.labels());
        return knowsPods ? all : all.withoutPods();
    }

    /** Reads the objects; the server of a live cluster is its own DNS server by default. */
    private Checked checked(RecordRules rules) throws IOException {
        HostAndPort given = server;
        if (!live.isChosen()) {
            if (given == null) {
                throw options.usage("Missing required option: '--server=HOST[:PORT]' or '--live'");
            }
            options.hintStandardInput(" --server " + given + (asApplied ? " --as-applied" : "") + " -f -");
            ManifestResult read = options.manifests(manifests.all(), !asApplied, rules);
            options.requireObject(manifests.all(), read);
            return new Checked(given, read.snapshot(), true, Optional.of(read));
        }
        if (given != null) {
            return Checked.ofCluster(given, LiveCluster.objects(live, options, rules.settings()));
        }
        LiveCluster.WithDnsService cluster = LiveCluster.objectsWithDnsService(live, options, rules.settings());
        DnsServiceAddress found = cluster.dnsService()
                .orElseThrow(() ->
                        options.usage("--server is needed: the cluster has no Service kube-system/kube-dns, and none "
                                + "with the label k8s-app=kube-dns, with a cluster IP and a UDP port for DNS"));
        command.commandLine().getErr().println("note: asking " + found.server() + ", Service " + found.service());
        return Checked.ofCluster(found.server(), cluster.objects());
    }
}
