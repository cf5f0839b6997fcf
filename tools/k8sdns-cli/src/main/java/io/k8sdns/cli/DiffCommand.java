package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.exitCodes;
import static io.k8sdns.cli.CommandSpecs.options;
import static io.k8sdns.cli.CommandSpecs.parameter;

import io.k8sdns.cli.ClusterOptions.Side;
import io.k8sdns.cli.OutputOptions.Format;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.manifest.HostUses;
import io.k8sdns.manifest.ManifestResult;
import io.k8sdns.model.NamespacedObject;
import io.k8sdns.model.Service;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.PodsMode;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Question;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import io.k8sdns.verify.ChangedName;
import io.k8sdns.verify.ZoneDiff;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The command {@code k8sdns diff}: prints which names appear, change and vanish between two sources of records. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class DiffCommand implements Callable<Integer> {
    private static final String ZONE_FILE = "zone:";
    private static final String LIVE = "live";
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final int DNS_PORT = 53;

    /** The types of records that the name of a Service can have. */
    private static final Set<Integer> SERVICE_TYPES = Set.of(Type.A, Type.AAAA, Type.CNAME, Type.SRV);

    /** The largest number of lines about the manifests of both sides. */
    private static final int MAX_NOTES = 20;

    /** The differences that end the command with 1. */
    enum FailOn {
        /** A name that vanishes. */
        VANISH,

        /** A name that vanishes or changes. */
        CHANGE,

        /** A name that appears. */
        APPEAR;

        boolean includes(ChangedName.Kind kind) {
            return switch (this) {
                case VANISH -> kind == ChangedName.Kind.VANISHES;
                case CHANGE -> kind != ChangedName.Kind.APPEARS;
                case APPEAR -> kind == ChangedName.Kind.APPEARS;
            };
        }
    }

    private final LiveOptions live = new LiveOptions();
    private final ClusterOptions options = new ClusterOptions();
    private final OutputOptions output = new OutputOptions(Format.NAME, Format.MARKDOWN);
    private final ManifestArguments manifests = new ManifestArguments();

    @Nullable
    private String first;

    @Nullable
    private String second;

    private List<FailOn> failOn = List.of();

    /** The names that a server answers with an error. */
    private final Set<Name> failed = new TreeSet<>();

    /** Whether a live cluster does not permit to list its Pods, so that their names cannot be compared. */
    private boolean hidesPods;

    /** The namespaces with objects of live clusters, and those of manifests. */
    private final Set<String> liveNamespaces = new TreeSet<>();

    private final Set<String> manifestNamespaces = new TreeSet<>();

    /** The names of the Services, also of those without records, which a server may have. */
    private final Set<Name> services = new TreeSet<>();

    private CommandSpec command;

    /** Declares the command. */
    CommandSpec spec() {
        command = CommandSpecs.command("diff", this);
        command.usageMessage()
                .description(
                        "Prints which names vanish, change and appear between two sources of records, and which objects in manifests "
                                + "use these names.",
                        "",
                        "A and B are: a manifest or a directory of manifests, - for standard input; live or live:CONTEXT for a live "
                                + "cluster; zone:FILE for a zone file, also of several zones, as records prints them, or FILE.zone; "
                                + "@HOST[:PORT] for a DNS server, which is asked for the names of the other side. With -f, as with kubectl "
                                + "diff, B is these manifests, and A is live or the only parameter.",
                        "",
                        "Not compared: SOA, NS and ns.dns.ZONE, TTLs, order, SRV priority and weight. Where manifests hold no address, "
                                + "the number of addresses, and the ports and targets of SRV records are compared, and names made of such an address, or of a real one in its place, are only "
                                + "counted. The users of "
                                + "a name are looked for in the environment, command and arguments of containers, in ConfigMaps and in "
                                + "ExternalName Services: of B if it has manifests, otherwise of A.",
                        "")
                .footer(
                        "  k8sdns diff deploy.old/ deploy/",
                        "  git worktree add ../base main && k8sdns diff -o markdown --fail-on vanish ../base/deploy deploy",
                        "  k8sdns diff -f deploy/",
                        "  helm template charts/web | k8sdns diff -n shop live -",
                        "  k8sdns diff live:blue live:green",
                        "  k8sdns diff cluster.local.zone @10.96.0.10")
                .exitCodeList(exitCodes(
                        "0:done, whatever differs",
                        "1:a difference of --fail-on was found",
                        "2:usage or invalid input, or neither side has a record that -n, -l or --namespace-labels leaves",
                        "3:failed at run time, for example a server or a cluster cannot be read"));
        manifests.declareOfSide(command);
        addOptions(
                command,
                HelpSections.OWN,
                options("--fail-on", FailOn.class, value -> failOn = value)
                        .splitRegex(",")
                        .paramLabel("vanish|change|appear")
                        .description(
                                "Exit with 1 if a name vanishes (vanish), if a name vanishes or its records change "
                                        + "(change), or if a name appears (appear); repeatable, or separated by commas: change,appear is "
                                        + "every difference."));
        output.declare(
                command,
                HelpSections.OWN,
                "one object a name: {\"name\", \"difference\", \"removed\", \"added\", \"users\"}, each user being {\"host\", "
                        + "\"object\", \"field\", \"position\"}; \"invented\": true if a record has an address that no manifest holds.");
        live.declareOfContexts(command);
        options.declare(command);
        command.addPositional(parameter("0", value -> first = value)
                .required(false)
                .arity("0..1")
                .paramLabel("A")
                .description("The records before (default with -f: live).")
                .build());
        command.addPositional(parameter("1", value -> second = value)
                .required(false)
                .arity("0..1")
                .paramLabel("B")
                .description("The records after, unless -f has them.")
                .build());
        return command;
    }

    @Override
    public Integer call() throws IOException {
        output.check();
        live.requireTimeout();
        Source a = before();
        Source b = after();
        if (a.isServer() && b.isServer()) {
            throw options.usage("A and B are both servers: one of them must say which names there are");
        }
        if (b.isServer() && failOn.contains(FailOn.APPEAR)) {
            throw options.usage(
                    "--fail-on appear: no name can appear, because B is a server, which is asked for the names of A");
        }
        if (a.isServer() && failOn.contains(FailOn.VANISH)) {
            throw options.usage(
                    "--fail-on vanish: no name can vanish, because A is a server, which is asked for the names of B");
        }
        if (a.isStandardInput() && b.isStandardInput()) {
            throw options.usage("standard input (-) can be one input only");
        }
        int notes = a.isManifests() && b.isManifests() ? MAX_NOTES / 2 : MAX_NOTES;
        Side sideA = new Side("A", b.isOption() ? " - -f B" : " - B", notes);
        Side sideB = new Side("B", b.isOption() && first == null ? " -f -" : " A -", notes);
        RecordRules rules = new RecordRules(options.settings(List.of(ClusterOptions.LOOPBACK)));
        Visibility visibility = options.visibility();
        ComparedZone before;
        ComparedZone after;
        if (a.isServer()) {
            after = zone(b, sideB, rules, visibility);
            before = answers(a.text(), after, rules);
        } else {
            before = zone(a, sideA, rules, visibility);
            after = b.isServer() ? answers(b.text(), before, rules) : zone(b, sideB, rules, visibility);
        }
        requireRecords(before, after, rules);
        noteOtherNamespaces();
        Set<Name> invented = new TreeSet<>();
        List<RecordSet> old = compared(before, after, rules, invented);
        List<RecordSet> now = compared(after, before, rules, invented);
        warnOfOtherZones(a, before, after);
        warnOfOtherZones(b, after, before);
        List<ChangedName> changes = ZoneDiff.between(
                old,
                now,
                record -> before.invented().holds(record) || after.invented().holds(record),
                target -> before.isChosen(target) || after.isChosen(target));
        DiffOutput printed = new DiffOutput(
                changes,
                users(after.manifests().isEmpty() ? before : after, changes, rules),
                before.invented(),
                after.invented(),
                invented.size());
        printed.print(
                output, command.commandLine().getOut(), command.commandLine().getErr());
        return options.exitCode(isFailure(changes) ? Main.FAILED : Main.DONE);
    }

    /**
     * Checks that the options that select objects leave a record on one side: a check of a misspelt namespace must not succeed.
     *
     * @throws InvalidInputException if there is none
     */
    private void requireRecords(ComparedZone before, ComparedZone after, RecordRules rules) {
        List<String> filters = options.filters();
        if (!filters.isEmpty()
                && Stream.of(before, after).noneMatch(zone -> zone.hasRecordOfAnObject(rules.settings()))) {
            throw options.invalidInput("nothing is compared, because no object of A or B with "
                    + String.join(" and ", filters) + " has a record");
        }
    }

    private boolean isFailure(List<ChangedName> changes) {
        return changes.stream()
                .map(ChangedName::kind)
                .anyMatch(kind -> failOn.stream().anyMatch(one -> one.includes(kind)));
    }

    // ---- where the records come from ----

    /**
     * A source of records.
     *
     * @param texts a parameter, or the manifests of {@code -f}
     * @param isOption whether they are the manifests of {@code -f}
     */
    private record Source(List<String> texts, boolean isOption) {
        /** Returns the parameter. */
        String text() {
            return texts.get(0);
        }

        boolean isServer() {
            return !isOption && text().startsWith("@");
        }

        boolean isLive() {
            return !isOption && (text().equals(LIVE) || text().startsWith(LIVE + ":"));
        }

        boolean isZoneFile() {
            return !isOption
                    && (text().startsWith(ZONE_FILE)
                            || text().endsWith(".zone") && !Files.isDirectory(Path.of(text())));
        }

        boolean isManifests() {
            return !isServer() && !isLive() && !isZoneFile();
        }

        boolean isStandardInput() {
            return texts.contains("-") || !isOption && text().equals(ZONE_FILE + "-");
        }
    }

    private Source before() {
        if (first != null) {
            return new Source(List.of(first), false);
        }
        if (manifests.all().isEmpty()) {
            throw options.usage("missing: A and B, or -f MANIFEST to compare with the live cluster");
        }
        if (manifests.all().size() == 2) {
            try {
                live.ofContext(null).kubeconfigs();
            } catch (ParameterException noCluster) {
                throw options.usage(noCluster.getMessage() + "; to compare two manifests with each other, write "
                        + String.join(" ", manifests.all()) + " without -f");
            }
        }
        return new Source(List.of(LIVE), false);
    }

    private Source after() {
        List<String> files = manifests.all();
        if (!files.isEmpty()) {
            if (second != null) {
                throw options.usage("B is both " + second + " and the manifests of -f");
            }
            return new Source(files, true);
        }
        if (second == null) {
            throw options.usage("missing: B, or -f MANIFEST");
        }
        return new Source(List.of(second), false);
    }

    private ComparedZone zone(Source source, Side side, RecordRules rules, Visibility visibility) throws IOException {
        String text = source.text();
        if (text.isEmpty()) {
            throw options.usage("an empty text names no source (the working directory is '.')");
        }
        if (source.isLive()) {
            String context = text.equals(LIVE) ? null : text.substring(LIVE.length() + 1);
            LiveCluster.PresentObjects present =
                    LiveCluster.objects(live.ofContext(context), options, rules.settings(), side);
            if (rules.settings().pods() == PodsMode.VERIFIED && !present.hasPods()) {
                hidesPods = true;
                options.print(side.named("warning: names of Pods are not compared, because the Pods are not listed"));
            }
            addNamespaces(present.snapshot(), liveNamespaces);
            addServices(present.snapshot(), rules, visibility);
            return ComparedZone.of(present.snapshot(), InventedRecords.NONE, List.of(), rules, visibility);
        }
        if (source.isZoneFile()) {
            try {
                return ZoneFile.read(fileName(text), rules);
            } catch (IllegalArgumentException invalid) {
                throw options.usage(String.valueOf(invalid.getMessage()));
            }
        }
        ManifestArguments.requireNoUrl(text, command, side.standardInputHint());
        if (source.isStandardInput()) {
            // It is read for its objects, and later for host names.
            options.keepStandardInput();
        }
        ManifestResult read = options.manifests(source.texts(), side, rules);
        options.requireRendered(source.texts(), side.standardInputHint(), read);
        options.requireRenderedCharts(source.texts(), side.standardInputHint(), read);
        if (source.isStandardInput()) {
            // An empty file may be a side on purpose, as /dev/null is for other programs that compare files.
            options.requireObject(source.texts(), read);
        }
        addNamespaces(read.snapshot(), manifestNamespaces);
        addServices(read.snapshot(), rules, visibility);
        return ComparedZone.of(read.snapshot(), InventedRecords.of(read), source.texts(), rules, visibility);
    }

    private static void addNamespaces(ClusterSnapshot snapshot, Set<String> namespaces) {
        snapshot.objects(NamespacedObject.class)
                .map(NamespacedObject::namespace)
                .forEach(namespaces::add);
    }

    private void addServices(ClusterSnapshot snapshot, RecordRules rules, Visibility visibility) {
        snapshot.objects(Service.class)
                .filter(visibility::shows)
                .map(service -> NameSchema.service(service.name(), service.namespace()))
                .forEach(labels -> rules.settings().zones().stream()
                        .filter(labels::fitsBelow)
                        .forEach(zone -> services.add(DnsNames.absolute(labels, zone))));
    }

    /** Notes the namespaces that only the cluster has: their names differ, unless {@code --namespace} hides them. */
    private void noteOtherNamespaces() {
        List<String> others = liveNamespaces.stream()
                .filter(name -> !manifestNamespaces.contains(name))
                .toList();
        if (options.filters().isEmpty() && !manifestNamespaces.isEmpty() && !others.isEmpty()) {
            options.print("note: namespaces of the cluster without an object in the manifests: "
                    + PlanTable.first(others) + "; to compare only those of the manifests: -n "
                    + String.join(" -n ", manifestNamespaces));
        }
    }

    /** Warns of names of the other side that cannot be in a zone file, because it has no SOA record of their zone. */
    private void warnOfOtherZones(Source source, ComparedZone zone, ComparedZone other) {
        List<String> names = other.sets().stream()
                .filter(set -> !set.type().equals(RecordType.SOA) && !set.type().equals(RecordType.NS))
                .map(RecordSet::owner)
                .filter(zone.canHave().negate())
                .distinct()
                .map(Name::toString)
                .toList();
        if (!names.isEmpty()) {
            options.print("warning: not compared: " + PlanTable.count(names.size(), "name")
                    + " of zones without an SOA record in " + fileName(source.text()) + ", for example "
                    + names.get(0));
        }
    }

    private static String fileName(String source) {
        return source.startsWith(ZONE_FILE) ? source.substring(ZONE_FILE.length()) : source;
    }

    /** Asks a server for the names of the other side, and the types that they have there, and for the addresses of its other Services. */
    private ComparedZone answers(String source, ComparedZone other, RecordRules rules) throws IOException {
        String text = source.substring(1);
        InetSocketAddress server;
        try {
            server = HostAndPort.parse(text, DNS_PORT).address();
        } catch (IllegalArgumentException invalid) {
            throw options.usage(source + ": " + invalid.getMessage());
        }
        Map<Name, Set<Integer>> questions = new LinkedHashMap<>();
        for (RecordSet set : other.sets()) {
            if (!other.invented().isIn(set.owner())) {
                Set<Integer> types = questions.computeIfAbsent(set.owner(), any -> new LinkedHashSet<>());
                types.add(set.type().number());
                if (set.type().equals(RecordType.A) || set.type().equals(RecordType.AAAA)) {
                    types.add(RecordType.A.number());
                    types.add(RecordType.AAAA.number());
                }
            }
        }
        services.forEach(name -> questions.putIfAbsent(name, Set.of(Type.A, Type.AAAA)));
        options.print("note: " + text
                + " is asked about the names of the other side; names that only this server has are not found");
        return Progress.during(
                "asking " + text,
                command.commandLine().getErr(),
                () -> ComparedZone.of(ask(server, questions), InventedRecords.NONE, rules));
    }

    /**
     * Asks the questions, and about names that exist without one of these records, as a Service whose type has changed, the others of a
     * Service's name. Names that the server answers with an error are collected, to be excluded on both sides.
     */
    private List<RecordSet> ask(InetSocketAddress server, Map<Name, Set<Integer>> questions) throws IOException {
        Map<Name, Map<RecordType, RecordSet>> found = new LinkedHashMap<>();
        Set<Name> existing = new TreeSet<>();
        String firstError = ask(server, questions, found, existing);
        existing.removeAll(found.keySet());
        existing.removeAll(failed);
        Map<Name, Set<Integer>> others = new LinkedHashMap<>();
        for (Name name : existing) {
            Set<Integer> asked = questions.getOrDefault(name, Set.of());
            if (SERVICE_TYPES.stream().anyMatch(type -> !type.equals(Type.SRV) && asked.contains(type))) {
                Set<Integer> types = new LinkedHashSet<>(SERVICE_TYPES);
                types.removeAll(asked);
                others.put(name, types);
            }
        }
        String error = ask(server, others, found, existing);
        firstError = firstError.isEmpty() ? error : firstError;
        if (!failed.isEmpty()) {
            String text = HostAndPort.text(server) + " answers " + PlanTable.count(failed.size(), "name")
                    + " with an error: " + firstError;
            if (failed.size() == questions.size()) {
                throw new IOException(text);
            }
            command.commandLine().getErr().println("warning: not compared: " + text);
        }
        return found.values().stream().flatMap(sets -> sets.values().stream()).toList();
    }

    /**
     * Asks the questions once.
     *
     * @param found receives the records of the names, with aliases that the server answers in place of another type
     * @param existing receives the names that the server answers with NOERROR
     * @return the first error; empty if there is none
     */
    private String ask(
            InetSocketAddress server,
            Map<Name, Set<Integer>> questions,
            Map<Name, Map<RecordType, RecordSet>> found,
            Set<Name> existing)
            throws IOException {
        String firstError = "";
        List<Question> all = questions.entrySet().stream()
                .flatMap(name -> name.getValue().stream().map(type -> Question.of(name.getKey(), RecordType.of(type))))
                .toList();
        Iterator<Answer> answers = ServerAnswers.to(all, server, TIMEOUT).iterator();
        for (Question question : all) {
            Answer answer = answers.next();
            if (answer.rcode() == Rcode.NOERROR) {
                existing.add(question.name());
            } else if (answer.rcode() != Rcode.NXDOMAIN) {
                failed.add(question.name());
                firstError = firstError.isEmpty()
                        ? question.name() + " " + question.type() + ": " + Rcode.string(answer.rcode())
                        : firstError;
            }
            answer.answer().stream()
                    .filter(set -> set.owner().equals(question.name())
                            && (set.type().equals(question.type()) || set.type().equals(RecordType.CNAME)))
                    .forEach(set -> found.computeIfAbsent(question.name(), any -> new LinkedHashMap<>())
                            .put(set.type(), set));
        }
        return firstError;
    }

    /** Returns the record sets that are compared; names that an invented address decides are collected instead. */
    private List<RecordSet> compared(ComparedZone zone, ComparedZone other, RecordRules rules, Set<Name> invented) {
        Set<Name> nameServers = new TreeSet<>();
        rules.settings().zones().forEach(name -> nameServers.add(DnsNames.absolute(RecordRules.nameServer(name))));
        Set<Name> observed = ObservedNames.of(zone, other);
        Set<Name> inventedThere = new TreeSet<>();
        other.sets().stream()
                .map(RecordSet::owner)
                .filter(other.invented()::isIn)
                .forEach(inventedThere::add);
        List<RecordSet> compared = new ArrayList<>();
        for (RecordSet set : zone.sets()) {
            if (set.type().equals(RecordType.SOA)
                    || set.type().equals(RecordType.NS)
                    || nameServers.contains(set.owner())
                    || failed.contains(set.owner())
                    || !other.canHave().test(set.owner())
                    || hidesPods && isPodName(set.owner(), rules)) {
                continue;
            }
            if (zone.invented().isIn(set.owner())
                    || inventedThere.contains(set.owner())
                    || observed.contains(set.owner())) {
                invented.add(set.owner());
            } else {
                compared.add(set);
            }
        }
        return compared;
    }

    private static boolean isPodName(Name name, RecordRules rules) {
        DnsLabels labels = DnsNames.labels(name);
        return rules.settings().zones().stream()
                .flatMap(zone -> labels.below(zone).stream())
                .anyMatch(below -> NameSchema.parse(below) instanceof ClusterName.PodName);
    }

    // ---- users of the names ----

    private Map<Name, List<HostUses.Use>> users(ComparedZone zone, List<ChangedName> changes, RecordRules rules)
            throws IOException {
        Map<Name, List<HostUses.Use>> users = new LinkedHashMap<>();
        changes.forEach(change -> users.put(change.name(), new ArrayList<>()));
        if (!zone.manifests().isEmpty() && !changes.isEmpty()) {
            SearchedNames names = new SearchedNames(rules.settings().zones());
            List<HostUses.Use> uses = HostUses.in(
                    options.inputs(zone.manifests()),
                    options.reading.defaultNamespace,
                    (namespace, word) -> names.of(word, namespace).anyMatch(users::containsKey));
            for (HostUses.Use use : uses) {
                names.of(use.host(), use.namespace())
                        .flatMap(name -> Optional.ofNullable(users.get(name)).stream())
                        .findFirst()
                        .ifPresent(of -> of.add(use));
            }
        }
        return users;
    }
}
