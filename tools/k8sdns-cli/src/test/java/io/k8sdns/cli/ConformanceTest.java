package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Client.Transport;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.sockets.DnsServer;
import io.k8sdns.sockets.ServerLimits;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.zone.ClusterZone;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/**
 * Compares four subjects with all cases of {@code conformance/}: the output of {@code records}, the resolver in this process, the
 * server over UDP and TCP, and {@code verify} against the server.
 */
class ConformanceTest {
    @TestFactory
    Stream<DynamicNode> everyCaseHoldsForEverySubject() {
        return ConformanceCase.below(ConformanceCase.ALL).stream()
                .map(one -> dynamicContainer(
                        one.toString(),
                        one.file("why.md").toUri(),
                        Stream.of(
                                dynamicTest(one + ": records", () -> recordsAreExactly(one)),
                                dynamicTest(one + ": resolver", () -> resolverAnswers(one)),
                                dynamicTest(one + ": server", () -> serverAnswers(one)),
                                dynamicTest(one + ": verify", () -> verifyFindsNoDifference(one)))));
    }

    @TestFactory
    Stream<DynamicTest> everyHeadingHasACase() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        try (Stream<Path> files = Files.walk(ConformanceCase.ALL)) {
            for (Path headings :
                    files.filter(file -> file.endsWith("headings.txt")).sorted().toList()) {
                for (String line : Files.readAllLines(headings)) {
                    String[] fields = line.split("\t", -1);
                    assertThat(fields).as(line).hasSize(2);
                    // A heading without statements about records has a dash.
                    if (!fields[1].equals("-")) {
                        Path folder = headings.resolveSibling(fields[1]).normalize();
                        tests.add(dynamicTest(
                                fields[0],
                                () -> assertThat(ConformanceCase.below(folder)).isNotEmpty()));
                    }
                }
            }
        }
        return tests.stream();
    }

    @Test
    void everyCaseHasAReason() {
        assertThat(ConformanceCase.below(ConformanceCase.ALL))
                .hasSizeGreaterThan(50)
                .allSatisfy(one -> {
                    assertThat(one.file("why.md")).isNotEmptyFile();
                    assertThat(one.file("records.zone")).isRegularFile();
                });
    }

    private static void recordsAreExactly(ConformanceCase one) throws IOException {
        Run run = Run.of(List.of("records"), join(one.options(), one.manifest()));
        assertThat(run.code()).as(run.err()).isZero();
        // The mark is no part of DNS, which the case describes for any server.
        assertThat(Run.withoutMarks(run.out())).as(run.err()).isEqualTo(Files.readString(one.file("records.zone")));
    }

    private static void resolverAnswers(ConformanceCase one) throws IOException {
        ClusterZone zone = ParsedOptions.zone(one.options(), one.manifest());
        ResolverChain chain = ResolverChain.of(zone);
        for (ConformanceCase.Question question : one.questions()) {
            Answer answer = chain.resolve(
                            io.k8sdns.resolver.Question.of(question.name(), RecordType.of(question.type())),
                            Client.IN_PROCESS)
                    .toStage()
                    .toCompletableFuture()
                    .join();
            compare(question, answer.rcode(), records(answer.answer()), records(answer.authority()), zone);
        }
    }

    private static void serverAnswers(ConformanceCase one) throws IOException {
        ClusterZone zone = ParsedOptions.zone(one.options(), one.manifest());
        try (DnsServer server = serve(zone);
                TestClient client = new TestClient(server.addresses().get(0))) {
            for (ConformanceCase.Question question : one.questions()) {
                for (Transport transport : Transport.values()) {
                    Message response = client.ask(question.name(), question.type(), transport);
                    compare(
                            question,
                            response.getRcode(),
                            response.getSection(Section.ANSWER),
                            response.getSection(Section.AUTHORITY),
                            zone);
                }
            }
        }
    }

    private static void verifyFindsNoDifference(ConformanceCase one) throws IOException {
        List<String> options = new ArrayList<>(one.options());
        options.removeIf(option -> option.startsWith("--serial"));
        if (!options.contains("--as-is")) {
            options.add("--as-applied");
        }
        try (DnsServer server = serve(ParsedOptions.zone(one.options(), one.manifest()))) {
            String address = HostAndPort.text(server.addresses().get(0));
            Run run = Run.of(List.of("verify", "--server", address), join(options, one.manifest()));
            if (hasRecordOfAnObject(one)) {
                assertThat(run.out()).as(run.err()).matches("\\d+ names, 0 differences\\R");
                assertThat(run.code()).isZero();
            } else {
                assertThat(run.err()).contains("nothing is checked, because no object has a record");
                assertThat(run.code()).isEqualTo(Main.INVALID);
            }
        }
    }

    /** Returns whether a case has a record other than those of every zone. */
    private static boolean hasRecordOfAnObject(ConformanceCase one) throws IOException {
        return Files.readAllLines(one.file("records.zone")).stream()
                .anyMatch(line -> !line.contains(" IN SOA ")
                        && !line.contains(" IN NS ")
                        && !line.startsWith("ns.dns.")
                        && !line.startsWith("dns-version."));
    }

    private static DnsServer serve(ClusterZone zone) throws IOException {
        return DnsServer.start(
                List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                DnsResponder.builder(ResolverChain.of(zone)).build(),
                ServerLimits.DEFAULTS);
    }

    private static void compare(
            ConformanceCase.Question question,
            int rcode,
            List<Record> answer,
            List<Record> authority,
            ClusterZone zone) {
        assertThat(Rcode.string(rcode)).as("RCODE of %s", question).isEqualTo(Rcode.string(question.rcode()));
        assertThat(answer.stream().map(ConformanceTest::line))
                .as("answer to %s", question)
                .containsExactlyInAnyOrderElementsOf(
                        question.records().stream().map(ConformanceTest::folded).toList());
        Name last = question.name();
        Set<Name> passed = new HashSet<>();
        boolean loops = false;
        for (Record record : answer) {
            assertThat(record.getName())
                    .as("a CNAME comes before the records of its target, %s", question)
                    .isEqualTo(last);
            if (record instanceof CNAMERecord alias) {
                passed.add(alias.getName());
                last = alias.getTarget();
                loops = passed.contains(last);
            }
        }
        boolean positive = answer.stream().anyMatch(record -> !(record instanceof CNAMERecord))
                || question.type() == Type.CNAME && !answer.isEmpty()
                // A loop of CNAMEs has no last name, so there is no SOA.
                || loops;
        negative(question, rcode, last, positive, authority, zone.current().settings());
    }

    /** Checks that NXDOMAIN and NODATA have the SOA of the last name's zone. */
    private static void negative(
            ConformanceCase.Question question,
            int rcode,
            Name last,
            boolean positive,
            List<Record> authority,
            ZoneSettings settings) {
        DnsLabels labels = DnsNames.labels(last);
        boolean ours = Stream.concat(
                        settings.zones().stream(),
                        settings.reverseZones().stream().map(zone -> zone.name()))
                .anyMatch(zone -> labels.below(zone).isPresent());
        if (positive || !ours || rcode == Rcode.REFUSED) {
            assertThat(authority).as("authority of %s", question).isEmpty();
        } else {
            assertThat(authority)
                    .as("authority of %s", question)
                    .singleElement()
                    .satisfies(soa -> {
                        assertThat(soa.getType()).isEqualTo(Type.SOA);
                        assertThat(soa.getTTL()).isEqualTo(settings.negativeTtlSeconds());
                        assertThat(labels.below(DnsNames.labels(soa.getName()))).isPresent();
                    });
        }
    }

    private static List<Record> records(List<RecordSet> sets) {
        return sets.stream().flatMap(set -> set.records().stream()).toList();
    }

    private static String line(Record record) {
        return folded(RecordSet.of(record).lines().findFirst().orElseThrow());
    }

    private static String folded(String line) {
        return line.toLowerCase(Locale.ROOT);
    }

    private static String[] join(List<String> options, String... rest) {
        return Stream.concat(options.stream(), Arrays.stream(rest)).toArray(String[]::new);
    }
}
