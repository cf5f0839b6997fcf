package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.exitCodes;
import static io.k8sdns.cli.CommandSpecs.option;
import static io.k8sdns.cli.CommandSpecs.options;
import static io.k8sdns.cli.CommandSpecs.pairs;
import static io.k8sdns.cli.CommandSpecs.parameters;

import io.k8sdns.advice.HostAdvice;
import io.k8sdns.advice.NdotsAdvisor;
import io.k8sdns.advice.NdotsChoice;
import io.k8sdns.cli.OutputOptions.Format;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.manifest.DiagnosticReport;
import io.k8sdns.manifest.HostUses;
import io.k8sdns.manifest.ManifestResult;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Service;
import io.k8sdns.name.ClusterSearches;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.plan.QueryPlan;
import io.k8sdns.plan.SettingsReader;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.schema.NameSchema;
import io.k8sdns.search.AddressFamily;
import io.k8sdns.search.AnswerScript;
import io.k8sdns.search.AnswerSource;
import io.k8sdns.search.Candidate;
import io.k8sdns.search.Dialect;
import io.k8sdns.search.LookupRequest;
import io.k8sdns.search.PlannedQuery;
import io.k8sdns.search.Reply;
import io.k8sdns.search.ResolverSettings;
import io.k8sdns.search.ResolverSettings.IgnoredLine;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneRevision;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Name;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The command {@code k8sdns queries}: prints the queries that a program in a Pod with a given resolv.conf sends for a name. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class QueriesCommand implements Callable<Integer> {
    /** The largest number of names outside the cluster, and of ignored lines, that are printed. */
    private static final int MAX_LISTED = 5;

    private static final int MAX_QUOTED_LENGTH = 100;

    private static final String ASSUMPTION =
            "no answers given (-f MANIFEST, --answer): assumed are a Service of the Pod's namespace"
                    + " for a name without a dot, a Service of another namespace for a name that ends in .svc, and a full name"
                    + " for every other";

    /** Where users get the file of a Pod. */
    private static final String RESOLV_CONF_SOURCES =
            "kubectl exec POD -- cat /etc/resolv.conf prints that of a running Pod, k8sdns resolvconf -f MANIFEST "
                    + "--cluster-dns IP that of a Pod in a manifest";

    private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\u2028\u2029]");

    private static final String TEMPLATE_FROM_STANDARD_INPUT = " --resolv-conf FILE --from-env -";

    private static final List<Dialect> ADVISED = List.of(Dialect.GLIBC, Dialect.MUSL_1_2_5, Dialect.GO);

    @Nullable
    private String resolvConf;

    private List<Dialect> dialects = new ArrayList<>();
    private AddressFamily family;
    private Map<String, String> environment = new LinkedHashMap<>();
    private final ManifestArguments manifests = new ManifestArguments();
    private Map<String, String> script = new LinkedHashMap<>();

    @Nullable
    private String advise;

    @Nullable
    private String batch;

    private final OutputOptions output = new OutputOptions(Format.NAME).withNames("the names that are asked for");
    private final LiveOptions live = new LiveOptions();
    private final ClusterOptions cluster = new ClusterOptions();
    private List<String> names = new ArrayList<>();
    private List<String> templates = List.of();
    private Set<String> namespacesOfTemplates = Set.of();
    private CommandSpec command;
    private InventedRecords invented = InventedRecords.NONE;

    /** The addresses of the last lookup that neither the cluster nor {@code --answer} has. */
    private final Set<IpAddress> assumed = new LinkedHashSet<>();

    /** The values of {@code --dialect}. */
    static final class Dialects implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Dialect.all().stream().map(Dialect::word).iterator();
        }
    }

    /** Declares the command. */
    CommandSpec spec() {
        command = CommandSpecs.command("queries", this);
        command.usageMessage()
                .description(
                        "Prints which DNS queries a program sends for a name, given the resolv.conf of its Pod and the resolver that "
                                + "it uses. Nothing is sent.",
                        "",
                        "Without answers: the names that can be looked up, in order, and the next step after "
                                + "each kind of answer. With "
                                + "answers (-f, --answer): the queries one by one, and the result of the "
                                + "lookup. Several resolvers are shown side by side.",
                        "")
                .footer(
                        "  kubectl exec web-0 -- cat /etc/resolv.conf >pod.conf",
                        "  k8sdns queries --resolv-conf pod.conf www.example.com",
                        "  k8sdns queries --resolv-conf pod.conf -f examples/bookstore cart db.shop api.payments.example",
                        "  k8sdns queries --resolv-conf pod.conf --dialect glibc --dialect musl-1.2.5 db.shop.svc",
                        "  k8sdns queries --resolv-conf pod.conf -f deploy/ --advise hosts.txt",
                        "  k8sdns queries --resolv-conf pod.conf -f deploy/ --from-env deploy/web.yaml")
                .exitCodeList(exitCodes(
                        "0:done, whatever the lookups result in and the lines of a batch contain",
                        "1:failed at run time",
                        "2:usage or invalid input"));
        manifests.declare(command);
        addOptions(
                command,
                HelpSections.OWN,
                option("--resolv-conf", String.class, value -> resolvConf = value)
                        .paramLabel("FILE")
                        .description("The resolv.conf of the Pod; - for standard input. " + RESOLV_CONF_SOURCES + "."),
                options("--dialect", Dialect.class, value -> dialects = value)
                        .paramLabel("RESOLVER")
                        .description(
                                "The resolver of the program: ${COMPLETION-CANDIDATES}; repeatable (default: glibc; with --advise glibc, "
                                        + "musl-1.2.5 and go).")
                        .completionCandidates(new Dialects()),
                option("--family", AddressFamily.class, value -> family = value)
                        .paramLabel("unspec|4|6")
                        .defaultValue("unspec")
                        .description(
                                "The addresses that the program looks up (default: ${DEFAULT-VALUE}, which is both)."),
                pairs("--env", value -> environment = value)
                        .paramLabel("NAME=VALUE")
                        .description(
                                "A variable in the program's environment, LOCALDOMAIN or RES_OPTIONS; repeatable."),
                pairs("--answer", value -> script = value)
                        .paramLabel("KEY=WORD")
                        .description(
                                "The answers to names outside the manifests: KEY is NAME, 'NAME|TYPE', '*|TYPE' or '*', "
                                        + "the most specific is used; WORD is A (an address of the type asked for: 10.1.2.3 to A, "
                                        + "fd00::123 to AAAA; for IPv4 alone 'NAME|A=A' and 'NAME|AAAA=NODATA'), NODATA, NXDOMAIN, "
                                        + "SERVFAIL, REFUSED, NOTIMP, FORMERR, TC or DROP (no answer; over TCP the connection is "
                                        + "closed); repeatable (default: NXDOMAIN; A for the targets of aliases in "
                                        + "manifests)."),
                option("--advise", String.class, value -> advise = value)
                        .paramLabel("FILE")
                        .description("Print the costs of each name in FILE and what to write instead; one name per "
                                + "line, without scheme, port "
                                + "and path; - for standard input. NAMEs are included. Without --answer every "
                                + "name that no manifest could have is assumed to exist as its form suggests. Where the second "
                                + "label is a namespace of the manifests (db.shop, with or without .svc and the zone), the name is a "
                                + "Service: it is missing if they do not contain it, even if --answer does. Where the third label is one "
                                + "(db-0.db.shop) and the Service before it does not exist, the name is unknown unless --answer has it. "
                                + "A namespace itself (shop.svc) has no address. Filters such as "
                                + "--namespace hide Services from DNS, but their namespaces stay known."),
                options("--from-env", String.class, value -> templates = value)
                        .paramLabel("MANIFEST")
                        .description(
                                "Look up the host names in the environment, the command and the arguments of the containers of Pods "
                                        + "and workloads, and in ConfigMaps, in a file or directory, - for standard input; repeatable. "
                                        + "A word counts in a URL, before a port, after a word such as host or server, after nslookup, with "
                                        + ".svc, or if the cluster has it."),
                option("--batch", String.class, value -> batch = value)
                        .paramLabel("FILE")
                        .description(
                                "Answer each line of FILE (- for standard input), a JSON object: {\"resolv_conf\": text, "
                                        + "\"dialect\", \"name\", \"family\", \"env\": object, \"answers\": {KEY: WORD, or an object of WORDs "
                                        + "by server}}. Each gives a line, {\"queries\": [{\"name\", \"type\", \"server\", \"proto\", "
                                        + "\"at_ms\"}], \"result\", \"addresses\"} or {\"error\": text}; an \"id\" is repeated in front. "
                                        + "Results of C libraries: ok, EAI_NONAME, EAI_NODATA, EAI_AGAIN, and of glibc EAI_ADDRFAMILY (an "
                                        + "address of the other family) and abort (the search list ends the program by an assertion); of "
                                        + "others: ok, not found, error. Of all: unfinished (more than 100,000 queries). "
                                        + "Names are in presentation form (\\DDD), an address is without its zone."));
        output.declare(
                command,
                HelpSections.OWN,
                "one object a line for each name and resolver, or for each advice; \"invented\": true if an address of the result is one "
                        + "that neither a manifest nor --answer has.");
        live.declare(command);
        cluster.declare(command);
        command.addPositional(parameters(value -> names = value)
                .paramLabel("NAME")
                .arity("0..*")
                .description("Names as a program passes them to its resolver; after -- if one begins with a dash.")
                .build());
        return command;
    }

    @Override
    public Integer call() throws IOException {
        PrintWriter out = command.commandLine().getOut();
        if (batch != null) {
            checkBatchHasNoOtherOptions();
            new Batch(LookupLine::answer).run(batch, out);
            return Main.DONE;
        }
        if (resolvConf == null) {
            throw cluster.usage(
                    "Missing required option: '--resolv-conf=FILE' or '--batch=FILE'; " + RESOLV_CONF_SOURCES);
        }
        if (names.isEmpty() && advise == null && templates.isEmpty()) {
            throw cluster.usage("Missing required parameter: 'NAME'");
        }
        if (advise != null && output.format() == Format.NAME) {
            throw cluster.usage("--advise and -o name exclude each other: advice is text or objects");
        }
        if (advise != null && family != AddressFamily.UNSPEC) {
            throw cluster.usage("--advise and --family exclude each other: advice is for both");
        }
        live.requireAtMostOneSource(manifests.all(), optionsOfTemplates());
        checkStandardInputIsReadOnce(resolvConf);
        checkClusterOptionsHaveManifests();
        AnswerScript scripted = script();
        RecordRules rules = new RecordRules(cluster.settings(List.of(ClusterOptions.LOOPBACK)));
        Optional<ManifestResult> read = manifests.all().isEmpty()
                ? Optional.empty()
                : Optional.of(cluster.silently(manifests.all(), cluster.reading.asIs, rules));
        read.ifPresent(result -> cluster.requireObject(manifests.all(), result));
        invented = read.map(InventedRecords::of).orElse(InventedRecords.NONE);
        Optional<ClusterSnapshot> snapshot = snapshot(read, rules);
        addNamesOfTemplates(snapshot, rules);
        try {
            AnswerSource answers = advise == null
                    ? printPlans(resolvConf, answers(snapshot, rules, scripted), out)
                    : printAdvice(resolvConf, advise, answers(snapshot, rules, scripted), out);
            if (read.isPresent() && answers instanceof ClusterAnswers ofCluster) {
                cluster.report(read.get(), ofCluster.clusterNames(), rules);
                note(
                        advise != null && script.isEmpty()
                                ? "assumed to exist if it is a full name in the list and cannot be a Service of a "
                                        + "known namespace, otherwise NXDOMAIN"
                                : "answered by --answer, otherwise NXDOMAIN",
                        ofCluster.outsideNames());
                note("targets of aliases, assumed to exist unless --answer has them", ofCluster.targetNames());
            }
        } catch (IllegalArgumentException invalid) {
            String.valueOf(invalid.getMessage())
                    .lines()
                    .forEach(line -> command.commandLine().getErr().println("error: " + printable(line)));
            return Main.INVALID;
        }
        return cluster.exitCode(Main.DONE);
    }

    private AnswerSource printPlans(String podFile, AnswerSource answers, PrintWriter out) throws IOException {
        String text = InputFile.text(podFile);
        List<ResolverSettings> resolvers = resolvers(podFile, text, List.of(Dialect.GLIBC));
        names.forEach(name -> print(name, resolvers, answers, out));
        return answers;
    }

    /**
     * Prints advice, and returns the answers that were used. Without {@code --answer}, full names outside the cluster are assumed
     * to exist.
     */
    private AnswerSource printAdvice(String podFile, String hostFile, AnswerSource answers, PrintWriter out)
            throws IOException {
        String text = InputFile.text(podFile);
        List<Dialect> advised = resolvers(podFile, text, ADVISED).stream()
                .map(ResolverSettings::dialect)
                .toList();
        NdotsAdvisor files = new NdotsAdvisor(text, environment, advised);
        NdotsAdvisor advisor = answers instanceof ClusterAnswers cluster ? files.withServices(cluster) : files;
        HostList list = new HostList();
        names.forEach(name -> list.add("NAME", name));
        list.addFile(hostFile, InputFile.text(hostFile));
        List<String> hosts = list.hosts();
        AnswerSource completed = answers instanceof ClusterAnswers cluster && script.isEmpty()
                ? cluster.withOutside(advisor.assume(hosts, cluster))
                : answers;
        advise(advisor, hosts, completed, out);
        return completed;
    }

    /** Prints a note about names outside the cluster, because their answers are assumptions. */
    private void note(String how, Set<String> outside) {
        if (!outside.isEmpty()) {
            String first = outside.stream().limit(MAX_LISTED).collect(Collectors.joining(" "));
            String more = outside.size() > MAX_LISTED ? " and " + (outside.size() - MAX_LISTED) + " more" : "";
            command.commandLine().getErr().println("note: outside the cluster, " + how + ": " + first + more);
        }
    }

    /** Returns the settings of the resolvers in the Pod's file, and prints notes about ignored lines. */
    private List<ResolverSettings> resolvers(String path, String text, List<Dialect> defaults) {
        List<ResolverSettings> resolvers;
        try {
            resolvers = (dialects.isEmpty() ? defaults : dialects)
                    .stream()
                            .map(dialect -> SettingsReader.read(dialect, text, environment))
                            .toList();
        } catch (IllegalArgumentException invalid) {
            throw new IllegalArgumentException(path + ": " + invalid.getMessage(), invalid);
        }
        noteIgnoredLines(path, resolvers);
        noteOtherNamespaces(path, resolvers.get(0));
        return resolvers;
    }

    private void noteIgnoredLines(String path, List<ResolverSettings> resolvers) {
        PrintWriter err = command.commandLine().getErr();
        Map<IgnoredLine, Set<String>> dialectsByLine = new TreeMap<>(Comparator.comparing(IgnoredLine::number));
        for (ResolverSettings settings : resolvers) {
            settings.ignoredLines()
                    .forEach(line -> dialectsByLine
                            .computeIfAbsent(line, any -> new LinkedHashSet<>())
                            .add(settings.dialect().word()));
        }
        dialectsByLine.entrySet().stream().limit(MAX_LISTED).forEach(entry -> {
            IgnoredLine line = entry.getKey();
            err.println("note: " + path + ": line " + line.number() + " is ignored ("
                    + String.join(", ", entry.getValue()) + "): " + excerpt(line.text()));
        });
        if (dialectsByLine.size() > MAX_LISTED) {
            err.println("note: " + path + ": and "
                    + PlanTable.count(dialectsByLine.size() - MAX_LISTED, "more line")
                    + (dialectsByLine.size() < ResolverSettings.MAX_IGNORED ? "" : " at least"));
        }
    }

    private void print(String name, List<ResolverSettings> resolvers, AnswerSource answers, PrintWriter out) {
        List<AnsweredPlan> plans = resolvers.stream()
                .map(settings -> run(QueryPlan.of(settings, new LookupRequest(name, family)), answers))
                .toList();
        if (output.isObjects()) {
            plans.forEach(plan -> output.print(PlanJson.of(plan), out));
        } else if (output.format() == Format.NAME) {
            plans.stream().flatMap(this::askedNames).distinct().forEach(one -> print(one, out));
        } else {
            lines(plans).forEach(line -> print(line, out));
        }
    }

    private AnsweredPlan run(QueryPlan plan, AnswerSource answers) {
        assumed.clear();
        return AnsweredPlan.of(plan, answers, () -> invented.with(assumed));
    }

    private List<String> lines(List<AnsweredPlan> plans) {
        if (plans.size() > 1) {
            return PlanTable.sideBySide(plans);
        }
        return answered()
                ? PlanTable.ofRun(plans.get(0))
                : PlanTable.ofPlan(plans.get(0).trace().plan());
    }

    /** Returns the names that a resolver asks for; without answers all that it may ask for. */
    private Stream<String> askedNames(AnsweredPlan plan) {
        return answered()
                ? plan.queries().stream().map(PlannedQuery::name)
                : plan.trace().plan().candidates().stream().map(Candidate::name);
    }

    private boolean hasCluster() {
        return live.isChosen() || !manifests.all().isEmpty();
    }

    private boolean answered() {
        return hasCluster() || !script.isEmpty();
    }

    /** Replaces control characters of names and search domains, which a terminal would interpret. */
    static String printable(String line) {
        return CONTROL.matcher(line).replaceAll(" ");
    }

    /** Returns the beginning of an input text, for a message. */
    static String excerpt(String text) {
        return printable(text.substring(0, Math.min(text.length(), MAX_QUOTED_LENGTH)))
                + (text.length() > MAX_QUOTED_LENGTH ? "..." : "");
    }

    private static void print(String line, PrintWriter out) {
        out.println(printable(line));
    }

    private void advise(NdotsAdvisor advisor, List<String> hosts, AnswerSource answers, PrintWriter out) {
        Stream<HostAdvice> advice =
                hosts.stream().map(host -> answered() ? advisor.advise(host, answers) : advisor.advise(host));
        Supplier<List<NdotsChoice>> choices =
                () -> answered() ? advisor.choices(hosts, answers) : advisor.choices(hosts);
        if (output.isObjects()) {
            advice.forEach(one -> output.print(PlanJson.of(one, answered()), out));
            choices.get().forEach(choice -> output.print(PlanJson.of(choice, answered()), out));
            return;
        }
        if (!answered()) {
            out.println(ASSUMPTION);
        }
        AdviceText text = new AdviceText();
        advice.flatMap(one -> text.lines(one).stream()).forEach(line -> print(line, out));
        out.println(
                (hosts.size() == 1 ? "" : "all ") + PlanTable.count(hosts.size(), "name") + ", by the Pod's ndots:");
        text.lines(choices.get()).forEach(line -> print(line, out));
        text.footnotes().forEach(line -> print(line, out));
    }

    private AnswerScript script() {
        try {
            return AnswerScript.of(script);
        } catch (IllegalArgumentException invalid) {
            throw cluster.usage("--answer: " + invalid.getMessage());
        }
    }

    /** Returns the objects of the manifests that were read, or of a live cluster; empty without either. */
    private Optional<ClusterSnapshot> snapshot(Optional<ManifestResult> read, RecordRules rules) throws IOException {
        if (!hasCluster()) {
            return Optional.empty();
        }
        return Optional.of(
                read.isPresent() ? read.get().snapshot() : LiveCluster.snapshot(live, cluster, rules.settings()));
    }

    /** Returns the answers of the cluster, if there is one, and of another source for names outside the cluster. */
    private AnswerSource answers(Optional<ClusterSnapshot> snapshot, RecordRules rules, AnswerSource outside) {
        if (snapshot.isEmpty()) {
            return outside;
        }
        Map<String, String> ofTargets = new LinkedHashMap<>(script);
        ofTargets.putIfAbsent("*", Reply.Kind.DATA.word());
        AnswerScript assuming = AnswerScript.of(ofTargets);
        AnswerSource targets = query -> {
            Reply reply = assuming.answer(query);
            if (!reply.equals(outside.answer(query))) {
                assumed.addAll(reply.addresses());
            }
            return reply;
        };
        return new ClusterAnswers(
                ResolverChain.of(ClusterZone.of(snapshot.get(), rules, cluster.visibility())),
                new SnapshotServices(snapshot.get()),
                outside,
                targets);
    }

    /** Adds the host names of {@code --from-env} to the names, and prints where they stand. */
    private void addNamesOfTemplates(Optional<ClusterSnapshot> snapshot, RecordRules rules) throws IOException {
        if (templates.isEmpty()) {
            return;
        }
        requireRenderedTemplates(rules);
        Set<Name> known = new HashSet<>();
        if (snapshot.isPresent()) {
            ZoneRevision revision =
                    ClusterZone.of(snapshot.get(), rules, cluster.visibility()).current();
            revision.zones().forEach(zone -> revision.recordSets(zone).forEach(set -> known.add(set.owner())));
            // Also Services without records: a name that does not resolve is worth a look.
            snapshot.get().objects(Service.class).forEach(service -> {
                DnsLabels labels = NameSchema.service(service.name(), service.namespace());
                rules.settings().zones().stream()
                        .filter(labels::fitsBelow)
                        .forEach(zone -> known.add(DnsNames.absolute(labels, zone)));
            });
        }
        SearchedNames searched = new SearchedNames(rules.settings().zones());
        List<HostUses.Use> uses = HostUses.in(
                cluster.inputs(templates),
                cluster.reading.defaultNamespace,
                (namespace, word) -> searched.of(word, namespace).anyMatch(known::contains));
        PrintWriter err = command.commandLine().getErr();
        if (uses.isEmpty()) {
            err.println("note: no host name in " + String.join(", ", templates));
        }
        Set<String> all = new LinkedHashSet<>(names);
        for (HostUses.Use use : uses) {
            boolean isPort = use.host().startsWith("_");
            err.println("note: " + use.host() + ": " + use.object() + ", " + use.field() + " (" + use.position() + ")"
                    + (isPort ? "; not looked up, because the name of a port has SRV records only" : ""));
            if (!isPort) {
                all.add(use.host());
            }
        }
        names = List.copyOf(all);
        namespacesOfTemplates = uses.stream().map(HostUses.Use::namespace).collect(Collectors.toSet());
    }

    /**
     * Checks that the files of {@code --from-env} are not templates only, and notes templates among them.
     *
     * @throws InvalidInputException if they are
     */
    private void requireRenderedTemplates(RecordRules rules) throws IOException {
        if (templates.contains("-")) {
            // It is read for its problems, and then for host names.
            cluster.keepStandardInput();
        }
        ManifestResult read = cluster.silently(templates, true, rules);
        cluster.requireRendered(templates, TEMPLATE_FROM_STANDARD_INPUT, read);
        DiagnosticReport.unrenderedChart(read.diagnostics())
                .ifPresent(chart -> command.commandLine()
                        .getErr()
                        .println("note: no host name of the templates of " + chart
                                + " is looked up, because they are not rendered; "
                                + cluster.renderingHint(chart, TEMPLATE_FROM_STANDARD_INPUT)));
    }

    /** Notes that the Pods of {@code --from-env} have other search lists than the file. */
    private void noteOtherNamespaces(String podFile, ResolverSettings settings) {
        List<DnsLabels> zones =
                cluster.settings(List.of(ClusterOptions.LOOPBACK)).zones();
        List<String> others = namespacesOfTemplates.stream()
                .filter(namespace -> zones.stream()
                        .map(zone -> new ClusterSearches(namespace, zone.toString())
                                .domains()
                                .get(0))
                        .noneMatch(settings.searches()::contains))
                .sorted()
                .toList();
        if (!others.isEmpty()) {
            command.commandLine()
                    .getErr()
                    .println("note: the search list of " + podFile + " is not that of a Pod in namespace "
                            + String.join(", ", others) + ", where objects of --from-env are; their names may lead"
                            + " elsewhere in their Pods");
        }
    }

    private void checkStandardInputIsReadOnce(String file) {
        long inputs = Stream.of(List.of(file, String.valueOf(advise)), manifests.all(), templates)
                .flatMap(List::stream)
                .filter("-"::equals)
                .count();
        if (inputs > 1) {
            throw cluster.usage("standard input (-) can be one input only");
        }
    }

    /** Rejects options of the cluster, for example {@code --zone}, that have no effect without manifests. */
    private void checkClusterOptionsHaveManifests() {
        if (!hasCluster()) {
            String unused = given().stream()
                    .filter(QueriesCommand::isOfTheCluster)
                    .map(OptionSpec::longestName)
                    .filter(option -> !optionsOfTemplates().contains(option))
                    .collect(Collectors.joining(", "));
            if (!unused.isEmpty()) {
                throw cluster.usage(unused + " without -f MANIFEST or --live");
            }
        }
    }

    /** Returns the options for reading manifests that {@code --from-env} uses, if it is given. */
    private Set<String> optionsOfTemplates() {
        return templates.isEmpty() ? Set.of() : Set.of("--default-namespace", "--render", "--release");
    }

    private static boolean isOfTheCluster(OptionSpec option) {
        return !HelpSections.heading(option).equals(HelpSections.OWN);
    }

    private void checkBatchHasNoOtherOptions() {
        Format format = output.format();
        if (format == Format.YAML || format == Format.NAME) {
            throw cluster.usage("--batch and -o " + format.word() + " exclude each other: a batch prints JSON");
        }
        String others = Stream.concat(
                        given().stream().map(OptionSpec::longestName),
                        names.stream().map(name -> "NAME"))
                .filter(name -> !Set.of("--batch", "--json", "--output").contains(name))
                .distinct()
                .collect(Collectors.joining(", "));
        if (!others.isEmpty()) {
            throw cluster.usage("--batch takes everything from its lines, not " + others);
        }
    }

    private List<OptionSpec> given() {
        return command.commandLine().getParseResult().matchedOptions().stream()
                .filter(option -> !ProgramOptions.contains(option))
                .toList();
    }
}
