package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import io.k8sdns.records.DnsNames;
import io.k8sdns.records.RecordRules;
import io.k8sdns.records.RecordSet;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.zone.ClusterZone;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code k8sdns query}: one answer, printed as dig prints it. */
@Command(
        name = "query",
        description = {
            "Answers one question from Kubernetes manifests, or from a live cluster, in process: no server, no port.",
            "",
            "Prints what dig would print of a server's answer, with id 0: header, question, answer, authority and "
                    + "additional section. NAME is absolute, with or without the last dot.",
            ""
        },
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {
            "  k8sdns query -f examples/bookstore cart.shop.svc.cluster.local",
            "  k8sdns query -f examples/bookstore --short db.shop.svc.cluster.local SRV",
            "  k8sdns query --kubeconfig ~/.kube/config kubernetes.default.svc.cluster.local",
            "  k8sdns query -f - --json 20.0.96.10.in-addr.arpa PTR <live.yaml"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:there is an answer, NXDOMAIN and REFUSED included",
            "1:failed at run time",
            "2:usage or invalid input"
        })
final class Query implements Callable<Integer> {
    @Option(
            names = "-f",
            paramLabel = "MANIFEST",
            description = "A file, a directory (every .yaml, .yml and .json file below), or - for standard input; "
                    + "repeatable.")
    private List<String> manifests = new ArrayList<>();

    @Option(names = "--short", description = "Print the data of the answer section alone.")
    private boolean brief;

    @Option(
            names = "--json",
            description = "One JSON object: {\"status\", \"flags\", \"question\", \"answer\", \"authority\", "
                    + "\"additional\"}, flags and sections being arrays, records as records --json has them.")
    private boolean json;

    @Mixin
    private LiveOptions live;

    @Mixin
    private ClusterOptions options;

    @Parameters(index = "0", paramLabel = "NAME", description = "The name; after -- if it begins with a dash.")
    private String name;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "TYPE",
            defaultValue = "A",
            description = "A, AAAA, SRV, PTR, ANY, ... or TYPE123 (default: ${DEFAULT-VALUE}).")
    private String type;

    @Spec
    private CommandSpec command;

    @Override
    public Integer call() throws IOException {
        live.requireOneSource(manifests, "-f MANIFEST", options.reading);
        if (brief && json) {
            throw options.usage("--short and --json exclude each other");
        }
        Question question = question();
        RecordRules rules = new RecordRules(options.settings(List.of(ClusterOptions.LOOPBACK)));
        Visibility visibility = options.visibility();
        ClusterSnapshot snapshot = live.isChosen()
                ? LiveCluster.snapshot(live, options, rules.settings())
                : options.read(manifests, options.reading.asIs, rules);
        Answer answer = ResolverChain.of(ClusterZone.of(snapshot, rules, visibility))
                .resolve(question, Client.IN_PROCESS)
                .toStage()
                .toCompletableFuture()
                .join();
        PrintWriter out = command.commandLine().getOut();
        if (brief) {
            lines(answer.answer()).forEach(line -> out.println(line.split(" ", 5)[4]));
        } else if (json) {
            out.println(json(question, answer));
        } else {
            print(question, answer, out);
        }
        return Main.DONE;
    }

    private Question question() {
        int number = Type.value(type);
        if (number < 0 || number > 0xFFFF) {
            throw options.usage("not a record type: '" + type + "'");
        }
        if (name.isEmpty()) {
            throw options.usage("not a name: '' (the root is '.')");
        }
        try {
            return new Question(DnsNames.absolute(DnsLabels.parse(name)), number, DClass.IN);
        } catch (InvalidNameException invalid) {
            throw options.usage("not a name: " + invalid.getMessage());
        }
    }

    private static void print(Question question, Answer answer, PrintWriter out) {
        out.println(";; ->>HEADER<<- opcode: QUERY, status: " + Rcode.string(answer.rcode()) + ", id: 0");
        out.println(";; flags: " + String.join(" ", flags(answer)) + "; QUERY: 1, ANSWER: "
                + lines(answer.answer()).size() + ", AUTHORITY: "
                + lines(answer.authority()).size() + ", ADDITIONAL: "
                + lines(answer.additional()).size());
        answer.error().ifPresent(error -> out.println("; EDE: " + error.code() + ": (" + error.text() + ")"));
        out.println();
        out.println(";; QUESTION SECTION:");
        out.println(";" + question.name() + "\tIN\t" + Type.string(question.type()));
        section("ANSWER", answer.answer(), out);
        section("AUTHORITY", answer.authority(), out);
        section("ADDITIONAL", answer.additional(), out);
    }

    private static void section(String heading, List<RecordSet> sets, PrintWriter out) {
        if (!sets.isEmpty()) {
            out.println();
            out.println(";; " + heading + " SECTION:");
            lines(sets).forEach(line -> out.println(String.join("\t", line.split(" ", 5))));
        }
    }

    private static String json(Question question, Answer answer) {
        return "{\"status\": " + JsonText.string(Rcode.string(answer.rcode()))
                + ", \"flags\": "
                + JsonText.array(flags(answer).stream().map(JsonText::string).toList())
                + ", \"question\": {\"name\": "
                + JsonText.string(question.name().toString())
                + ", \"class\": \"IN\", \"type\": " + JsonText.string(Type.string(question.type())) + "}"
                + ", \"answer\": " + json(answer.answer())
                + ", \"authority\": " + json(answer.authority())
                + ", \"additional\": " + json(answer.additional()) + "}";
    }

    private static String json(List<RecordSet> sets) {
        return JsonText.array(lines(sets).stream().map(JsonText::record).toList());
    }

    private static List<String> lines(List<RecordSet> sets) {
        return sets.stream().flatMap(RecordSet::lines).toList();
    }

    /** The flags of a response to a question that asks for recursion, as dig's do. */
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
