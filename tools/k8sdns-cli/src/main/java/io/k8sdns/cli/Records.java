package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.exitCodes;
import static io.k8sdns.cli.CommandSpecs.option;

import io.k8sdns.cli.OutputOptions.Format;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.manifest.ManifestResult;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneRevision;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** The command {@code k8sdns records}: prints all records of all zones, one per line. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class Records implements Callable<Integer> {
    private static final long MAX_SERIAL = 0xFFFF_FFFFL;

    private final LiveOptions live = new LiveOptions();
    private final ClusterOptions options = new ClusterOptions();

    @Nullable
    private DnsLabels onlyZone;

    private long serial;
    private InventedRecords invented = InventedRecords.NONE;
    private String lastName = "";
    private final OutputOptions output = new OutputOptions(Format.NAME, Format.SVG, Format.HTML);
    private final ManifestArguments manifests = new ManifestArguments();
    private CommandSpec command;

    /** Declares the command. */
    CommandSpec spec() {
        command = CommandSpecs.command("records", this);
        command.usageMessage()
                .description(
                        "Prints all records of the objects in Kubernetes manifests, or in a live cluster, as a server "
                                + "would answer them.",
                        "",
                        "One record a line: NAME TTL IN TYPE DATA. Zone after zone, the forward zones first, then each reverse "
                                + "zone that holds a PTR record; in each zone SOA, NS, the address of the name server, then all "
                                + "records in canonical order. The part of one zone loads as a zone file (--only-zone). Records with an "
                                + "address or a Pod name that no manifest holds are marked (; invented address, ; invented name). Not printed: names "
                                + "that exist without data, and the names of --pods insecure, which are endless.",
                        "")
                .footer(
                        "  k8sdns records examples/bookstore",
                        "  k8sdns records -o name -n shop -f deploy/",
                        "  k8sdns records -o json deploy/ | jq -r 'select(.type == \"A\") | .name'",
                        "  k8sdns records -o html deploy/ >names.html",
                        "  k8sdns records --only-zone cluster.local --serial 2026112101 deploy/ >cluster.local.zone",
                        "  k8sdns records --kubeconfig ~/.kube/config --context staging",
                        "  kubectl get svc,endpointslices,ns,pods -A -o yaml | k8sdns records --as-is -f -")
                .exitCodeList(exitCodes("0:done", "1:failed at run time", "2:usage or invalid input"));
        manifests.declare(command);
        live.declare(command);
        options.declare(command);
        addOptions(
                command,
                HelpSections.OWN,
                option("--only-zone", DnsLabels.class, value -> onlyZone = value)
                        .paramLabel("ZONE")
                        .description("Print only this zone, forward or reverse."),
                option("--serial", long.class, value -> serial = value)
                        .paramLabel("N")
                        .defaultValue("1")
                        .description("The serial of the SOA records (default: ${DEFAULT-VALUE})."));
        output.declare(
                command,
                HelpSections.OWN,
                "one object a line: {\"name\", \"ttl\", \"class\", \"type\", \"data\"}; ttl is a number, data is the text "
                        + "after the type; \"invented\": true if it has an address or a Pod name that no manifest holds.");
        manifests.declarePositional(command);
        return command;
    }

    @Override
    public Integer call() throws IOException {
        Format format = output.format();
        live.requireOneSource(manifests.all());
        if (serial < 0 || serial > MAX_SERIAL) {
            throw options.usage("--serial: not a serial (0 to 4294967295): " + serial);
        }
        RecordRules rules = new RecordRules(options.settings(List.of(ClusterOptions.LOOPBACK)));
        Visibility visibility = options.visibility();
        ClusterSnapshot snapshot;
        if (live.isChosen()) {
            snapshot = LiveCluster.snapshot(live, options, rules.settings());
        } else {
            ManifestResult read = options.manifests(manifests.all(), options.reading.asIs, rules);
            options.requireObject(manifests.all(), read);
            snapshot = read.snapshot();
            invented = InventedRecords.of(read);
            options.noteAssumedReadiness(read, any -> true);
        }
        invented = options.withNameServer(invented);
        ZoneRevision revision =
                ClusterZone.of(snapshot, rules, visibility, serial).current();
        PrintWriter out = command.commandLine().getOut();
        if (format == Format.SVG || format == Format.HTML) {
            ZoneTree.Builder tree = new ZoneTree.Builder(invented);
            zones(revision).forEach(zone -> tree.zone(zone, revision.recordSets(zone)));
            if (format == Format.SVG) {
                new ZoneDrawing(tree.build()).print(out);
            } else {
                new ZonePage(tree.build()).print(out);
            }
            return options.exitCode(Main.DONE);
        }
        for (DnsLabels zone : zones(revision)) {
            for (RecordSet set : revision.recordSets(zone)) {
                print(set, format, out);
            }
        }
        return options.exitCode(Main.DONE);
    }

    /** Prints a record set. The record sets of a name follow each other, so that {@code -o name} compares with the last name only. */
    private void print(RecordSet set, Format format, PrintWriter out) {
        switch (format) {
            case TEXT -> set.lines().map(line -> invented.line(line, " ")).forEach(out::println);
            case NAME -> {
                String name = set.owner().toString();
                if (!name.equals(lastName)) {
                    out.println(name);
                }
                lastName = name;
            }
            default -> set.lines().map(invented::object).forEach(object -> output.print(object, out));
        }
    }

    private List<DnsLabels> zones(ZoneRevision revision) {
        if (onlyZone == null) {
            return revision.zones();
        }
        ZoneSettings settings = revision.settings();
        List<DnsLabels> all = Stream.concat(
                        settings.zones().stream(),
                        settings.reverseZones().stream().map(ReverseZone::name))
                .toList();
        return all.stream()
                .filter(onlyZone::equals)
                .findFirst()
                .map(List::of)
                .orElseThrow(() -> options.usage("--only-zone: unknown value '" + onlyZone + "'; use one of "
                        + all.stream().map(DnsLabels::toString).collect(Collectors.joining(", "))));
    }
}
