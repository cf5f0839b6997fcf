package io.k8sdns.federation.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.k8sdns.federation.FederatedZone;
import io.k8sdns.federation.MemoryStore;
import io.k8sdns.federation.SourceCluster;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Client.Transport;
import io.k8sdns.resolver.Question;
import io.k8sdns.wire.AnswerOrder;
import io.k8sdns.wire.DnsResponder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.xbill.DNS.DClass;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.Flags;
import org.xbill.DNS.GenericEDNSOption;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** Runs the cases of {@code conformance/federation/} with the zone, behind a responder of each order. */
class FederationCasesTest {
    private static final Path CASES = Path.of(System.getProperty("k8sdns.root", "../.."), "conformance/federation");
    private static final String BETWEEN_GROUPS = "---";

    /**
     * A question and its answer.
     *
     * @param line the line of the file
     * @param records the records in groups, each in any order
     */
    private record Asked(String line, List<List<String>> records) {
        Name name() {
            return Question.of(words()[0], RecordType.A).name();
        }

        int type() {
            return Type.value(words()[1]);
        }

        Optional<String> source() {
            return words().length == 4 ? Optional.of(words()[3]) : Optional.empty();
        }

        String rcode() {
            return line.substring(line.indexOf("-> ") + 3);
        }

        private String[] words() {
            String[] words = line.substring(0, line.indexOf(" ->")).split(" ", -1);
            if (words.length != 2 && !(words.length == 4 && words[2].equals("from"))) {
                throw new IllegalArgumentException(line);
            }
            return words;
        }
    }

    private static List<Path> cases() {
        try (Stream<Path> folders = Files.list(CASES)) {
            return folders.sorted().toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static List<Asked> questions(Path folder) throws IOException {
        List<Asked> questions = new ArrayList<>();
        for (String line : Files.readAllLines(folder.resolve("questions.txt"))) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            if (line.contains(" -> ")) {
                questions.add(new Asked(line, new ArrayList<>(List.of(new ArrayList<>()))));
                continue;
            }
            List<List<String>> groups = questions.get(questions.size() - 1).records();
            if (line.equals(BETWEEN_GROUPS)) {
                groups.add(new ArrayList<>());
            } else {
                groups.get(groups.size() - 1).add(line);
            }
        }
        return questions;
    }

    private static FederatedZone zone(Path folder) throws IOException {
        FederationJson json = new FederationJson();
        FederatedZone zone = FederatedZone.builder(json).build();
        MemoryStore store = new MemoryStore();
        store.replaceAll(json.readStore(Files.readString(folder.resolve("store.json"))));
        store.watch(zone);
        if (Files.exists(folder.resolve("clusters.json"))) {
            zone.clusters(json.readClusters(Files.readString(folder.resolve("clusters.json"))));
        }
        return zone;
    }

    @TestFactory
    Stream<DynamicTest> everyAnswerIsAsWritten() {
        return cases().stream()
                .flatMap(folder -> Arrays.stream(AnswerOrder.values())
                        .map(order -> dynamicTest(folder.getFileName() + " " + order, () -> holds(folder, order))));
    }

    private static void holds(Path folder, AnswerOrder order) throws IOException {
        DnsResponder responder = DnsResponder.builder(zone(folder))
                .order(order)
                .random(new Random(1))
                .build();
        int id = 0;
        for (Asked asked : questions(folder)) {
            for (Transport transport : Transport.values()) {
                compare(asked, ask(responder, asked, transport, ++id));
            }
        }
    }

    private static Message ask(DnsResponder responder, Asked asked, Transport transport, int id) throws IOException {
        Message query = new Message(id);
        query.addRecord(Record.newRecord(asked.name(), asked.type(), DClass.IN), Section.QUESTION);
        List<EDNSOption> options = asked.source().stream()
                // In the spelling of the file.
                .<EDNSOption>map(cluster ->
                        new GenericEDNSOption(SourceCluster.OPTION_CODE, cluster.getBytes(StandardCharsets.UTF_8)))
                .toList();
        query.addRecord(new OPTRecord(1232, 0, 0, 0, options), Section.ADDITIONAL);
        List<byte[]> sent = new ArrayList<>();
        responder.respond(
                ByteBuffer.wrap(query.toWire()), Client.builder(transport).build(), response -> {
                    byte[] bytes = new byte[response.remaining()];
                    response.get(bytes);
                    sent.add(bytes);
                });
        return new Message(sent.get(0));
    }

    private static void compare(Asked asked, Message response) {
        assertThat(Rcode.string(response.getRcode())).as(asked.line()).isEqualTo(asked.rcode());
        List<String> sent = response.getSection(Section.ANSWER).stream()
                .map(one -> folded(RecordSet.of(one).lines().findFirst().orElseThrow()))
                .toList();
        int from = 0;
        for (List<String> group : asked.records()) {
            int to = from + group.size();
            assertThat(sent).as(asked.line()).hasSizeGreaterThanOrEqualTo(to);
            // Aliases precede their targets.
            long aliases =
                    group.stream().filter(line -> line.contains(" IN CNAME ")).count();
            assertThat(sent.subList(from, from + (int) aliases))
                    .as(asked.line())
                    .isEqualTo(group.stream()
                            .limit(aliases)
                            .map(FederationCasesTest::folded)
                            .toList());
            assertThat(sent.subList(from, to))
                    .as(asked.line())
                    .containsExactlyInAnyOrderElementsOf(
                            group.stream().map(FederationCasesTest::folded).toList());
            from = to;
        }
        assertThat(sent).as(asked.line()).hasSize(from);
        boolean refused = response.getRcode() == Rcode.REFUSED;
        assertThat(response.getHeader().getFlag(Flags.AA)).as(asked.line()).isEqualTo(!refused);
        boolean negative = !refused
                && response.getSection(Section.ANSWER).stream()
                        .allMatch(one -> one.getType() == Type.CNAME && asked.type() != Type.CNAME);
        List<Record> authority = response.getSection(Section.AUTHORITY);
        if (negative) {
            assertThat(authority).as(asked.line()).singleElement().isInstanceOfSatisfying(SOARecord.class, soa -> {
                assertThat(soa.getTTL()).isEqualTo(30);
                assertThat(soa.getMinimum()).isEqualTo(30);
            });
        } else {
            assertThat(authority).as(asked.line()).isEmpty();
        }
    }

    private static String folded(String line) {
        return line.toLowerCase(Locale.ROOT);
    }

    @Test
    void everyCaseHasAReasonAndAQuestion() throws IOException {
        assertThat(cases()).hasSizeGreaterThan(10);
        for (Path folder : cases()) {
            assertThat(folder.resolve("why.md")).isNotEmptyFile();
            assertThat(questions(folder)).as(folder.toString()).isNotEmpty();
        }
    }
}
