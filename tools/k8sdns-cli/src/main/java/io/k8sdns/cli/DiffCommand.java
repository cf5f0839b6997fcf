package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.exitCodes;
import static io.k8sdns.cli.CommandSpecs.option;
import static io.k8sdns.cli.CommandSpecs.parameter;

import io.k8sdns.cli.OutputOptions.Format;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.manifest.HostUses;
import io.k8sdns.manifest.ManifestResult;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Question;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.verify.ChangedName;
import io.k8sdns.verify.ZoneDiff;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneRevision;
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
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import picocli.CommandLine.Model.CommandSpec;

/** The command {@code k8sdns diff}: prints which names appear, change and vanish between two sources of records. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class DiffCommand implements Callable<Integer> {
    private static final String ZONE_FILE = "zone:";
    private static final String LIVE = "live";
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final int DNS_PORT = 53;

    /** The differences that end the command with 1. */
    enum FailOn {
        /** A name that vanishes. */
        VANISH,

        /** A name that vanishes or changes. */
        CHANGE
    }

    private final LiveOptions live = new LiveOptions();
    private final ClusterOptions options = new ClusterOptions();
    private final OutputOptions output = new OutputOptions(Format.NAME, Format.MARKDOWN);
    private String first;
    private String second;

    @Nullable
    private FailOn failOn;

    /** The names that a server answers with an error. */
    private final Set<Name> failed = new TreeSet<>();

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
                                + "@HOST[:PORT] for a DNS server, which is asked for the names of the other side.",
                        "",
                        "Not compared: SOA, NS and ns.dns.ZONE, TTLs, order, SRV priority and weight. Where manifests hold no address, "
                                + "only the number of records is compared, and names made of such an address, or of a real one in its place, are only "
                                + "counted. The users of "
                                + "a name are looked for in the environment, command and arguments of containers, in ConfigMaps and in "
                                + "ExternalName Services: of B if it has manifests, otherwise of A.",
                        "")
                .footer(
                        "  k8sdns diff deploy.old/ deploy/",
                        "  git worktree add ../base main && k8sdns diff -o markdown --fail-on vanish ../base/deploy deploy",
                        "  helm template charts/web | k8sdns diff -n shop live -",
                        "  k8sdns diff live:blue live:green",
                        "  k8sdns diff cluster.local.zone @10.96.0.10")
                .exitCodeList(exitCodes(
                        "0:done, whatever differs",
                        "1:a difference of --fail-on was found, or failed at run time",
                        "2:usage or invalid input"));
        addOptions(
                command,
                HelpSections.OWN,
                option("--fail-on", FailOn.class, value -> failOn = value)
                        .paramLabel("vanish|change")
                        .description(
                                "Exit with 1 if a name vanishes; with change, also if the records of a name change."));
        output.declare(
                command,
                HelpSections.OWN,
                "one object a name: {\"name\", \"difference\", \"removed\", \"added\", \"users\"}, each user being {\"host\", "
                        + "\"object\", \"field\", \"position\"}.");
        live.declareOfContexts(command);
        options.declare(command);
        command.addPositional(parameter("0", value -> first = value)
                .paramLabel("A")
                .description("The records before.")
                .build());
        command.addPositional(parameter("1", value -> second = value)
                .paramLabel("B")
                .description("The records after.")
                .build());
        return command;
    }

    @Override
    public Integer call() throws IOException {
        output.check();
        live.requireTimeout();
        if (isServer(first) && isServer(second)) {
            throw options.usage("A and B are both servers: one of them must say which names there are");
        }
        if (isStandardInput(first) && isStandardInput(second)) {
            throw options.usage("standard input (-) can be one input only");
        }
        RecordRules rules = new RecordRules(options.settings(List.of(ClusterOptions.LOOPBACK)));
        Visibility visibility = options.visibility();
        ComparedZone before;
        ComparedZone after;
        if (isServer(first)) {
            after = zone(second, rules, visibility);
            before = answers(first, after);
        } else {
            before = zone(first, rules, visibility);
            after = isServer(second) ? answers(second, before) : zone(second, rules, visibility);
        }
        Set<Name> invented = new TreeSet<>();
        List<RecordSet> old = compared(before, after, rules, invented);
        List<RecordSet> now = compared(after, before, rules, invented);
        List<ChangedName> changes = ZoneDiff.between(
                old,
                now,
                record -> before.invented().holds(record) || after.invented().holds(record));
        DiffOutput printed = new DiffOutput(
                changes, users(after.manifests().isEmpty() ? before : after, changes, rules), invented.size());
        printed.print(output, command.commandLine().getOut());
        return options.exitCode(isFailure(changes) ? Main.FAILED : Main.DONE);
    }

    private boolean isFailure(List<ChangedName> changes) {
        return failOn != null
                && changes.stream()
                        .map(ChangedName::kind)
                        .anyMatch(kind -> kind == ChangedName.Kind.VANISHES
                                || failOn == FailOn.CHANGE && kind == ChangedName.Kind.CHANGES);
    }

    private static boolean isStandardInput(String source) {
        return source.equals("-") || source.equals(ZONE_FILE + "-");
    }

    private static boolean isServer(String source) {
        return source.startsWith("@");
    }

    // ---- where the records come from ----

    private ComparedZone zone(String source, RecordRules rules, Visibility visibility) throws IOException {
        if (source.isEmpty()) {
            throw options.usage("an empty text names no source (the working directory is '.')");
        }
        if (source.equals(LIVE) || source.startsWith(LIVE + ":")) {
            String context = source.equals(LIVE) ? null : source.substring(LIVE.length() + 1);
            ClusterSnapshot snapshot = LiveCluster.snapshot(live.ofContext(context), options, rules.settings());
            return ComparedZone.of(sets(snapshot, rules, visibility));
        }
        if (source.startsWith(ZONE_FILE) || source.endsWith(".zone") && !Files.isDirectory(Path.of(source))) {
            String file = source.startsWith(ZONE_FILE) ? source.substring(ZONE_FILE.length()) : source;
            try {
                return ComparedZone.of(ZoneFile.read(file));
            } catch (IllegalArgumentException invalid) {
                throw options.usage(String.valueOf(invalid.getMessage()));
            }
        }
        ManifestArguments.requireNoUrl(source, command, source.equals(first) ? " - B" : " A -");
        if (source.equals("-")) {
            // It is read for its objects, and later for host names.
            options.keepStandardInput();
        }
        ManifestResult read = options.manifests(List.of(source), options.reading.asIs, rules);
        return new ComparedZone(sets(read.snapshot(), rules, visibility), InventedRecords.of(read), List.of(source));
    }

    private static List<RecordSet> sets(ClusterSnapshot snapshot, RecordRules rules, Visibility visibility) {
        ZoneRevision revision = ClusterZone.of(snapshot, rules, visibility).current();
        return revision.zones().stream()
                .flatMap(zone -> revision.recordSets(zone).stream())
                .toList();
    }

    /** Asks a server for the names of the other side, and the types that they have there. */
    private ComparedZone answers(String source, ComparedZone other) throws IOException {
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
        return Progress.during(
                "asking " + text, command.commandLine().getErr(), () -> ComparedZone.of(ask(server, questions)));
    }

    /** Asks the questions. Names that the server answers with an error are collected, to be excluded on both sides. */
    private List<RecordSet> ask(InetSocketAddress server, Map<Name, Set<Integer>> questions) throws IOException {
        List<RecordSet> sets = new ArrayList<>();
        String firstError = "";
        List<Question> all = questions.entrySet().stream()
                .flatMap(name -> name.getValue().stream().map(type -> Question.of(name.getKey(), RecordType.of(type))))
                .toList();
        Iterator<Answer> answers = ServerAnswers.to(all, server, TIMEOUT).iterator();
        for (Question question : all) {
            Answer answer = answers.next();
            if (answer.rcode() != Rcode.NOERROR && answer.rcode() != Rcode.NXDOMAIN) {
                failed.add(question.name());
                firstError = firstError.isEmpty()
                        ? question.name() + " " + question.type() + ": " + Rcode.string(answer.rcode())
                        : firstError;
            }
            answer.answer().stream()
                    .filter(set ->
                            set.owner().equals(question.name()) && set.type().equals(question.type()))
                    .forEach(sets::add);
        }
        if (!failed.isEmpty()) {
            String text = HostAndPort.text(server) + " answers " + PlanTable.count(failed.size(), "name")
                    + " with an error: " + firstError;
            if (failed.size() == questions.size()) {
                throw new IOException(text);
            }
            command.commandLine().getErr().println("warning: not compared: " + text);
        }
        return sets;
    }

    /** Returns the record sets that are compared; names that an invented address decides are collected instead. */
    private List<RecordSet> compared(ComparedZone zone, ComparedZone other, RecordRules rules, Set<Name> invented) {
        Set<Name> nameServers = new TreeSet<>();
        rules.settings().zones().forEach(name -> nameServers.add(DnsNames.absolute(RecordRules.nameServer(name))));
        Set<Name> observed = ObservedNames.of(zone, other);
        List<RecordSet> compared = new ArrayList<>();
        for (RecordSet set : zone.sets()) {
            if (set.type().equals(RecordType.SOA)
                    || set.type().equals(RecordType.NS)
                    || nameServers.contains(set.owner())
                    || failed.contains(set.owner())) {
                continue;
            }
            if (zone.invented().isIn(set.owner())
                    || other.invented().isIn(set.owner())
                    || observed.contains(set.owner())) {
                invented.add(set.owner());
            } else {
                compared.add(set);
            }
        }
        return compared;
    }

    // ---- who uses the names ----

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
