package io.k8sdns.cli;

import io.k8sdns.cluster.Addressing;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.manifest.DiagnosticReport;
import io.k8sdns.manifest.ManifestInput;
import io.k8sdns.manifest.ManifestOptions;
import io.k8sdns.manifest.ManifestResult;
import io.k8sdns.manifest.Manifests;
import io.k8sdns.manifest.WatchedManifests;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.model.KubernetesNames;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Selector;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.EndpointNames;
import io.k8sdns.records.PodsMode;
import io.k8sdns.records.RecordRules;
import io.k8sdns.records.ReversePolicy;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.records.SrvPort;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.wire.AnswerOrder;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The options that all commands share: how manifests are read, which objects are published, which records they have.
 * Each part has its heading in {@code --help}.
 */
final class ClusterOptions {
    /** The name server's address where nobody listens, or at every address. */
    static final IpAddress LOOPBACK = IpAddress.parse("127.0.0.1");

    @Mixin
    Reading reading = new Reading();

    @Mixin
    Publishing publishing = new Publishing();

    @Mixin
    Zones zones = new Zones();

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** How manifests are read. */
    @HelpSections.Heading("Reading manifests:")
    static final class Reading {
        @Option(names = "--as-is", description = "Take manifests as an API server holds objects: complete nothing.")
        boolean asIs;

        @Option(
                names = "--service-cidr",
                paramLabel = "CIDR",
                description = "Where the cluster IPs come from that manifests leave out; repeatable, one per family, "
                        + "the first is the cluster's first family (default: 10.96.0.0/12).")
        List<IpNetwork> serviceCidrs = new ArrayList<>();

        @Option(
                names = "--pod-cidr",
                paramLabel = "CIDR",
                description = "Where the addresses of Pods come from that manifests leave out; repeatable, one per "
                        + "family (default: 10.244.0.0/16).")
        List<IpNetwork> podCidrs = new ArrayList<>();

        @Option(
                names = "--default-namespace",
                paramLabel = "NS",
                defaultValue = "default",
                description = "The namespace of objects that name none, as kubectl apply -n has it "
                        + "(default: ${DEFAULT-VALUE}).")
        String defaultNamespace;

        @Option(names = "--strict", description = "Whatever would be left out with a warning is an error (exit 2).")
        boolean strict;

        @Option(names = "--verbose", description = "Print every note and warning instead of the first of each sort.")
        boolean verbose;
    }

    /** Which objects are published. */
    @HelpSections.Heading("What is published (everything, unless said here):")
    static final class Publishing {
        @Option(names = "--namespace", paramLabel = "NS", description = "Only objects in this namespace; repeatable.")
        List<String> namespaces = new ArrayList<>();

        @Option(
                names = "--labels",
                paramLabel = "SELECTOR",
                description = "Only Services and Pods with these labels, for example 'app=web' or "
                        + "'tier,env in (prod,stage)'; EndpointSlices follow their Service.")
        @Nullable
        Selector labels;

        @Option(
                names = "--namespace-labels",
                paramLabel = "SELECTOR",
                description = "Only objects in namespaces with these labels; not together with --namespace.")
        @Nullable
        Selector namespaceLabels;

        @Option(
                names = "--ignore-empty-services",
                description = "A Service with a cluster IP and without a published endpoint does not exist.")
        boolean ignoreEmptyServices;

        @Option(
                names = "--no-endpoints",
                description = "Read no endpoints: no endpoint names, no headless Services, no PTR of endpoints.")
        boolean noEndpoints;
    }

    /** Which zones there are, and which records. */
    @HelpSections.Heading("Zones and records:")
    static final class Zones {
        @Option(
                names = "--zone",
                paramLabel = "ZONE",
                description = "The cluster's domain; repeatable, PTR records point into the first "
                        + "(default: cluster.local).")
        List<DnsLabels> forward = new ArrayList<>();

