package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.flag;
import static io.k8sdns.cli.CommandSpecs.option;
import static io.k8sdns.cli.CommandSpecs.options;

import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.cluster.Addressing;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Readiness;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.manifest.DiagnosticReport;
import io.k8sdns.manifest.ManifestInput;
import io.k8sdns.manifest.ManifestOptions;
import io.k8sdns.manifest.ManifestResult;
import io.k8sdns.manifest.Manifests;
import io.k8sdns.manifest.WatchedManifests;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.NamespacedObject;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Position;
import io.k8sdns.model.Selector;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.EndpointNames;
import io.k8sdns.records.PodsMode;
import io.k8sdns.records.ReversePolicy;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.records.SrvPort;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.rules.OversizedRecords;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.wire.AnswerOrder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * The options that all commands share: how manifests are read, which objects are published, and which zones and records they have.
 * Each group has its own heading in {@code --help}.
 */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class ClusterOptions {
    /** The address of the name server for commands that do not listen, or listen on a wildcard address. */
    static final IpAddress LOOPBACK = IpAddress.parse("127.0.0.1");

    private Consumer<Optional<Map<String, String>>> kubeDnsData = any -> {};
    private Consumer<ManifestResult> manifests = any -> {};
    final Reading reading = new Reading();
    final Publishing publishing = new Publishing();
    final Zones zones = new Zones();
    /** The code of notes about documents that are not Kubernetes objects. */
    private static final String NO_OBJECT = "no-object";

    /** The code of warnings about files that are templates. */
    private static final String TEMPLATE = "template";

    /** The largest manifest, 256 MiB. */
    private static final int MAX_INPUT = 256 << 20;

    private Supplier<InputStream> standardInput = () -> System.in;

    /** Messages about options, until they are printed. */
    private final List<String> ofOptions = new ArrayList<>();

    private boolean isHiddenReported;

    /** The output of the program of each manifest, because a command may read it several times; empty if it is not rendered. */
    private final Map<String, Optional<ManifestRenderer.Rendered>> rendered = new LinkedHashMap<>();

    /** The first problem of each input that was named, not found in a directory, and cannot be parsed; in the order of the inputs. */
    private final Map<String, Diagnostic> unparsed = new LinkedHashMap<>();

    /** The arguments with which the command reads standard input, for hints. */
    private String standardInputHint;

    private CommandSpec command;

    /** Declares the options. */
    void declare(CommandSpec command) {
        this.command = command;
        standardInputHint = UsageHints.standardInput(command.name());
        reading.declare(command);
        publishing.declare(command);
        zones.declare(command);
    }

    /** The options for reading manifests. */
    static final class Reading {
        private static final String HEADING = "Reading manifests:";

        boolean asIs;
        List<IpNetwork> serviceCidrs = new ArrayList<>();
        List<IpNetwork> podCidrs = new ArrayList<>();
        List<String> ready = new ArrayList<>();
        String defaultNamespace;
        boolean strict;
        boolean verbose;
        final RenderOptions rendering = new RenderOptions();

        /** Returns the long names of the options. */
        static Set<String> longNames() {
            CommandSpec command = CommandSpec.create();
            new Reading().declare(command);
            return command.options().stream().map(OptionSpec::longestName).collect(Collectors.toUnmodifiableSet());
        }

        void declare(CommandSpec command) {
            rendering.declare(command, HEADING);
            addOptions(
                    command,
                    HEADING,
                    flag("--as-is", value -> asIs = value)
                            .description("For manifests exported from an API server: complete nothing, require "
                                    + "nothing."),
                    options("--service-cidr", IpNetwork.class, value -> serviceCidrs = value)
                            .paramLabel("CIDR")
                            .description(
                                    "The range of the cluster IPs that manifests omit; repeatable, one per family, "
                                            + "the first is the cluster's first family (default: 10.96.0.0/12)."),
                    options("--pod-cidr", IpNetwork.class, value -> podCidrs = value)
                            .paramLabel("CIDR")
                            .description("The range of the Pod addresses that manifests omit; repeatable, one per "
                                    + "family (default: 10.244.0.0/16)."),
                    options("--ready", String.class, value -> ready = value)
                            .paramLabel("all|none|NAME=true|NAME=false")
                            .description("Which Pods are assumed to be ready, of those whose manifest does not say it; "
                                    + "NAME is a Pod or workload, alone or as NS/NAME; repeatable (default: all)."),
                    option("--default-namespace", String.class, value -> defaultNamespace = value)
                            .paramLabel("NS")
                            .defaultValue("default")
                            .description("The namespace of objects that name none, as kubectl apply -n has it "
                                    + "(default: ${DEFAULT-VALUE})."),
                    flag("--strict", value -> strict = value)
                            .description("Every warning about something skipped is an error (exit 2)."),
                    flag("--verbose", value -> verbose = value)
                            .description(
                                    "Print every note and warning instead of the number of each sort and an example."));
        }
    }

    /** The options that select the published objects. */
    static final class Publishing {
        List<String> namespaces = new ArrayList<>();
        boolean allNamespaces;

        @Nullable
        Selector labels;

        @Nullable
        Selector namespaceLabels;

        boolean ignoreEmptyServices;
        boolean noEndpoints;

        void declare(CommandSpec command) {
            addOptions(
                    command,
                    "What is published (default: everything):",
                    options("--namespace", String.class, value -> namespaces = value)
                            .names("-n", "--namespace")
                            .paramLabel("NS")
                            .description("Only objects in this namespace; repeatable."),
                    flag("--all-namespaces", value -> allNamespaces = value)
                            .names("-A", "--all-namespaces")
                            .description("Objects in every namespace, the default."),
                    option("--labels", Selector.class, value -> labels = value)
                            .names("-l", "--labels", "--selector")
                            .paramLabel("SELECTOR")
                            .description("Only Services and Pods with these labels, for example 'app=web' or "
                                    + "'tier,env in (prod,stage)'; EndpointSlices follow their Service."),
                    option("--namespace-labels", Selector.class, value -> namespaceLabels = value)
                            .paramLabel("SELECTOR")
                            .description(
                                    "Only objects in namespaces with these labels; not together with --namespace."),
                    flag("--ignore-empty-services", value -> ignoreEmptyServices = value)
                            .description(
                                    "A Service with a cluster IP and without a published endpoint does not exist."),
                    flag("--no-endpoints", value -> noEndpoints = value)
                            .description(
                                    "Read no endpoints: no endpoint names, no headless Services, no PTR of endpoints."));
        }
    }

    /** The options of the zones and their records. */
    static final class Zones {
        List<DnsLabels> forward = new ArrayList<>();
        List<String> reverse = new ArrayList<>();
        long ttl;

        @Nullable
        Long negativeTtl;

        PodsMode pods;
        EndpointNames endpointNames;
        ReversePolicy ptr;
        SrvPort srvPort;
        boolean noBareSrv;
        List<IpAddress> nameServers = new ArrayList<>();
        AnswerOrder order;

        void declare(CommandSpec command) {
            addOptions(
                    command,
                    "Zones and records:",
                    options("--zone", DnsLabels.class, value -> forward = value)
                            .converters(Main.parsed(DnsLabels::parseHostName))
                            .paramLabel("ZONE")
                            .description("The cluster's domain; repeatable, PTR records point into the first "
                                    + "(default: cluster.local)."),
                    options("--reverse-zone", String.class, value -> reverse = value)
                            .paramLabel("CIDR|NAME")
                            .description("A reverse zone, for example 10.96.0.0/12 or 96.10.in-addr.arpa; repeatable "
                                    + "(default: in-addr.arpa and ip6.arpa)."),
                    option("--ttl", long.class, value -> ttl = value)
                            .paramLabel("SECONDS")
                            .defaultValue("5")
                            .description("The TTL of records (default: ${DEFAULT-VALUE})."),
                    option("--negative-ttl", Long.class, value -> negativeTtl = value)
                            .paramLabel("SECONDS")
                            .description("The TTL of negative answers (default: as --ttl)."),
                    option("--pods", PodsMode.class, value -> pods = value)
                            .paramLabel("disabled|insecure|verified")
                            .defaultValue("verified")
                            .description(
                                    "Which pod names (10-244-0-7.NS.pod.ZONE) exist: disabled: none; insecure: that of every "
                                            + "address; verified: those of Pods in the namespace (default: ${DEFAULT-VALUE})."),
                    option("--endpoint-names", EndpointNames.class, value -> endpointNames = value)
                            .paramLabel("hostname|pod")
                            .defaultValue("hostname")
                            .description("The names of endpoints: the hostname, or the Pod's name if there is none; "
                                    + "without either, the address with dashes (default: ${DEFAULT-VALUE})."),
                    option("--ptr", ReversePolicy.class, value -> ptr = value)
                            .paramLabel("all|headless-only|hostname-only|one")
                            .defaultValue("all")
                            .description(
                                    "Which endpoints the PTR records of an address name: all; headless-only: those of headless "
                                            + "Services; hostname-only: those with a hostname; one: the first (default: ${DEFAULT-VALUE})."),
                    option("--srv-port", SrvPort.class, value -> srvPort = value)
                            .paramLabel("slice|service")
                            .defaultValue("slice")
                            .description("The port in SRV records of headless Services: of the EndpointSlice, where "
                                    + "the Pod listens, or of the Service (default: ${DEFAULT-VALUE})."),
                    flag("--no-bare-srv", value -> noBareSrv = value)
                            .description("No SRV records at the bare name of a Service."),
                    options("--ns-address", IpAddress.class, value -> nameServers = value)
                            .paramLabel("IP")
                            .description(
                                    "The address of ns.dns.ZONE, the zones' name server; repeatable (default: where serve "
                                            + "listens; 127.0.0.1 for a wildcard and for the other commands)."),
                    option("--order", AnswerOrder.class, value -> order = value)
                            .paramLabel("rotate|stable|shuffle")
                            .defaultValue("rotate")
                            .description(
                                    "The order of addresses in the answers of serve (default: ${DEFAULT-VALUE}). The "
                                            + "other commands always print in stable order."));
        }
    }

    /**
     * Returns the settings of the zones.
     *
     * @param ownAddresses the default addresses of the name server
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
     * @throws ParameterException if the name of a namespace is invalid, a selector is empty, or namespaces are chosen both by name
     *     and by labels
     */
    Visibility visibility() {
        if (!publishing.namespaces.isEmpty() && publishing.namespaceLabels != null) {
            throw usage("--namespace and --namespace-labels exclude each other: choose by name or by labels");
        }
        if (publishing.allNamespaces && (!publishing.namespaces.isEmpty() || publishing.namespaceLabels != null)) {
            throw usage("--all-namespaces and "
                    + (publishing.namespaceLabels == null ? "--namespace" : "--namespace-labels")
                    + " exclude each other");
        }
        for (String namespace : publishing.namespaces) {
            if (!KubernetesNames.isDnsLabel(namespace)) {
                throw usage("--namespace: not the name of a namespace: '" + namespace + "'"
                        + (namespace.indexOf(',') < 0
                                ? ""
                                : "; for several write -n "
                                        + Stream.of(namespace.split(",", -1))
                                                .filter(one -> !one.isBlank())
                                                .collect(Collectors.joining(" -n "))));
            }
        }
        Visibility visibility = chosenNamespaces();
        return publishing.labels == null ? visibility : visibility.onlyWith(notEmpty("--labels", publishing.labels));
    }

    private Visibility chosenNamespaces() {
        if (!publishing.namespaces.isEmpty()) {
            return Visibility.ofNamespaces(Set.copyOf(publishing.namespaces));
        }
        return publishing.namespaceLabels == null
                ? Visibility.ALL
                : Visibility.ofNamespacesWith(notEmpty("--namespace-labels", publishing.namespaceLabels));
    }

    /** Rejects an empty selector, which would select everything and is usually an unset variable. */
    private Selector notEmpty(String option, Selector selector) {
        if (selector.equals(Selector.EVERYTHING)) {
            throw usage(option + ": the selector is empty; to publish everything, omit the option");
        }
        return selector;
    }

    /**
     * Returns how manifests are read.
     *
     * @param asIs whether nothing is completed
     * @throws ParameterException if an option is invalid
     */
    ManifestOptions manifestOptions(boolean asIs) {
        reading.rendering.check();
        Addressing standard = Addressing.DEFAULTS;
        ManifestOptions options = valid(
                "",
                () -> ManifestOptions.DEFAULTS
                        .withDefaultNamespace(reading.defaultNamespace)
                        .withAddressing(new Addressing(
                                reading.serviceCidrs.isEmpty() ? standard.serviceCidrs() : reading.serviceCidrs,
                                reading.podCidrs.isEmpty() ? standard.podCidrs() : reading.podCidrs))
                        .withReadiness(readiness()));
        options = asIs ? options.withAsIs() : options;
        return reading.strict ? options.withStrict() : options;
    }

    private Readiness readiness() {
        Readiness readiness = reading.ready.contains("none") ? Readiness.NONE : Readiness.ALL;
        if (reading.ready.contains("none") && reading.ready.contains("all")) {
            throw usage("--ready: all and none exclude each other");
        }
        for (String assumption : reading.ready) {
            int equals = assumption.indexOf('=');
            String value = assumption.substring(equals + 1);
            if (equals > 0 && (value.equals("true") || value.equals("false"))) {
                readiness = readiness.with(assumption.substring(0, equals), value.equals("true"));
            } else if (!assumption.equals("all") && !assumption.equals("none")) {
                throw usage("--ready: not all, none, NAME=true or NAME=false: " + assumption);
            }
        }
        return readiness;
    }

    /**
     * Reads manifests, and prints a summary, notes and warnings to stderr.
     *
     * @param names files, directories, {@code -} for standard input
     * @param asIs whether nothing is completed
     * @param rules which records the objects will have
     * @throws IOException if one is missing or cannot be read
     */
    ManifestResult manifests(List<String> names, boolean asIs, RecordRules rules) throws IOException {
        ManifestResult result = silently(names, asIs, rules);
        report(result);
        return result;
    }

    /** Sets the arguments with which the command reads standard input, for hints, if they depend on other arguments. */
    void hintStandardInput(String arguments) {
        standardInputHint = arguments;
    }

    /**
     * One of the sides that a command compares.
     *
     * @param name its name in messages
     * @param standardInputHint the arguments with which the command reads this side from standard input
     * @param maxLines the largest number of lines about its manifests, as {@link DiagnosticReport} takes it
     */
    record Side(String name, String standardInputHint, int maxLines) {
        /** Returns a message with the name of the side. */
        String named(String message) {
            return message.replaceFirst("^(note: |warning: |)", "$1" + Matcher.quoteReplacement(name) + ": ");
        }
    }

    /** Reads the manifests of one side like {@link #manifests(List, boolean, RecordRules)}; each line names the side. */
    ManifestResult manifests(List<String> names, Side side, RecordRules rules) throws IOException {
        ManifestResult result = silently(names, reading.asIs, rules);
        String command = this.command.qualifiedName() + side.standardInputHint();
        List<String> lines = new ArrayList<>(
                reading.verbose
                        ? DiagnosticReport.lines(result, command, true)
                        : DiagnosticReport.lines(result, command, side.maxLines()));
        lines.addAll(warningsOfFilters(result));
        hidden(result).counted().ifPresent(lines::add);
        InventedRecords invented = InventedRecords.of(result);
        lines.forEach(line -> print(side.named(invented.marked(line))));
        return result;
    }

    /**
     * Returns the input of a name, {@code -} for standard input. With {@code --render}, that of a kustomization or a chart is the
     * output of its program.
     *
     * @throws IOException if it is to be rendered, and that fails
     */
    ManifestInput input(String name) throws IOException {
        if (name.equals("-")) {
            return ManifestInput.stream("-", standardInput.get());
        }
        if (!rendered.containsKey(name)) {
            rendered.put(name, reading.rendering.render(name, reading.defaultNamespace));
        }
        return rendered.getOrDefault(name, Optional.empty())
                .map(one -> ManifestInput.stream(one.command(), one.open()))
                .orElseGet(() -> ManifestInput.path(Path.of(name)));
    }

    /**
     * Returns the input of a position's file, to be read again: a file, the output of a program, or standard input, if it was kept
     * with {@link #keepStandardInput}.
     */
    ManifestInput again(String file) {
        if (file.equals("-")) {
            return ManifestInput.stream(file, standardInput.get());
        }
        return rendered.values().stream()
                .flatMap(Optional::stream)
                .filter(one -> one.command().equals(file))
                .findFirst()
                .map(one -> ManifestInput.stream(file, one.open()))
                .orElseGet(() -> ManifestInput.path(Path.of(file)));
    }

    /** Returns the inputs of names. */
    List<ManifestInput> inputs(List<String> names) throws IOException {
        List<ManifestInput> inputs = new ArrayList<>();
        for (String name : names) {
            inputs.add(input(name));
        }
        return inputs;
    }

    /** Reads standard input to its end, so that {@link #input} returns all of it each time. */
    void keepStandardInput() throws IOException {
        // One byte more than a file may have, so that a longer one is refused.
        byte[] all = System.in.readNBytes(MAX_INPUT + 1);
        standardInput = () -> new ByteArrayInputStream(all);
    }

    /** Reads manifests like {@link #manifests}, and prints nothing. */
    ManifestResult silently(List<String> names, boolean asIs, RecordRules rules) throws IOException {
        ManifestOptions options = manifestOptions(asIs);
        ManifestResult result = Progress.during(
                "reading manifests",
                command.commandLine().getErr(),
                () -> Manifests.read(inputs(names), options, new OversizedRecords(rules)::check));
        if (reading.rendering.isChosen()
                && names.stream()
                        .noneMatch(name ->
                                rendered.getOrDefault(name, Optional.empty()).isPresent())) {
            command.commandLine()
                    .getErr()
                    .println("warning: --render: nothing is rendered, because " + String.join(", ", names)
                            + " is no directory with a kustomization.yaml or a Chart.yaml");
        }
        findUnparsed(names, result);
        return result;
    }

    /**
     * Checks that files, standard input and what was rendered have an object of any kind, as kubectl does: an empty input is often the
     * output of a program that failed. Directories are not checked, because their files may all be for other programs, nor files that are
     * watched, because they may be written later.
     *
     * @param names where the result was read from
     * @throws InvalidInputException if there is no object
     */
    void requireObject(List<String> names, ManifestResult result) {
        requireRendered(names, standardInputHint, result);
        boolean isEmpty = result.positions().isEmpty()
                && result.diagnostics().stream().allMatch(one -> one.code().equals(NO_OBJECT));
        if (isEmpty && names.stream().noneMatch(this::isReadAsDirectory)) {
            String first = names.get(0).equals("-") ? "standard input" : names.get(0);
            throw new InvalidInputException("no Kubernetes object in "
                    + (names.size() == 1 ? first : "the " + PlanTable.count(names.size(), "manifest")));
        }
    }

    private boolean isReadAsDirectory(String name) {
        boolean isRendered = rendered.getOrDefault(name, Optional.empty()).isPresent();
        return !name.equals("-") && !isRendered && Files.isDirectory(Path.of(name));
    }

    /**
     * Checks that the input does not consist of templates only, which have no objects, so that every result would be empty.
     *
     * @param names where the result was read from
     * @param standardInputHint the arguments with which the command reads standard input instead
     * @throws InvalidInputException if there are templates, and no object
     */
    void requireRendered(List<String> names, String standardInputHint, ManifestResult result) {
        // The error about a file that was named is the one that it cannot be parsed.
        List<String> codes = result.diagnostics().stream().map(Diagnostic::code).toList();
        if (result.positions().isEmpty()
                && unparsed.isEmpty()
                && codes.contains(TEMPLATE)
                && codes.stream().allMatch(code -> code.equals(NO_OBJECT) || NamedObjects.UNREAD.contains(code))) {
            String chart =
                    DiagnosticReport.unrenderedChart(result.diagnostics()).orElse("DIR");
            // A chart below a directory is not rendered.
            boolean isNamed = names.stream()
                    .anyMatch(name ->
                            CorefileOptions.quoted(Path.of(name).toString()).equals(chart));
            throw new InvalidInputException("no Kubernetes object in " + PlanTable.first(names)
                    + ", because templates are not rendered; "
                    + (isNamed ? renderingHint(chart, standardInputHint) : helmHint(chart, standardInputHint)));
        }
    }

    /**
     * Returns what to do about a chart whose templates are not rendered.
     *
     * @param chart its directory, quoted for a shell
     * @param standardInputHint the arguments with which the command reads standard input instead
     */
    String renderingHint(String chart, String standardInputHint) {
        return helmHint(chart, standardInputHint) + (reading.rendering.isChosen() ? "" : ", or --render");
    }

    private String helmHint(String chart, String standardInputHint) {
        return "use helm template RELEASE " + chart + " | " + command.qualifiedName() + standardInputHint;
    }

    /**
     * Checks that no chart with templates is in the input: without their objects, names would seem to vanish or appear.
     *
     * @param names where the result was read from
     * @param standardInputHint the arguments with which the command reads standard input instead
     * @throws InvalidInputException if there is one
     */
    void requireRenderedCharts(List<String> names, String standardInputHint, ManifestResult result) {
        Optional<Path> found = result.diagnostics().stream()
                .filter(one -> one.code().equals(TEMPLATE))
                .flatMap(one -> one.position().stream())
                .map(position -> Path.of(position.file()))
                .filter(Files::isRegularFile)
                .flatMap(file -> ManifestRenderer.chartOf(file).stream())
                .findFirst();
        if (found.isPresent()) {
            Path chart = found.get();
            String quoted = CorefileOptions.quoted(chart.toString());
            boolean isNamed = names.stream().map(Path::of).anyMatch(name -> isSame(name, chart));
            throw new InvalidInputException(
                    "the chart " + chart + " cannot be compared, because its templates are not rendered; "
                            + (isNamed
                                    ? renderingHint(quoted, standardInputHint)
                                    : "compare what is not in it, or " + helmHint(quoted, standardInputHint)));
        }
    }

    private static boolean isSame(Path one, Path other) {
        return one.toAbsolutePath().normalize().equals(other.toAbsolutePath().normalize());
    }

    /** Reads manifests like {@link #manifests}, and watches the files. Each change is printed to stderr. */
    WatchedManifests watched(List<String> names, RecordRules rules) throws IOException {
        if (reading.rendering.isChosen()) {
            throw usage("--render and --watch exclude each other");
        }
        ManifestOptions options = manifestOptions(reading.asIs);
        AtomicBoolean isFirst = new AtomicBoolean(true);
        return WatchedManifests.read(
                names.stream().map(Path::of).toList(), options, new OversizedRecords(rules)::check, result -> {
                    if (isFirst.getAndSet(false)) {
                        findUnparsed(names, result);
                    }
                    report(result);
                });
    }

    private void findUnparsed(List<String> names, ManifestResult result) {
        Set<String> named = names.stream().map(name -> Path.of(name).toString()).collect(Collectors.toSet());
        rendered.values().forEach(one -> one.ifPresent(output -> named.add(output.command())));
        for (Diagnostic one : result.diagnostics()) {
            if (NamedObjects.UNREAD.contains(one.code())) {
                one.position()
                        .map(Position::file)
                        .filter(named::contains)
                        .ifPresent(file -> unparsed.putIfAbsent(file, one));
            }
        }
    }

    /**
     * Returns the exit code of a command that has done its work: {@link Main#INVALID}, after an error on stderr, if a file that was
     * named, or standard input, cannot be parsed. A file that was found in a directory may be for another program, and is only
     * reported.
     *
     * @param code the code otherwise
     */
    int exitCode(int code) {
        if (unparsed.isEmpty()) {
            return code;
        }
        command.commandLine().getOut().flush();
        Main.printError(command.commandLine(), unparsedText());
        return Main.INVALID;
    }

    private String unparsedText() {
        int others = unparsed.size() - 1;
        String more = others == 0 ? "" : " (and " + PlanTable.count(others, "more file") + ")";
        return "cannot be parsed: " + unparsed.values().iterator().next() + more;
    }

    /**
     * Returns the exception for objects that the command cannot work with.
     *
     * @param text the reason, unless a file that was named cannot be parsed, which is the reason then
     */
    InvalidInputException invalidInput(String text) {
        return new InvalidInputException(unparsed.isEmpty() ? text : unparsedText());
    }

    /**
     * Sets the receiver of the data of kube-dns's ConfigMap, called each time that the manifests are read; empty if there is none.
     */
    void kubeDnsData(Consumer<Optional<Map<String, String>>> takes) {
        kubeDnsData = takes;
    }

    /** Sets the receiver of the manifests, called each time that they are read. */
    void onManifests(Consumer<ManifestResult> takes) {
        manifests = takes;
    }

    /**
     * Adds messages about options to the first report on manifests: warnings, other messages, and notes last, as in the report.
     */
    void addToReport(List<String> messages) {
        ofOptions.addAll(messages);
    }

    private void report(ManifestResult result) {
        kubeDnsData.accept(result.kubeDnsData());
        manifests.accept(result);
        PrintWriter err = command.commandLine().getErr();
        List<String> lines = new ArrayList<>(DiagnosticReport.lines(result, stdinCommand(), reading.verbose));
        // The error at the end is the same; a template keeps its warning, because a note about helm follows it.
        unparsed.values().stream()
                .findFirst()
                .filter(one -> !one.code().equals(TEMPLATE))
                .ifPresent(one -> lines.remove("warning: " + one));
        // The summary, then warnings, then notes.
        for (String message : ofOptions) {
            int firstNote = (int)
                    lines.stream().takeWhile(line -> !line.startsWith("note: ")).count();
            lines.add(message.startsWith("note: ") ? lines.size() : firstNote, message);
        }
        ofOptions.clear();
        printMarked(lines, result);
        // A watched directory is reported again after each change.
        if (!isHiddenReported) {
            isHiddenReported = true;
            warningsOfFilters(result).forEach(err::println);
            hidden(result).counted().ifPresent(err::println);
        }
    }

    /** Prints the command that renders the first chart with templates, whose objects may have more names. */
    private void noteUnrenderedChart(ManifestResult result) {
        DiagnosticReport.unrenderedChart(result.diagnostics())
                .ifPresent(chart -> command.commandLine()
                        .getErr()
                        .println("note: templates are not rendered; " + helmHint(chart, standardInputHint)));
    }

    /** Returns this command with its manifests from standard input, for hints about templates and kustomizations. */
    private String stdinCommand() {
        return command.qualifiedName() + standardInputHint;
    }

    /** Prints lines about manifests to stderr; addresses and Pod names that no manifest holds are marked. */
    private void printMarked(List<String> lines, ManifestResult result) {
        lines.stream()
                .map(InventedRecords.of(result)::marked)
                .forEach(command.commandLine().getErr()::println);
    }

    /**
     * Prints what concerns some names to stderr: the notes about their Services, namespaces, EndpointSlices and Pods, and how many
     * files were not read. With {@code --verbose} everything is printed.
     *
     * @param result manifests that were read {@link #silently}
     */
    void report(ManifestResult result, Collection<DnsLabels> names, RecordRules rules) {
        if (reading.verbose) {
            report(result);
            return;
        }
        NamedObjects objects = new NamedObjects(result, rules.settings().zones());
        names.forEach(objects::add);
        PrintWriter err = command.commandLine().getErr();
        warningsOfFilters(result).forEach(err::println);
        printMarked(objects.lines(result.diagnostics(), stdinCommand()), result);
        noteUnrenderedChart(result);
        hidden(result).named(objects.refs()).ifPresent(err::println);
    }

    /**
     * Prints what concerns an explanation to stderr: the warnings about the objects behind its name, the notes about the objects that it
     * names, and the number of the others. With {@code --verbose} everything is printed.
     *
     * @param result manifests that were read {@link #silently}
     * @param named the objects that the explanation names
     * @param asking the Pod that looks the name up, and its workload, whose warnings are printed
     * @param isCause whether a warning is not printed here, because the explanation has it
     */
    void report(
            ManifestResult result,
            DnsLabels name,
            Set<ObjectRef> named,
            Set<ObjectRef> asking,
            Predicate<Diagnostic> isCause,
            RecordRules rules) {
        if (reading.verbose) {
            report(result);
            return;
        }
        NamedObjects objects = new NamedObjects(result, rules.settings().zones());
        objects.add(name);
        PrintWriter err = command.commandLine().getErr();
        warningsOfFilters(result).forEach(err::println);
        List<Diagnostic> others =
                result.diagnostics().stream().filter(isCause.negate()).toList();
        printMarked(objects.lines(others, named, asking, stdinCommand()), result);
        noteUnrenderedChart(result);
        hidden(result).named(objects.refs()).ifPresent(err::println);
    }

    /**
     * Prints that Pods are assumed to be ready, if this decides which endpoints are published: endpoints are Pods that a workload
     * makes, and no option says which of them are ready.
     *
     * @param isPrinted whether the command prints records of a slice
     */
    void noteAssumedReadiness(ManifestResult result, Predicate<ObjectRef> isPrinted) {
        if (!reading.ready.isEmpty() || publishing.noEndpoints) {
            return;
        }
        HiddenObjects hidden = hidden(result);
        // A slice in a manifest has conditions of its own.
        boolean isAssumed = result.snapshot()
                .objects(EndpointSlice.class)
                .filter(slice -> isPrinted.test(slice.ref())
                        && result.position(slice.ref()).isEmpty()
                        && slice.serviceRef()
                                .filter(service -> !hidden.contains(service))
                                .isPresent())
                .flatMap(slice -> slice.endpoints().stream())
                .flatMap(endpoint -> endpoint.targetRef().stream())
                .anyMatch(result.workloads()::containsKey);
        if (isAssumed) {
            command.commandLine()
                    .getErr()
                    .println("note: Pods of workloads are assumed to be ready; --ready none assumes the opposite");
        }
    }

    /** Returns the warnings about options that leave no object. */
    private List<String> warningsOfFilters(ManifestResult result) {
        List<String> warnings = new ArrayList<>(emptyNamespaces(result));
        boolean hasObjects = !new HiddenObjects(result.snapshot(), chosenNamespaces(), List.of()).areAllHidden();
        if (hasObjects && publishing.labels != null && hidden(result).areAllHidden()) {
            warnings.add("warning: --labels selects no Service or Pod");
        }
        return warnings;
    }

    private List<String> emptyNamespaces(ManifestResult result) {
        Set<String> used = Stream.concat(
                        result.snapshot().objects(NamespacedObject.class).map(NamespacedObject::ref),
                        result.positions().keySet().stream())
                .flatMap(ref -> ref.namespace().stream())
                .collect(Collectors.toSet());
        // Not those that every cluster has.
        Set<String> given = namespaces(result.snapshot())
                .filter(name -> used.contains(name)
                        || result.position(ObjectRef.of(Namespace.KIND, name)).isPresent())
                .collect(Collectors.toSet());
        List<String> warnings = EmptyNamespaces.warnings(publishing.namespaces, used, () -> given);
        boolean isDefault = reading.defaultNamespace.equals(ManifestOptions.DEFAULTS.defaultNamespace());
        boolean isMisspelt = publishing.namespaces.stream()
                .anyMatch(one -> !DidYouMean.question(one, used).isEmpty());
        if (publishing.namespaces.size() != 1 || isMisspelt || !isDefault || !used.contains(reading.defaultNamespace)) {
            return warnings;
        }
        return warnings.stream()
                .map(warning -> warning + "; objects that name no namespace are in it with --default-namespace "
                        + publishing.namespaces.get(0))
                .toList();
    }

    /**
     * Returns the warnings about namespaces of {@code --namespace} in which a live cluster has no object.
     *
     * @param snapshot the objects of these namespaces
     * @param existing returns the namespaces of the cluster; empty if that is not permitted
     */
    List<String> emptyNamespaces(ClusterSnapshot snapshot, Supplier<List<String>> existing) {
        Set<String> used = snapshot.objects(NamespacedObject.class)
                .map(NamespacedObject::namespace)
                .collect(Collectors.toSet());
        if (publishing.labels != null) {
            // There may be objects with other labels.
            namespaces(snapshot).forEach(used::add);
        }
        return EmptyNamespaces.warnings(publishing.namespaces, used, existing);
    }

    /** Prints a message to stderr. */
    void print(String message) {
        command.commandLine().getErr().println(message);
    }

    private static Stream<String> namespaces(ClusterSnapshot snapshot) {
        return snapshot.objects(Namespace.class).map(Namespace::name);
    }

    /** Returns the marks with the address of the zones' name server, which is assumed if no option has it. */
    InventedRecords withNameServer(InventedRecords invented) {
        return zones.nameServers.isEmpty() ? invented.with(List.of(LOOPBACK)) : invented;
    }

    /** Returns the names of the given options that select objects. */
    List<String> filters() {
        List<String> filters = new ArrayList<>();
        if (!publishing.namespaces.isEmpty()) {
            filters.add("--namespace");
        }
        if (publishing.namespaceLabels != null) {
            filters.add("--namespace-labels");
        }
        if (publishing.labels != null) {
            filters.add("--labels");
        }
        return filters;
    }

    private HiddenObjects hidden(ManifestResult result) {
        return new HiddenObjects(result.snapshot(), visibility(), filters());
    }

    private <T> T valid(String option, Supplier<T> value) {
        try {
            return value.get();
        } catch (IllegalArgumentException invalid) {
            throw usage(option + invalid.getMessage());
        }
    }

    /** Returns the exception for options that the parser accepts but that are invalid. */
    ParameterException usage(String text) {
        return new ParameterException(command.commandLine(), text);
    }
}
