package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.addQuestion;
import static io.k8sdns.cli.CommandSpecs.exitCodes;
import static io.k8sdns.cli.CommandSpecs.flag;
import static io.k8sdns.cli.CommandSpecs.option;

import io.k8sdns.cli.OutputOptions.Format;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.manifest.ManifestResult;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Service;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import io.k8sdns.zone.ClusterZone;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;
import picocli.CommandLine.Model.CommandSpec;

/** The command {@code k8sdns query}: prints one answer in the format of dig. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class QueryCommand implements Callable<Integer> {
    /** The names of extended errors, as dig prints them. */
    private static final Map<Integer, String> EXTENDED_ERRORS = Map.of(
            ExtendedError.OTHER, "Other",
            ExtendedError.NOT_READY, "Not Ready",
            ExtendedError.NOT_AUTHORITATIVE, "Not Authoritative",
            ExtendedError.NOT_SUPPORTED, "Not Supported",
            ExtendedError.SYNTHESIZED, "Synthesized",
            ExtendedError.INVALID_QUERY_TYPE, "Invalid Query Type");

    private final ManifestArguments manifests = new ManifestArguments();
    private boolean brief;
    private boolean reverse;
    private final OutputOptions output = new OutputOptions(Format.NAME);
    private InventedRecords invented = InventedRecords.NONE;
    private final LiveOptions live = new LiveOptions();
    private final ClusterOptions options = new ClusterOptions();
    private String name;
    private String type;
    private @Nullable String typeOption;
    private CommandSpec command;

    /** Declares the command. */
    CommandSpec spec() {
        command = CommandSpecs.command("query", this);
        command.usageMessage()
                .description(
                        "Answers one question from Kubernetes manifests, or from a live cluster, in process: no server, no port.",
                        "",
                        "Prints the answer as dig would print that of a server, with id 0: header, question, answer, authority and "
                                + "additional section. NAME is absolute, with or without the last dot.",
                        "")
                .footer(
                        "  k8sdns query -f examples/bookstore cart.shop.svc.cluster.local",
                        "  k8sdns query -f examples/bookstore --short db.shop.svc.cluster.local SRV",
                        "  k8sdns query --kubeconfig ~/.kube/config kubernetes.default.svc.cluster.local",
                        "  k8sdns query -f - -o json -x 10.96.0.20 <live.yaml")
                .exitCodeList(exitCodes(
                        "0:there is an answer, NXDOMAIN and REFUSED included",
                        "1:failed at run time",
                        "2:usage or invalid input"));
        manifests.declare(command);
        addOptions(
                command,
                HelpSections.OWN,
                flag("--short", value -> brief = value).description("Print only the data of the answer section."),
                flag("--reverse", value -> reverse = value)
                        .names("-x", "--reverse")
                        .description("NAME is an address: ask for the PTR records of its reverse name, as dig does."),
                option("--type", String.class, value -> typeOption = value)
                        .names("-t", "--type")
                        .paramLabel("TYPE")
                        .description("The type, as with dig, instead of the argument TYPE."));
        output.declare(
                command,
                HelpSections.OWN,
                "one object: {\"status\", \"flags\", \"question\", \"answer\", \"authority\", \"additional\"}, flags "
                        + "and sections are arrays; records have the form of records --json.");
        live.declare(command);
        options.declare(command);
        addQuestion(
                command,
                value -> name = value,
                value -> type = value,
                "A, AAAA, SRV, PTR, ANY, ... or TYPE123, also before NAME");
        return command;
    }

    @Override
    public Integer call() throws IOException {
        requireNoOptionOfDig();
        live.requireOneSource(manifests.all(), Stream.of(type, name));
        Format format = output.format();
        if (brief && format != Format.TEXT) {
            throw options.usage("--short and -o " + format.word() + " exclude each other");
        }
        Question question = question();
        RecordRules rules = new RecordRules(options.settings(List.of(ClusterOptions.LOOPBACK)));
        Visibility visibility = options.visibility();
        ClusterSnapshot snapshot =
                live.isChosen() ? LiveCluster.snapshot(live, options, rules.settings()) : read(rules, question);
        invented = options.withNameServer(invented);
        ResolverChain resolver = ResolverChain.of(ClusterZone.of(snapshot, rules, visibility));
        Answer answer = answer(question, resolver);
        if (answer.rcode() == Rcode.REFUSED) {
            hint(question, resolver, snapshot, rules.settings())
                    .ifPresent(command.commandLine().getErr()::println);
        }
        PrintWriter out = command.commandLine().getOut();
        if (brief) {
            lines(answer.answer()).forEach(line -> out.println(line.split(" ", 5)[4]));
        } else if (format == Format.NAME) {
            answer.answer().stream()
                    .map(set -> set.owner().toString())
                    .distinct()
                    .forEach(out::println);
        } else if (output.isObjects()) {
            output.print(object(question, answer), out);
        } else {
            print(question, answer, out);
        }
        return options.exitCode(Main.DONE);
    }

    private static Answer answer(Question question, ResolverChain resolver) {
        return resolver.resolve(question, Client.IN_PROCESS)
                .toStage()
                .toCompletableFuture()
                .join();
    }

    /** Returns the note about a name without its end, such as {@code cart} or {@code cart.shop}, or about an address. */
    private Optional<String> hint(
            Question question, ResolverChain resolver, ClusterSnapshot snapshot, ZoneSettings settings) {
        if (IpAddress.tryParse(name).isPresent()) {
            return Optional.of("note: " + name + " is an address; -x asks for its names");
        }
        DnsLabels asked = DnsNames.labels(question.name());
        Stream<DnsLabels> below = snapshot.objects(Service.class)
                .filter(service -> DnsLabels.of(service.name()).equals(asked))
                .map(service -> NameSchema.service(service.name(), service.namespace()));
        return Stream.concat(Stream.of(asked.append(ClusterName.FixedName.SERVICES.labels()), asked), below)
                .flatMap(belowZone ->
                        settings.zones().stream().filter(belowZone::fitsBelow).map(belowZone::append))
                .filter(one -> answer(new Question(one, question.type(), DClass.IN), resolver)
                                .rcode()
                        == Rcode.NOERROR)
                .findFirst()
                .map(near -> "note: " + name + " is not served by this server; " + near + " exists");
    }

    private ClusterSnapshot read(RecordRules rules, Question question) throws IOException {
        ManifestResult result = options.silently(manifests.all(), options.reading.asIs, rules);
        options.requireObject(manifests.all(), result);
        options.report(result, List.of(DnsNames.labels(question.name())), rules);
        invented = InventedRecords.of(result);
        return result.snapshot();
    }

    private void requireNoOptionOfDig() {
        Stream.of(name, type).forEach(word -> requireNoHint(word, UsageHints.of("query", word)));
    }

    private void requireNoHint(String word, Optional<String> hint) {
        hint.ifPresent(text -> {
            throw options.usage("neither a name nor a type: '" + word + "'; " + text);
        });
    }

    /** Reads the words of a question: the type may be an option or be before the name, as with dig. */
    private void readWords() {
        Stream.of(name, type).forEach(word -> requireNoHint(word, UsageHints.ofName(word)));
        if (typeOption != null) {
            if (command.commandLine().getParseResult().hasMatchedPositional(1)) {
                throw options.usage("--type and TYPE exclude each other");
            }
            type = typeOption;
        }
        if (!isType(type) && isType(name)) {
            String given = name;
            name = type;
            type = given;
        }
    }

    private static boolean isType(String word) {
        int number = Type.value(word);
        return number >= 0 && number <= 0xFFFF;
    }

    private Question question() {
        readWords();
        if (reverse) {
            return new Question(reverseName(), RecordType.of(Type.PTR), DClass.IN);
        }
        if (!isType(type)) {
            throw options.usage("not a record type: '" + type + "'"
                    + UsageHints.ofManifest(Stream.of(type, name))
                            .map(hint -> "; " + hint)
                            .orElse(""));
        }
        if (name.isEmpty()) {
            throw options.usage("not a name: '' (the root is '.')");
        }
        try {
            return new Question(DnsLabels.parse(name), RecordType.of(Type.value(type)), DClass.IN);
        } catch (InvalidNameException invalid) {
            throw options.usage("not a name: " + invalid.getMessage());
        }
    }

    private DnsLabels reverseName() {
        return IpAddress.tryParse(name)
                .map(NameSchema::reverseName)
                .orElseThrow(() -> options.usage("-x needs an address, not '" + name + "'"));
    }

    private void print(Question question, Answer answer, PrintWriter out) {
        out.println(";; ->>HEADER<<- opcode: QUERY, status: " + Rcode.string(answer.rcode()) + ", id: 0");
        out.println(";; flags: " + String.join(" ", flags(answer)) + "; QUERY: 1, ANSWER: "
                + lines(answer.answer()).size() + ", AUTHORITY: "
                + lines(answer.authority()).size() + ", ADDITIONAL: "
                + lines(answer.additional()).size());
        answer.extendedError().ifPresent(error -> out.println(text(error)));
        out.println();
        out.println(";; QUESTION SECTION:");
        out.println(";" + question.name() + "\tIN\t" + question.type());
        section("ANSWER", answer.answer(), out);
        section("AUTHORITY", answer.authority(), out);
        section("ADDITIONAL", answer.additional(), out);
    }

    private static String text(ExtendedError error) {
        String name = EXTENDED_ERRORS.getOrDefault(error.code(), "");
        return "; EDE: " + error.code() + (name.isEmpty() ? "" : " (" + name + ")")
                + (error.text().isEmpty() ? "" : ": (" + error.text() + ")");
    }

    private void section(String heading, List<RecordSet> sets, PrintWriter out) {
        if (!sets.isEmpty()) {
            out.println();
            out.println(";; " + heading + " SECTION:");
            lines(sets).forEach(line -> out.println(invented.line(line, "\t")));
        }
    }

    private OutputObject object(Question question, Answer answer) {
        OutputObject asked = new OutputObject()
                .put("name", question.name().toString())
                .put("class", "IN")
                .put("type", question.type().toString());
        return new OutputObject()
                .put("status", Rcode.string(answer.rcode()))
                .put("flags", flags(answer))
                .put("question", asked)
                .put("answer", objects(answer.answer()))
                .put("authority", objects(answer.authority()))
                .put("additional", objects(answer.additional()));
    }

    private List<OutputObject> objects(List<RecordSet> sets) {
        return lines(sets).stream().map(invented::object).toList();
    }

    private static List<String> lines(List<RecordSet> sets) {
        return sets.stream().flatMap(RecordSet::lines).toList();
    }

    /** Returns the flags of a response to a query with the flag RD, which dig sets by default. */
    private static List<String> flags(Answer answer) {
        List<String> flags = new ArrayList<>(List.of("qr"));
        if (answer.authoritative()) {
            flags.add("aa");
        }
        flags.add("rd");
        if (answer.recursionAvailable()) {
            flags.add("ra");
        }
        return flags;
    }
}
