package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addName;
import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.exitCodes;
import static io.k8sdns.cli.CommandSpecs.option;

import io.k8sdns.arguments.EditDistance;
import io.k8sdns.cli.OutputOptions.Format;
import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.IdleWorkload;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.explain.Explainer;
import io.k8sdns.explain.Explanation;
import io.k8sdns.explain.Explanation.Cause;
import io.k8sdns.explain.Explanation.Source;
import io.k8sdns.explain.Explanation.Suggestion;
import io.k8sdns.manifest.DiagnosticReport;
import io.k8sdns.manifest.ManifestResult;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.DnsPolicy;
import io.k8sdns.model.InvalidFieldException;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.NamespacedObject;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodTemplate;
import io.k8sdns.model.Service;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import io.k8sdns.plan.QueryPlan;
import io.k8sdns.plan.SettingsReader;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolvconf.KubeletDns;
import io.k8sdns.resolvconf.NodeDns;
import io.k8sdns.resolvconf.PodDnsSpec;
import io.k8sdns.resolver.Answer;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.schema.NameSchema;
import io.k8sdns.search.AddressFamily;
import io.k8sdns.search.Dialect;
import io.k8sdns.search.LookupRequest;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The command {@code k8sdns explain}: prints why a name resolves, or why it does not. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class ExplainCommand implements Callable<Integer> {
    /** The cluster DNS of the assumed node; search lists do not depend on it. */
    private static final IpAddress CLUSTER_DNS = IpAddress.parse("10.96.0.10");

    /** The order of the Pods of a workload, of which 10 is after 9. */
    private static final Comparator<Pod> BY_NAME =
            Comparator.comparing((Pod pod) -> pod.name().length()).thenComparing(Pod::name);

    /** The types that glibc's resolver looks up, each alone. */
    private static final Map<String, AddressFamily> ADDRESSES =
            Map.of("A", AddressFamily.IPV4, "AAAA", AddressFamily.IPV6);

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
    private PodNameServers nameServers;
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
                                        + "the workload with this name in manifests (of its template if it has no Pod), or of a Pod of this namespace without DNS settings (default: the name is absolute, or below svc and the zone)."));
        output.declare(
                command,
                HelpSections.OWN,
                "one object: {\"name\", \"type\", \"status\", \"resolves\", \"steps\", \"records\", "
                        + "\"targetOfOtherServer\", \"causes\", \"suggestions\"}.");
        live.declare(command);
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
        readObject();
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
        ClusterSnapshot snapshot =
                read.isPresent() ? read.get().snapshot() : LiveCluster.snapshot(live, options, rules.settings());
        invented = read.map(InventedRecords::of).orElse(InventedRecords.NONE);
        nameServers = PodNameServers.of(
                snapshot, read.map(ManifestResult::inventedAddresses).orElse(Set.of()));
        positions = read.map(result -> ObjectPositions.of(result, options::again))
                .orElseGet(() -> ObjectPositions.none(snapshot));
        UsageHints.service(name).ifPresent(service -> {
            throw options.usage(notAName(name, namesOf(service, snapshot)));
        });
        Explainer all = Explainer.of(snapshot, rules.settings(), options.visibility());
        Explainer explainer = read.map(result -> all.withWarnings(
                        result.diagnostics().stream()
                                .filter(Predicate.not(DiagnosticReport::isHarmless))
                                .toList(),
                        result.refusals()))
                .orElse(all);
        LookupWalk walk;
        try {
            walk = from == null
                    ? LookupWalk.of(name, explainer.explain(absolute(rules), asked))
                    : walk(from, explainer, snapshot, asked, rules);
        } catch (InvalidNameException invalid) {
            throw options.usage("not a name: " + invalid.getMessage());
        }
        Explanation explained = walk.mostUseful().explanation();
        if (read.isPresent()) {
            // A fault in a manifest may be the cause.
            options.report(
                    read.get(), DnsNames.labels(explained.name()), named(explained), asking, isCause(explained), rules);
            Set<ObjectRef> sources = explained.sources().stream()
                    .flatMap(source -> source.object().stream())
                    .collect(Collectors.toSet());
            options.noteAssumedReadiness(read.get(), sources::contains);
        }
        if (from == null && !explained.resolves()) {
            new FromHint(explainer, snapshot, rules.settings().zones().get(0), options.publishing.namespaces)
                    .of(name, explained)
                    .ifPresent(options::print);
        }
        PrintWriter out = command.commandLine().getOut();
        if (output.isObjects()) {
            output.print(object(walk), out);
        } else if (output.format() == Format.NAME) {
            objects(explained).map(ObjectRef::toString).distinct().forEach(out::println);
        } else if (output.format() == Format.SVG) {
            new WalkDrawing(walk, invented).print(out);
        } else {
            lines(walk).forEach(out::println);
        }
        return options.exitCode(explained.resolves() ? Main.DONE : Main.FAILED);
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
        return RecordType.parse(type.toUpperCase(Locale.ROOT));
    }

    /** Explains the names that the resolver of a Pod looks up, in order, until one resolves. */
    private LookupWalk walk(
            String place, Explainer explainer, ClusterSnapshot snapshot, RecordType asked, RecordRules rules) {
        Pod pod = pod(place, snapshot);
        asking.add(pod.ref());
        pod.workload().ifPresent(asking::add);
        QueryPlan plan = plan(pod, asked, rules);
        if (plan.candidates().isEmpty()) {
            throw options.usage("--from: glibc sends no query for '" + name + "'");
        }
        NearestStep nearestStep = new NearestStep(snapshot, rules.settings().zones());
        List<Explanation> explanations;
        if (nameServers.areOthers(pod)) {
            explanations = new ArrayList<>();
            names(plan).forEach(one -> explanations.add(ofOtherServer(one, asked)));
            Pod changed = pod.toBuilder()
                    .dnsPolicy(pod.hostNetwork() ? DnsPolicy.CLUSTER_FIRST_WITH_HOST_NET : DnsPolicy.CLUSTER_FIRST)
                    .build();
            List<Explanation> after = explanations(explainer, plan(changed, asked, rules), asked);
            LookupWalk.Step nearest = LookupWalk.of(name, place, after, Optional.empty(), nearestStep)
                    .mostUseful();
            explanations.set(0, withOtherNameServers(explanations.get(0), pod, changed, nearest));
        } else {
            explanations = explanations(explainer, plan, asked);
            if (!resolves(explanations)) {
                Pod plain = Pod.builder(pod.namespace(), pod.name()).build();
                List<Explanation> found = explanations(explainer, plan(plain, asked, rules), asked);
                if (resolves(found)) {
                    explanations.set(0, withOtherSearches(explanations.get(0), pod, found.get(found.size() - 1)));
                }
            }
        }
        return LookupWalk.of(
                name,
                place,
                explanations,
                ADDRESSES.containsKey(asked.toString()) ? Optional.of(plan) : Optional.empty(),
                nearestStep);
    }

    /** Returns the names that a resolver tries, in order and each once. */
    private static Set<Name> names(QueryPlan plan) {
        // Without a search list, glibc tries a name a second time.
        Set<Name> names = new LinkedHashSet<>();
        plan.candidates().forEach(candidate -> names.add(DnsNames.absolute(DnsLabels.parse(candidate.name()))));
        return names;
    }

    /** Returns the explanation of a name that other name servers are asked for: the cluster's server answers no query. */
    private static Explanation ofOtherServer(Name one, RecordType asked) {
        return new Explanation(one, asked, Answer.failure(Rcode.REFUSED), List.of(), List.of(), List.of());
    }

    private List<Explanation> explanations(Explainer explainer, QueryPlan plan, RecordType asked) {
        List<Explanation> explanations = new ArrayList<>();
        for (Name one : names(plan)) {
            explanations.add(explainer.explain(one, asked));
            if (resolves(explanations)) {
                break;
            }
        }
        return explanations;
    }

    private static boolean resolves(List<Explanation> explanations) {
        return explanations.get(explanations.size() - 1).resolves();
    }

    /**
     * Returns the explanation of a name that is sent to other name servers than those of the cluster: the Pod's DNS policy is the first
     * cause, and another policy is suggested; together with what else helps, if a name of the cluster does not resolve with it, either.
     *
     * @param nearest the step of the lookup to explain after the change
     */
    private Explanation withOtherNameServers(Explanation explained, Pod pod, Pod changed, LookupWalk.Step nearest) {
        ObjectRef object = pod.workload().orElse(pod.ref());
        UnaryOperator<String> path = of ->
                pod.workload().map(workload -> PodTemplate.path(workload, of)).orElse(of);
        String field = path.apply("spec.dnsPolicy");
        String policy = changed.dnsPolicy().orElseThrow();
        Cause cause = new Cause(Optional.of(object), field, nameServers.reason(pod, path));
        Explanation after = nearest.explanation();
        if (nearest.isOutside() && after.suggestions().isEmpty()) {
            // No name of the cluster: its server would not answer it, either.
            return new Explanation(
                    explained.name(), explained.type(), explained.answer(), List.of(), after.causes(), List.of());
        }
        String text = "give " + object + " " + field + " " + policy;
        ClusterChange change = new ClusterChange.Put(changed);
        List<Cause> causes = new ArrayList<>(List.of(cause));
        List<Suggestion> suggestions = new ArrayList<>();
        if (after.resolves()) {
            suggestions.add(new Suggestion(
                    text, after.name(), after.type(), Optional.of(object), field, List.of(change), Optional.empty()));
        } else {
            causes.addAll(after.causes());
            after.suggestions().stream()
                    .filter(other ->
                            other.changes().stream().noneMatch(one -> one.ref().equals(pod.ref())))
                    .map(other -> new Suggestion(
                            text + ", and " + other.text(),
                            other.name(),
                            other.type(),
                            Optional.of(object),
                            field,
                            Stream.concat(Stream.of(change), other.changes().stream())
                                    .toList(),
                            other.settings()))
                    .forEach(suggestions::add);
        }
        return new Explanation(explained.name(), explained.type(), explained.answer(), List.of(), causes, suggestions);
    }

    /** Returns an explanation whose cause is the Pod's search list: with the default one another name is found, which resolves. */
    private static Explanation withOtherSearches(Explanation explained, Pod pod, Explanation found) {
        String field = "spec.dnsConfig.searches";
        Cause cause = new Cause(
                Optional.of(pod.workload().orElse(pod.ref())),
                pod.workload()
                        .map(workload -> PodTemplate.path(workload, field))
                        .orElse(field),
                "without DNS settings a Pod of the namespace looks up " + found.name() + ", which resolves");
        Suggestion suggestion = new Suggestion(
                "look up " + found.name(),
                found.name(),
                found.type(),
                Optional.empty(),
                "",
                List.of(),
                Optional.empty());
        return new Explanation(
                explained.name(), explained.type(), explained.answer(), List.of(), List.of(cause), List.of(suggestion));
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
                .orElseThrow(
                        () -> options.usage("--from: no Pod " + place + existing(namespace, podOrWorkload, snapshot)));
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
                .min(BY_NAME);
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

    /** Returns a Pod of the template of a workload that has no Pods, for example a CronJob, under the name of the workload. */
    private static Optional<Pod> podOfIdle(String namespace, String name, ClusterSnapshot snapshot) {
        return snapshot.idleWorkloads().stream()
                .map(IdleWorkload::workload)
                .filter(workload -> isNamed(workload.ref(), namespace, name))
                .findFirst()
                .map(workload -> workload.template()
                        .pod(namespace, name)
                        .workload(workload.ref())
                        .build());
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
                        .thenComparing(BY_NAME))
                .map(pod -> invented.observed(pod.ref()))
                .map(ref -> ref.kind().equals(Pod.KIND) ? ref.name() : "those of " + ref)
                .distinct()
                .toList();
        if (pods.isEmpty()) {
            return ", and no other in the namespace";
        }
        return "; Pods of the namespace: " + PlanTable.first(pods);
    }

    /** Returns how glibc's resolver looks up the name in a Pod. */
    private QueryPlan plan(Pod pod, RecordType asked, RecordRules rules) {
        PodDnsSpec.Builder spec =
                PodDnsSpec.builder(pod.name()).namespace(pod.namespace()).hostNetwork(pod.hostNetwork());
        pod.dnsPolicy().ifPresent(word -> spec.dnsPolicy(word));
        pod.dnsConfig().ifPresent(spec::dnsConfig);
        NodeDns node = NodeDns.builder()
                .clusterDns(CLUSTER_DNS)
                .clusterDomain(rules.settings().zones().get(0).toString())
                .build();
        try {
            return QueryPlan.of(
                    SettingsReader.read(
                            Dialect.GLIBC, KubeletDns.forPod(spec.build(), node).resolvConf()),
                    new LookupRequest(name, ADDRESSES.getOrDefault(asked.toString(), AddressFamily.UNSPEC)));
        } catch (IllegalArgumentException invalid) {
            throw options.usage("--from: " + invalid.getMessage());
        }
    }

    private List<String> lines(LookupWalk walk) {
        Explanation explained = walk.mostUseful().explanation();
        List<String> lines = new ArrayList<>();
        if (from != null) {
            lines.add(name + " from " + from + " is looked up as:");
            walk.steps().forEach(step -> lines.add("  " + step.explanation().name() + ": " + step.statusText()));
        }
        lines.add(explained.name() + " " + explained.type() + " "
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
        return new OutputObject()
                .put("name", explained.name().toString())
                .put("type", explained.type().toString())
                .put("status", walk.mostUseful().status())
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
                                .map(change -> edited(change).toString())
                                .toList());
        return invented.mark(suggestion).isEmpty() ? object : object.put("invented", true);
    }

    /** Returns the object that a change edits; for a Pod that was made from a template, its workload. */
    private static ObjectRef edited(ClusterChange change) {
        return change instanceof ClusterChange.Put put && put.object() instanceof Pod pod
                ? pod.workload().orElseGet(pod::ref)
                : change.ref();
    }

    private static String text(Optional<?> value) {
        return value.map(Object::toString).orElse("");
    }
}