        @Option(
                names = "--reverse-zone",
                paramLabel = "CIDR|NAME",
                description = "A reverse zone, for example 10.96.0.0/12 or 96.10.in-addr.arpa; repeatable "
                        + "(default: in-addr.arpa and ip6.arpa).")
        List<String> reverse = new ArrayList<>();

        @Option(
                names = "--ttl",
                paramLabel = "SECONDS",
                defaultValue = "5",
                description = "How long answers may be kept (default: ${DEFAULT-VALUE}).")
        long ttl;

        @Option(
                names = "--negative-ttl",
                paramLabel = "SECONDS",
                description = "How long it may be kept that there is no such name or record (default: as --ttl).")
        @Nullable
        Long negativeTtl;

        @Option(
                names = "--pods",
                paramLabel = "disabled|insecure|verified",
                defaultValue = "verified",
                description = "Which pod names (10-244-0-7.NS.pod.ZONE) exist: none, all, those of Pods with that "
                        + "address (default: ${DEFAULT-VALUE}). With insecure anyone owns any name.")
        PodsMode pods;

        @Option(
                names = "--endpoint-names",
                paramLabel = "hostname|pod",
                defaultValue = "hostname",
                description = "What endpoints are called: their hostname, or else the Pod's name; failing that, "
                        + "their address with dashes (default: ${DEFAULT-VALUE}).")
        EndpointNames endpointNames;

        @Option(
                names = "--ptr",
                paramLabel = "all|headless-only|hostname-only|one",
                defaultValue = "all",
                description = "Which endpoints an address points to: of every Service, of headless Services, with a "
                        + "hostname, the first one (default: ${DEFAULT-VALUE}).")
        ReversePolicy ptr;

        @Option(
                names = "--srv-port",
                paramLabel = "slice|service",
                defaultValue = "slice",
                description = "Which port SRV records of headless Services carry: the EndpointSlice's, which listens, "
                        + "or the Service's (default: ${DEFAULT-VALUE}).")
        SrvPort srvPort;

        @Option(names = "--no-bare-srv", description = "No SRV records at the bare name of a Service.")
        boolean noBareSrv;

        @Option(
                names = "--ns-address",
                paramLabel = "IP",
                description = "The address of ns.dns.ZONE, the zones' name server; repeatable (default: where serve "
                        + "listens; 127.0.0.1 for a wildcard and for the other commands).")
        List<IpAddress> nameServers = new ArrayList<>();

        @Option(
                names = "--order",
                paramLabel = "rotate|stable|shuffle",
                defaultValue = "rotate",
                description = "The order of addresses in the answers of serve (default: ${DEFAULT-VALUE}). What the "
                        + "other commands print is always in stable order.")
        AnswerOrder order;
    }

    /**
     * Returns the settings of the zones.
     *
     * @param ownAddresses the addresses of the name server unless an option says them
     * @throws ParameterException if options contradict each other
     */
    ZoneSettings settings(List<IpAddress> ownAddresses) {
        if (publishing.noEndpoints && publishing.ignoreEmptyServices) {
            throw usage("--no-endpoints and --ignore-empty-services exclude each other: "
                    + "without endpoints every Service is empty");
        }
        List<ReverseZone> reverse = valid(
                "--reverse-zone: ",
                () -> zones.reverse.stream()
                        .flatMap(text -> ReverseZone.parse(text).stream())
                        .toList());
        return valid("", () -> {
            ZoneSettings.Builder settings = ZoneSettings.builder()
                    .ttlSeconds(zones.ttl)
                    .pods(zones.pods)
                    .endpoints(!publishing.noEndpoints)
                    .ignoreEmptyServices(publishing.ignoreEmptyServices)
                    .endpointNames(zones.endpointNames)
                    .reversePolicy(zones.ptr)
                    .srvPort(zones.srvPort)
                    .bareSrv(!zones.noBareSrv)
                    .nameServerAddresses(zones.nameServers.isEmpty() ? ownAddresses : zones.nameServers);
            if (zones.negativeTtl != null) {
                settings.negativeTtlSeconds(zones.negativeTtl);
            }
            if (!zones.forward.isEmpty()) {
                settings.zones(zones.forward);
            }
            if (!reverse.isEmpty()) {
                settings.reverseZones(reverse);
            }
            return settings.build();
        });
    }

