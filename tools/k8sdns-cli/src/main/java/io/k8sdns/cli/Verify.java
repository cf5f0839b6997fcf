package io.k8sdns.cli;

import static io.k8sdns.cli.Declared.addOptions;
import static io.k8sdns.cli.Declared.exitCodes;
import static io.k8sdns.cli.Declared.flag;
import static io.k8sdns.cli.Declared.manifests;
import static io.k8sdns.cli.Declared.option;
import static io.k8sdns.cli.Declared.optional;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.sockets.ServerCheck;
import io.k8sdns.verify.Expectation;
import io.k8sdns.verify.Expectations;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneRevision;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** The command {@code k8sdns verify}: queries any running server for all names of manifests and prints the differences. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class Verify implements Callable<Integer> {
    private HostAndPort server;
    private Optional<DnsLabels> autopathSuffix;
    private boolean asApplied;
    private final ClusterOptions options = new ClusterOptions();
    private List<String> manifests;
    private CommandSpec command;

    /** Declares the command. */
    CommandSpec spec() {
        command = Declared.command("verify", this);
        command.usageMessage()
                .description(
                        "Asks a running DNS server, any server, for every record that the objects in Kubernetes manifests have, "
                                + "over UDP and over TCP, and prints the differences.",
                        "",
                        "Also asked: the other address family of every name; _tcp and _udp below every Service; no-such-name "
                                + "at the apex, in every namespace and below every Service; one unused address in each reverse "
                                + "zone. Not compared: SOA, NS and ns.dns.ZONE, TTLs, order, SRV priority and weight. Manifests "
                                + "are taken as an API server holds objects.",
                        "",
                        "Prints one line for each difference, with the Kubernetes object behind it, and finally 'N names, M "
                                + "differences'.",
                        "")
                .footer(
                        "  kubectl get ns,svc,endpointslices,pods -A -o yaml >live.yaml",
                        "  k8sdns verify --server 10.96.0.10:53 --pods insecure live.yaml",
                        "  k8sdns verify --server 127.0.0.1:1053 --as-applied examples/bookstore")
                .exitCodeList(exitCodes(
                        "0:no difference",
                        "1:differences were found, or the server does not answer",
                        "2:usage or invalid input"));
        addOptions(
                command,
                HelpSections.OWN,
                option("--server", HostAndPort.class, value -> server = value)
                        .paramLabel("HOST:PORT")
                        .required(true)
                        .description("The server, IPv6 in brackets."),
                optional("--autopath-suffix", DnsLabels.class, value -> autopathSuffix = value)
                        .paramLabel("DOMAIN")
                        .description(
                                "Check also that the server walks the search lists of Pods for names below this suffix, "
                                        + "for example ap.k8s.io: Pods whose resolv.conf relies on it find nothing otherwise."),
                flag("--as-applied", value -> asApplied = value)
                        .description("Complete manifests as if they had just been applied, as the other commands do."));
        options.declare(command);
        command.addPositional(manifests(value -> manifests = value)
                .arity("1..*")
                .required(true)
                .build());
        return command;
    }

    @Override
    public Integer call() throws IOException {
        if (asApplied && options.reading.asIs) {
            throw options.usage("--as-applied and --as-is exclude each other");
        }
        RecordRules rules = new RecordRules(options.settings(List.of(ClusterOptions.LOOPBACK)));
        Visibility visibility = options.visibility();
        InetSocketAddress address = server.address();
        ClusterSnapshot snapshot = options.read(manifests, !asApplied, rules);
        ZoneRevision zone = ClusterZone.of(snapshot, rules, visibility).current();
        List<Expectation> expectations = new ArrayList<>(Expectations.of(zone, snapshot, visibility));
        autopathSuffix.ifPresent(suffix -> expectations.addAll(Expectations.ofAutopath(zone, snapshot, suffix)));
        PrintWriter out = command.commandLine().getOut();
        ServerCheck.Report report =
                ServerCheck.of(address).withListener(out::println).run(expectations);
        out.println(report);
        return report.differences().isEmpty() ? Main.DONE : Main.FAILED;
    }
}
