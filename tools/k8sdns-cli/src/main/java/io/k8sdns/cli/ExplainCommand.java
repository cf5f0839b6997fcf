package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addName;
import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.exitCodes;
import static io.k8sdns.cli.CommandSpecs.option;

import io.k8sdns.arguments.EditDistance;
import io.k8sdns.cli.OutputOptions.Format;
import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.explain.Explainer;
import io.k8sdns.explain.Explanation;
import io.k8sdns.explain.Explanation.Cause;
import io.k8sdns.explain.Explanation.Source;
import io.k8sdns.explain.Explanation.Suggestion;
import io.k8sdns.manifest.DiagnosticReport;
import io.k8sdns.manifest.ManifestResult;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.InvalidFieldException;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.NamespacedObject;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Service;
import io.k8sdns.model.StatefulSet;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import io.k8sdns.records.RecordType;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.schema.NameSchema;
import io.k8sdns.slices.EndpointsMirroring;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Name;
import org.xbill.DNS.Type;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The command {@code k8sdns explain}: prints why a name resolves, or why it does not. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class ExplainCommand implements Callable<Integer> {
    private static final int FIRST_NOT_ASCII = 0x80;

    /** The address of a Pod that has none before it runs (RFC 5737), to find its hostname in its file {@code /etc/hosts}. */
    private static final IpAddress EXAMPLE_ADDRESS = IpAddress.parse("192.0.2.1");

    private final LiveOptions live = new LiveOptions();
    private final ClusterOptions options = new ClusterOptions();
    private final OutputOptions output = new OutputOptions(Format.NAME, Format.SVG)
            .withNames("the objects that make the records, or that are a cause");
    private final ManifestArguments manifests = new ManifestArguments();
    private String name;

    @Nullable
    private String type;

    @Nullable
    private String from;

    private InventedRecords invented = InventedRecords.NONE;
    private ObjectPositions positions;

    /** The Pod of {@code --from} and its workload. */
    private final Set<ObjectRef> asking = new HashSet<>();

    private CommandSpec command;

    /** Declares the command. */
    CommandSpec spec() {
        command = CommandSpecs.command("explain", this);
        command.usageMessage()
                .description(
                        "Explains why a name has records in Kubernetes manifests, or in a live cluster, or why it has none.",
                        "",
                        "For each record: the object with its file and line, the field and the section of the specification that make it, and its zone. For a name without "
                                + "records: the causes, and what would make it resolve. Each suggestion was tried.",
                        "")
                .footer(
                        "  k8sdns explain -f examples/bookstore cart.shop",
                        "  k8sdns explain -f examples/bookstore --from lab cart",
                        "  k8sdns explain -f examples/bookstore --from lab -o svg cart >cart.svg",
                        "  helm template charts/web | k8sdns explain -f - _http._tcp.web.shop",
                        "  k8sdns explain --live -o json db-0.db.shop")
                .exitCodeList(exitCodes(
                        "0:the name resolves",
                        "1:it does not",
                        "2:usage or invalid input",
                        "3:failed at run time, for example the cluster cannot be read"));
        manifests.declare(command);
        addOptions(
                command,
                HelpSections.OWN,
                option("--from", String.class, value -> from = value)
                        .paramLabel("NS[/POD]")
                        .description(
                                "Look the name up from a Pod, with its search list: of this Pod of the objects, of the first Pod of "
                                        + "the workload with this name (of its template if it has no Pod in manifests; of a live cluster a Deployment or StatefulSet), or of a Pod of this namespace without DNS settings (default: the name is absolute, or below svc and the zone)."));
        output.declare(
                command,
                HelpSections.OWN,
                "one object: {\"name\", \"type\", \"status\", \"resolves\", \"steps\", \"records\", "
                        + "\"targetOfOtherServer\", \"causes\", \"suggestions\"}, and \"dns\" of a name in /etc/hosts.");
        live.declareWithPods(command);
        options.declare(command);
        addName(command, value -> name = value);
        command.addPositional(CommandSpecs.type(value -> type = value)
                .description(
                        "A, AAAA, SRV, PTR, ... (default: A; SRV if NAME begins with _, as the name of a port does).")
                .build());
        return command;
    }

    @Override
    public Integer call() throws IOException {
        live.requireOneSource(manifests.all(), Stream.concat(Stream.ofNullable(type), Stream.of(name)));
        output.format();
        if (name.isEmpty()) {
            throw options.usage("not a name: it is empty; write SERVICE.NAMESPACE, or . for the root");
        }
        readObject();
        readAddress();
        RecordType asked = type();
        RecordRules rules = new RecordRules(options.settings(List.of(ClusterOptions.LOOPBACK)));
        if (manifests.all().contains("-")) {
            // It is read for its objects, and later for the lines of fields.
            options.keepStandardInput();
        }
        Optional<ManifestResult> read = live.isChosen()
                ? Optional.empty()
                : Optional.of(options.silently(manifests.all(), options.reading.asIs, rules));
        read.ifPresent(result -> options.requireObject(manifests.all(), result));
        ClusterSnapshot snapshot;
        boolean hasPods = true;
        if (read.isPresent()) {
            snapshot = read.get().snapshot();
        } else {
            LiveCluster.PresentObjects cluster = LiveCluster.explainedObjects(live, options, rules.settings());
            snapshot = cluster.snapshot();
            hasPods = cluster.hasPods();
        }
        if (!hasPods && from != null) {
            requireNoPod(from);
        }
        invented = read.map(InventedRecords::of).orElse(InventedRecords.NONE);
        PodNameServers nameServers = PodNameServers.of(
                snapshot, read.map(ManifestResult::inventedAddresses).orElse(Set.of()));
        positions =
                read.map(result -> ObjectPositions.of(result, options::again)).orElseGet(ObjectPositions::none);
        UsageHints.service(name).ifPresent(service -> {
            throw options.usage(notAName(name, namesOf(service, snapshot)));
        });
        Explainer ofAll = Explainer.of(snapshot, rules.settings(), options.visibility());
        Explainer all = hasPods ? ofAll : ofAll.withoutPods();
        Explainer explainer = read.map(result -> all.withWarnings(
                        result.diagnostics().stream()
                                .filter(Predicate.not(DiagnosticReport::isHarmless))
                                .toList(),
                        result.refusals()))
                .orElse(all);
        PodLookup lookup =
                new PodLookup(explainer, snapshot, rules.settings().zones(), nameServers, name, asked, type != null);
        LookupWalk walk;
        try {
            walk = from == null
                    ? LookupWalk.of(name, ofAbsoluteName(explainer, snapshot, asked, rules))
                    : walk(from, lookup, snapshot);
        } catch (InvalidNameException invalid) {
            throw options.usage("not a name: " + invalid.getMessage());
        }
        Explanation explained = walk.mostUseful().explanation();
        if (explained.sources().stream().anyMatch(ExplainCommand::isOfZone)) {
            invented = options.withNameServer(invented);
        }
        LookupWalk shown = walk.withExplanations(new GivenObjects(snapshot, invented, read)::of);
        if (live.isChosen() && !options.publishing.namespaces.isEmpty()) {
            shown = shown.withExplanations(one -> ofReadNamespaces(one, snapshot));
        }
        print(shown);
        // The notes on stderr follow the answer.
        command.commandLine().getOut().flush();
        if (read.isPresent()) {
            // A fault in a manifest may be the cause.
            options.report(
                    read.get(), DnsNames.labels(explained.name()), named(explained), asking, isCause(explained), rules);
            Set<ObjectRef> sources = explained.sources().stream()
                    .flatMap(source -> source.object().stream())
                    .collect(Collectors.toSet());
            if (!walk.isOfHostsFile()) {
                options.noteAssumedReadiness(read.get(), sources::contains);
            }
        }
        if (!name.chars().allMatch(character -> character < FIRST_NOT_ASCII)) {
            options.print("note: '" + name + "' is read as " + explained.name()
                    + "; names of Services and Pods have only letters of ASCII, digits and hyphens");
        }
        namespaceOfPods(explained)
                .flatMap(namespace -> new OtherPodsHint(lookup.withExplainer(explainer.withoutChanges()), snapshot)
                        .of(namespace, walk))
                .ifPresent(hint -> options.print(invented.marked(hint)));
        if (from == null && !explained.resolves()) {
            fromHint(explainer, snapshot, rules).note(name, explained).ifPresent(options::print);
        }
        if (read.isPresent() && !walk.isOfHostsFile()) {
            new InitContainerHint(
                            snapshot,
                            rules.settings().zones(),
                            options.inputs(manifests.all()),
                            options.reading.defaultNamespace)
                    .of(shown.mostUseful().explanation())
                    .ifPresent(options::print);
        }
        return options.exitCode(explained.resolves() ? Main.DONE : Main.FAILED);
    }

    private void print(LookupWalk walk) {
        PrintWriter out = command.commandLine().getOut();
        if (output.isObjects()) {
            output.print(object(walk), out);
        } else if (output.format() == Format.NAME) {
            objects(walk.mostUseful().explanation())
                    .map(ObjectRef::toString)
                    .distinct()
                    .forEach(out::println);
        } else if (output.format() == Format.SVG) {
            new WalkDrawing(walk, invented).print(out);
        } else {
            lines(walk).forEach(out::println);
        }
    }

    /** Returns the namespace whose Pods may have another result: that of {@code --from}, otherwise of the explained objects. */
    private Optional<String> namespaceOfPods(Explanation explained) {
        if (from != null) {
            return Optional.of(from).filter(place -> place.indexOf('/') < 0);
        }
        return objects(explained).flatMap(object -> object.namespace().stream()).findFirst();
    }

    /** Returns the objects of the records; of a name without records those of its causes. */
    private static Stream<ObjectRef> objects(Explanation explained) {
        return explained.resolves()
                ? explained.sources().stream().flatMap(source -> source.object().stream())
                : explained.causes().stream().flatMap(cause -> cause.object().stream());
    }

    /** Returns the objects that an explanation names. */
    private static Set<ObjectRef> named(Explanation explained) {
        return Stream.of(
                        explained.sources().stream().map(Source::object),
                        explained.causes().stream().map(Cause::object),
                        explained.suggestions().stream().map(Suggestion::object))
                .flatMap(objects -> objects.flatMap(Optional::stream))
                .collect(Collectors.toSet());
    }

    /** Returns whether the explanation has a warning about the manifests as a cause. */
    private static Predicate<Diagnostic> isCause(Explanation explained) {
        return warning -> explained.causes().stream()
                .anyMatch(cause -> cause.position().isPresent()
                        && cause.position().equals(warning.position())
                        && cause.object().equals(warning.object())
                        && cause.field().equals(warning.field().orElse("")));
    }

    /** Returns the explanation of the name without a Pod; if it is to be looked up from one, with this cause. */
    private Explanation ofAbsoluteName(
            Explainer explainer, ClusterSnapshot snapshot, RecordType asked, RecordRules rules) {
        Explanation explained = explainer.explain(absolute(rules), asked);
        if (explained.resolves()) {
            return explained;
        }
        return fromHint(explainer, snapshot, rules)
                .cause(name, explained)
                .map(text -> withCause(explained, new Cause(Optional.empty(), "", text)))
                .orElse(explained);
    }

    private FromHint fromHint(Explainer explainer, ClusterSnapshot snapshot, RecordRules rules) {
        return new FromHint(explainer, snapshot, rules.settings().zones().get(0), options.publishing.namespaces);
    }

    /** Returns whether a record is one that a zone has without any object: that of the name server has its address. */
    private static boolean isOfZone(Source source) {
        return source.zone().isPresent() && source.object().isEmpty();
    }

    /** Returns an explanation with a cause before the others, but after those that were found in manifests. */
    private static Explanation withCause(Explanation explained, Cause added) {
        List<Cause> causes = new ArrayList<>(explained.causes());
        causes.add(
                (int) causes.stream()
                        .takeWhile(cause -> cause.position().isPresent())
                        .count(),
                added);
        return withCauses(explained, causes);
    }

    private static Explanation withCauses(Explanation explained, List<Cause> causes) {
        return new Explanation(
                explained.name(),
                explained.type(),
                explained.answer(),
                explained.sources(),
                causes,
                explained.suggestions());
    }

    /** Returns an explanation without causes that assume what is in namespaces of a live cluster that {@code --namespace} does not name. */
    private Explanation ofReadNamespaces(Explanation explained, ClusterSnapshot snapshot) {
        Set<String> read = Set.copyOf(options.publishing.namespaces);
        boolean knowsOthers = snapshot.objects(Namespace.class).anyMatch(one -> !read.contains(one.name()));
        List<Cause> causes = explained.causes().stream()
                .filter(cause ->
                        cause.object().flatMap(ObjectRef::namespace).stream().allMatch(read::contains))
                .map(cause -> knowsOthers
                                || cause.object()
                                        .filter(one -> one.kind().equals(Namespace.KIND) && !read.contains(one.name()))
                                        .isEmpty()
                        ? cause
                        : new Cause(cause.object(), cause.field(), "not read, because of --namespace"))
                .toList();
        return withCauses(explained, causes);
    }

    /** Returns the name as {@code ClusterDns} reads it; a name whose zone is missing or misspelt is absolute, to be explained. */
    private Name absolute(RecordRules rules) {
        try {
            return rules.settings().absoluteName(name);
        } catch (InvalidNameException ambiguous) {
            DnsLabels labels = DnsLabels.parse(name);
            DnsLabels zone = rules.settings().zones().get(0);
            return NameSchema.endsInServicesOrPods(labels) && !name.endsWith(".") && labels.fitsBelow(zone)
                    ? DnsNames.absolute(labels, zone)
                    : DnsNames.absolute(labels);
        }
    }

    /**
     * Reads a name as kubectl names objects: {@code svc NAME} is {@code svc/NAME}.
     *
     * @throws ParameterException if the name is a URL, or an object that has no name
     */
    private void readObject() {
        if (type != null && Type.value(type) < 0 && UsageHints.isServices(name)) {
            name += "/" + type;
            type = null;
        }
        if (UsageHints.service(name).isEmpty()) {
            UsageHints.ofName(name).ifPresent(hint -> {
                throw options.usage(notAName(name, hint));
            });
        }
    }

    /** Reads an address as its reverse name: no other name is an address. */
    private void readAddress() {
        boolean mayBeReverse = type == null || type.equalsIgnoreCase("PTR");
        if (from == null && mayBeReverse) {
            IpAddress.tryParse(name).ifPresent(address -> {
                options.print("note: " + name + " is an address: its reverse name and type PTR are looked up");
                name = NameSchema.reverseName(address) + ".";
                type = "PTR";
            });
        }
    }

    private static String notAName(String word, String hint) {
        return "not a name: '" + word + "'; " + hint;
    }

    /** Returns the names of the Services that kubectl may mean. */
    private static String namesOf(String service, ClusterSnapshot snapshot) {
        List<String> names = snapshot.objects(Service.class)
                .filter(one -> one.name().equals(service))
                .map(one -> one.name() + "." + one.namespace())
                .sorted()
                .toList();
        return names.isEmpty()
                ? "no Service has this name; that of a Service is NAME.NAMESPACE"
                : "the name of the Service is " + String.join(" or ", names);
    }

    private RecordType type() {
        if (type == null) {
            // The name of a port has SRV records only.
            return name.startsWith("_") ? RecordType.SRV : RecordType.A;
        }
        if (Type.value(type) < 0) {
            throw options.usage("not a record type: '" + type + "'"
                    + UsageHints.ofManifest(Stream.of(type, name))
                            .map(hint -> "; " + hint)
                            .orElse(""));
        }
        if (Type.value(type) == Type.AXFR || Type.value(type) == Type.IXFR) {
            throw options.usage(
                    "not a type of records: '" + type + "' is a zone transfer, which the cluster's DNS refuses");
        }
        return RecordType.parse(type.toUpperCase(Locale.ROOT));
    }

    /** Explains the names that the resolver of a Pod looks up, in order, until one resolves. */
    private LookupWalk walk(String place, PodLookup lookup, ClusterSnapshot snapshot) {
        Pod pod = pod(place, snapshot);
        asking.add(pod.ref());
        pod.workload().ifPresent(asking::add);
        try {
            return lookup.walk(place, pod);
        } catch (InvalidInputException refused) {
            throw options.usage("--from: " + refused.getMessage());
        }
    }

    /** Checks that {@code --from} names no Pod, because those of the cluster are not listed. */
    private static void requireNoPod(String place) throws IOException {
        int slash = place.indexOf('/');
        if (slash >= 0) {
            throw new IOException("--from " + place
                    + ": the Pods of the cluster are not known without permission to list and watch pods; --from "
                    + place.substring(0, slash) + " needs none");
        }
    }

    /**
     * Reports a namespace without objects, in which clients may be; it is a warning if one with a similar name exists, and an error if a Pod
     * or a workload has the name.
     */
    private void reportUnknownNamespace(String namespace, ClusterSnapshot snapshot) {
        Set<String> known = Stream.concat(
                        snapshot.objects(Namespace.class).map(Namespace::name),
                        snapshot.objects(NamespacedObject.class).map(NamespacedObject::namespace))
                .collect(Collectors.toSet());
        if (!known.contains(namespace)) {
            placeOf(namespace, snapshot).ifPresent(place -> {
                throw options.usage("--from: no namespace " + namespace + ", did you mean " + place + "?");
            });
            String question = DidYouMean.question(namespace, known);
            options.print(
                    question.isEmpty()
                            ? "note: --from: no object is in the namespace " + namespace
                            : "warning: --from: there is no namespace " + namespace + question);
        }
    }

    /** Returns the first Pod or workload of a name, as a value of {@code --from}. */
    private static Optional<String> placeOf(String podOrWorkload, ClusterSnapshot snapshot) {
        return Stream.concat(
                        snapshot.objects(Pod.class)
                                .flatMap(pod -> Stream.concat(pod.workload().stream(), Stream.of(pod.ref()))),
                        snapshot.idleWorkloads().stream()
                                .map(idle -> idle.workload().ref()))
                .filter(ref -> ref.name().equals(podOrWorkload))
                .map(ref -> ref.namespace().orElseThrow() + "/" + podOrWorkload)
                .min(Comparator.naturalOrder());
    }

    /** Returns the Pod that looks the name up: of the objects, or one without DNS settings in a namespace. */
    private Pod pod(String place, ClusterSnapshot snapshot) {
        int slash = place.indexOf('/');
        if (slash < 0) {
            reportUnknownNamespace(place, snapshot);
            try {
                return Pod.builder(place, "pod").build();
            } catch (InvalidFieldException invalid) {
                throw options.usage("--from: " + invalid.getMessage());
            }
        }
        String namespace = place.substring(0, slash);
        String podOrWorkload = place.substring(slash + 1);
        return snapshot.get(ObjectRef.of(Pod.KIND, namespace, podOrWorkload))
                .map(Pod.class::cast)
                .or(() -> podOf(namespace, podOrWorkload, snapshot))
                .or(() -> podOfIdle(namespace, podOrWorkload, snapshot))
                .or(() -> podOfLabels(namespace, podOrWorkload, snapshot))
                .map(this::withAddress)
                .orElseThrow(
                        () -> options.usage("--from: no Pod " + place + existing(namespace, podOrWorkload, snapshot)));
    }

    /** Returns a Pod as it is when it runs. */
    private Pod withAddress(Pod pod) {
        if (!pod.ips().isEmpty() || pod.hostNetwork()) {
            return pod;
        }
        invented = invented.with(List.of(EXAMPLE_ADDRESS));
        return pod.toBuilder().ips(List.of(EXAMPLE_ADDRESS)).build();
    }

    /** Returns the Pod or workload that is probably meant, otherwise some of the namespace, as the end of a message. */
    private String existing(String namespace, String podOrWorkload, ClusterSnapshot snapshot) {
        Optional<String> similar = similar(namespace, podOrWorkload, snapshot);
        return similar.isPresent() ? DidYouMean.question(similar) : podsOf(namespace, podOrWorkload, snapshot);
    }

    /** Returns the first Pod of the workload with a name. */
    private static Optional<Pod> podOf(String namespace, String workload, ClusterSnapshot snapshot) {
        return snapshot.objects(Pod.class)
                .filter(pod -> pod.workload()
                        .filter(ref -> isNamed(ref, namespace, workload))
                        .isPresent())
                .min(PodLookup.BY_NAME);
    }

    /** Returns the Pod or workload that is probably meant: one with this name in another namespace, or with a similar name. */
    private Optional<String> similar(String namespace, String podOrWorkload, ClusterSnapshot snapshot) {
        record Candidate(String namespace, String name) {
            static Candidate of(ObjectRef ref) {
                return new Candidate(ref.namespace().orElseThrow(), ref.name());
            }
        }
        Stream<ObjectRef> idle =
                snapshot.idleWorkloads().stream().map(one -> one.workload().ref());
        Stream<ObjectRef> pods = snapshot.objects(Pod.class)
                .flatMap(pod -> Stream.concat(pod.workload().stream(), Stream.of(invented.observed(pod.ref()))));
        return Stream.concat(pods, idle)
                .map(Candidate::of)
                .filter(one -> one.name.equals(podOrWorkload)
                        || EditDistance.isSimilar(podOrWorkload, one.name)
                                && (one.namespace.equals(namespace)
                                        || EditDistance.isSimilar(namespace, one.namespace)))
                .min(Comparator.comparingInt((Candidate one) ->
                                EditDistance.of(namespace, one.namespace) + EditDistance.of(podOrWorkload, one.name))
                        .thenComparing(Candidate::namespace)
                        .thenComparing(Candidate::name))
                .map(one -> one.namespace + "/" + one.name);
    }

    /**
     * Returns the first Pod that a workload without Pods would have; one of its template under the name of the workload if that Pod is
     * unknown, for example for a CronJob.
     */
    private static Optional<Pod> podOfIdle(String namespace, String name, ClusterSnapshot snapshot) {
        return snapshot.idleWorkloads().stream()
                .filter(idle -> isNamed(idle.workload().ref(), namespace, name))
                .findFirst()
                .map(idle -> idle.firstPod().orElseGet(() -> PodLookup.podOf(idle.workload())));
    }

    /**
     * Returns the first Pod of a Deployment or StatefulSet of a cluster, whose workloads are not read: their controllers make the names of
     * Pods of that of the workload and a label.
     */
    private Optional<Pod> podOfLabels(String namespace, String workload, ClusterSnapshot snapshot) {
        Optional<Pod> found = snapshot.objects(Pod.class)
                .filter(pod -> pod.namespace().equals(namespace)
                        && (pod.labels()
                                        .get("pod-template-hash")
                                        .filter(hash -> pod.name().startsWith(workload + "-" + hash + "-"))
                                        .isPresent()
                                || pod.name().matches(Pattern.quote(workload) + "-\\d+")
                                        && pod.labels()
                                                .get(StatefulSet.POD_NAME_LABEL)
                                                .isPresent()))
                .min(PodLookup.BY_NAME);
        found.ifPresent(pod -> options.print("note: --from " + namespace + "/" + workload + ": " + pod.ref()));
        return found;
    }

    private static boolean isNamed(ObjectRef workload, String namespace, String name) {
        return workload.name().equals(name) && workload.namespace().equals(Optional.of(namespace));
    }

    /**
     * Returns the Pods of a namespace as the end of a message, first those whose names begin as those of a workload do; those whose names
     * are invented as their workload.
     */
    private String podsOf(String namespace, String workload, ClusterSnapshot snapshot) {
        List<String> pods = snapshot.objects(Pod.class)
                .filter(pod -> pod.namespace().equals(namespace))
                .sorted(Comparator.comparing((Pod pod) -> !pod.name().startsWith(workload + "-"))
                        .thenComparing(PodLookup.BY_NAME))
                .map(pod -> invented.observed(pod.ref()))
                .map(ref -> ref.kind().equals(Pod.KIND) ? ref.name() : "those of " + ref)
                .distinct()
                .toList();
        if (pods.isEmpty()) {
            return ", and no other in the namespace";
        }
        return "; Pods of the namespace: " + PlanTable.first(pods);
    }

    private List<String> lines(LookupWalk walk) {
        Explanation explained = walk.mostUseful().explanation();
        List<String> lines = new ArrayList<>();
        if (from != null) {
            lines.add(name + " from " + from
                    + (walk.isOfHostsFile()
                            ? " is in /etc/hosts of the Pod, so that no query is sent"
                            : " is looked up as:"));
            walk.steps().forEach(step -> lines.add("  " + step.explanation().name() + ": " + step.statusText()));
        }
        lines.add(ExplanationText.nameAndType(explained) + " "
                + (explained.resolves() ? "resolves" : walk.mostUseful().failure()));
        if (explained.hasUnusableRecords()) {
            explained.causes().forEach(cause -> lines.add(line(cause)));
            lines.add("  the records that cannot be used:");
        }
        for (Source source : explained.sources()) {
            lines.add("  " + invented.line(source.record(), " "));
            lines.add("    from " + ExplanationText.object(source) + ObjectPositions.text(positions.of(source))
                    + ExplanationText.rule(source)
                    + source.zone().map(zone -> ", zone " + zone).orElse(""));
        }
        walk.hidden().ifPresent(step -> lines.add("  " + invented.marked(ExplanationText.withDnsOnly(step))));
        ExplanationText.otherServer(explained).ifPresent(text -> lines.add("  " + text));
        if (!explained.hasUnusableRecords()) {
            explained.causes().forEach(cause -> lines.add(line(cause)));
        }
        explained
                .suggestions()
                .forEach(suggestion ->
                        lines.add("  try: " + suggestion.text() + ObjectPositions.text(positions.of(suggestion))
                                + (invented.mark(suggestion).isEmpty() ? "" : " ; " + invented.mark(suggestion))));
        return lines;
    }

    private String line(Cause cause) {
        String location = cause.location();
        String text = invented.marked(cause.text());
        return "  because: "
                + (location.isEmpty() ? text : location + ObjectPositions.text(positions.of(cause)) + ": " + text);
    }

    private OutputObject object(LookupWalk walk) {
        Explanation explained = walk.mostUseful().explanation();
        OutputObject object = new OutputObject()
                .put("name", explained.name().toString())
                .put("type", explained.type().toString())
                .put("status", walk.status())
                .put("resolves", explained.resolves())
                .put(
                        "steps",
                        walk.steps().stream()
                                .map(step -> new OutputObject()
                                        .put("name", step.explanation().name().toString())
                                        .put("status", step.status()))
                                .toList())
                .put(
                        "records",
                        explained.sources().stream()
                                .map(source -> invented.object(source.record())
                                        .put("zone", text(source.zone()))
                                        .put("object", text(source.object()))
                                        .put("position", text(positions.of(source)))
                                        .put("field", source.field())
                                        .put("rule", source.rule()))
                                .toList())
                .put("targetOfOtherServer", text(explained.targetOfOtherServer()))
                .put("causes", explained.causes().stream().map(this::object).toList())
                .put(
                        "suggestions",
                        explained.suggestions().stream().map(this::object).toList());
        walk.hidden()
                .ifPresent(step -> object.put(
                        "dns",
                        new OutputObject()
                                .put("name", step.explanation().name().toString())
                                .put("type", step.explanation().type().toString())
                                .put("status", step.status())
                                .put("resolves", step.explanation().resolves())
                                .put("addresses", step.explanation().answer().addresses())));
        return object;
    }

    private OutputObject object(Cause cause) {
        OutputObject object = new OutputObject()
                .put("object", text(cause.object()))
                .put("position", text(positions.of(cause)))
                .put("field", cause.field())
                .put("text", cause.text());
        return invented.isIn(cause.text()) ? object.put("invented", true) : object;
    }

    private OutputObject object(Suggestion suggestion) {
        OutputObject object = new OutputObject()
                .put("text", suggestion.text())
                .put("name", suggestion.name().toString())
                .put("type", suggestion.type().toString())
                .put("object", text(suggestion.object()))
                .put("position", text(positions.of(suggestion)))
                .put("field", suggestion.field())
                .put(
                        "changes",
                        suggestion.changes().stream()
                                .flatMap(change -> edited(change, suggestion).stream())
                                .map(ObjectRef::toString)
                                .toList());
        return invented.mark(suggestion).isEmpty() ? object : object.put("invented", true);
    }

    /**
     * Returns the object that a change edits; for a Pod that was made from a template, its workload, for a slice of Endpoints these. Empty for
     * a slice that a controller makes because of the other changes.
     */
    private static Optional<ObjectRef> edited(ClusterChange change, Suggestion suggestion) {
        if (change instanceof ClusterChange.Put put && put.object() instanceof EndpointSlice slice) {
            return suggestion
                    .object()
                    .filter(object -> object.kind().equals(Endpoints.KIND))
                    .or(() -> Optional.of(slice)
                            .filter(made -> !EndpointsMirroring.isCopy(made))
                            .map(EndpointSlice::ref));
        }
        return Optional.of(
                change instanceof ClusterChange.Put put && put.object() instanceof Pod pod
                        ? pod.workload().orElseGet(pod::ref)
                        : change.ref());
    }

    private static String text(Optional<?> value) {
        return value.map(Object::toString).orElse("");
    }
}