    /**
     * Returns which objects are published.
     *
     * @throws ParameterException if a namespace cannot be one, or namespaces are chosen both by name and by labels
     */
    Visibility visibility() {
        if (!publishing.namespaces.isEmpty() && publishing.namespaceLabels != null) {
            throw usage("--namespace and --namespace-labels exclude each other: choose by name or by labels");
        }
        for (String namespace : publishing.namespaces) {
            if (!KubernetesNames.isDnsLabel(namespace)) {
                throw usage("--namespace: not the name of a namespace: '" + namespace + "'");
            }
        }
        return new Visibility(
                Set.copyOf(publishing.namespaces), orAny(publishing.namespaceLabels), orAny(publishing.labels));
    }

    private static Predicate<Labels> orAny(@Nullable Selector selector) {
        return selector == null ? any -> true : selector;
    }

    /**
     * Returns how manifests are read.
     *
     * @param asIs whether nothing is completed
     * @throws ParameterException if an option makes no sense
     */
    ManifestOptions manifestOptions(boolean asIs) {
        Addressing standard = Addressing.DEFAULTS;
        return valid(
                "",
                () -> new ManifestOptions(
                        reading.defaultNamespace,
                        asIs,
                        reading.strict,
                        new Addressing(
                                reading.serviceCidrs.isEmpty() ? standard.serviceCidrs() : reading.serviceCidrs,
                                reading.podCidrs.isEmpty() ? standard.podCidrs() : reading.podCidrs)));
    }

    /**
     * Reads manifests, and says on stderr what was read and what is worth knowing about it.
     *
     * @param names files, directories, {@code -} for standard input
     * @param asIs whether nothing is completed
     * @param rules which records the objects will have
     * @throws IOException if one is missing or cannot be read
     */
    ClusterSnapshot read(List<String> names, boolean asIs, RecordRules rules) throws IOException {
        return manifests(names, asIs, rules).snapshot();
    }

    /** Reads manifests as {@link #read} does, and returns all that they gave. */
    ManifestResult manifests(List<String> names, boolean asIs, RecordRules rules) throws IOException {
        ManifestOptions options = manifestOptions(asIs);
        requireNamed(names);
        List<ManifestInput> inputs = names.stream()
                .map(name ->
                        name.equals("-") ? ManifestInput.stream("-", System.in) : ManifestInput.path(Path.of(name)))
                .toList();
        ManifestResult result = Manifests.read(inputs, options, rules::leftOut);
        report(result);
        return result;
    }

    /** Reads manifests as {@link #read} does, and follows the files from then on, saying so each time. */
    WatchedManifests watched(List<String> names, RecordRules rules) throws IOException {
        ManifestOptions options = manifestOptions(reading.asIs);
        requireNamed(names);
        return WatchedManifests.read(names.stream().map(Path::of).toList(), options, rules::leftOut, this::report);
    }

    private void requireNamed(List<String> names) {
        if (names.contains("")) {
            // Path.of("") would be the working directory, and everything below it.
            throw usage("MANIFEST is an empty text (the working directory is '.')");
        }
    }

    private void report(ManifestResult result) {
        PrintWriter err = command.commandLine().getErr();
        DiagnosticReport.lines(result.diagnostics(), reading.verbose).forEach(err::println);
        err.println(result.summary());
    }

    private <T> T valid(String option, Supplier<T> value) {
        try {
            return value.get();
        } catch (IllegalArgumentException invalid) {
            throw usage(option + invalid.getMessage());
        }
    }

    /** Returns what to throw when options are wrong in a way that the parser does not see. */
    ParameterException usage(String text) {
        return new ParameterException(command.commandLine(), text);
    }
}
