package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.ResolverChain;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/** Law: {@code records} prints for each name exactly the records that queries return, for every type. */
class RecordsAreQueriesTest {
    private static final int[] TYPES = {
        Type.A, Type.NS, Type.CNAME, Type.SOA, Type.PTR, Type.TXT, Type.AAAA, Type.SRV, Type.MX, 65280
    };

    @TestFactory
    Stream<DynamicTest> everyNameAnswersWithItsRecords() {
        Stream<DynamicTest> bookstore = Stream.of(
                        List.<String>of(),
                        List.of("--service-cidr", "10.96.0.0/12", "--service-cidr", "2001:db8:96::/112"),
                        List.of("--zone", "cluster.local", "--zone", "k8s.example", "--ttl", "600"),
                        List.of("--endpoint-names", "pod", "--ptr", "one", "--srv-port", "service", "--no-bare-srv"),
                        List.of("--reverse-zone", "10.96.0.0/12", "--reverse-zone", "10.244.0.0/15"))
                .map(options -> dynamicTest("bookstore " + options, () -> check(options, Run.BOOKSTORE)));
        Stream<DynamicTest> cases = ConformanceCase.below(ConformanceCase.ALL).stream()
                .map(one -> dynamicTest(one.toString(), () -> check(one.options(), one.manifest())));
        return Stream.concat(bookstore, cases);
    }

    private static void check(List<String> options, String manifest) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("records"));
        arguments.addAll(options);
        Map<String, List<String>> printed = new LinkedHashMap<>();
        for (String marked : Run.of(arguments, manifest).lines()) {
            String line = Run.withoutMarks(marked);
            String[] fields = line.split(" ", 5);
            printed.computeIfAbsent(fields[0] + " " + fields[3], any -> new ArrayList<>())
                    .add(line);
        }
        DnsResolver resolver = ResolverChain.of(ParsedOptions.zone(options, manifest));
        Stream<String> owners =
                printed.keySet().stream().map(key -> key.split(" ", 2)[0]).distinct();
        for (String owner : owners.toList()) {
            Name name = DnsNames.absolute(DnsLabels.parse(owner));
            for (int type : TYPES) {
                Answer answer = resolver.resolve(Question.of(name, RecordType.of(type)), Client.IN_PROCESS)
                        .toStage()
                        .toCompletableFuture()
                        .join();
                assertThat(Rcode.string(answer.rcode()))
                        .as("%s exists", owner)
                        .isIn("NOERROR", isAlias(printed, owner) ? "NXDOMAIN" : "NOERROR");
                assertThat(answer.answer().stream()
                                .filter(set ->
                                        set.typeNumber() == type && set.owner().equals(name))
                                .flatMap(set -> set.lines()))
                        .as("%s %s", owner, Type.string(type))
                        .isEqualTo(printed.getOrDefault(owner + " " + Type.string(type), List.of()));
            }
        }
    }

    /** Returns whether the name is an alias. Then the RCODE is that of the last name of the chain (RFC 6604). */
    private static boolean isAlias(Map<String, List<String>> printed, String owner) {
        return printed.containsKey(owner + " CNAME");
    }
}
