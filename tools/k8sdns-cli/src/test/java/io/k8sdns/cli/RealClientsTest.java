package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Tests with other programs: dig and kdig query the server, named-checkzone reads the output of {@code records}. */
@Tag("real")
class RealClientsTest {
    private static final List<String> BOTH_FAMILIES =
            List.of("--service-cidr", "10.96.0.0/12", "--service-cidr", "2001:db8:96::/112");

    @TempDir
    private Path folder;

    @Test
    void digAndKdigSeeEveryRecordOfTheBookstoreOverUdpAndTcp() throws Exception {
        List<String> arguments = new ArrayList<>(List.of("records"));
        arguments.addAll(BOTH_FAMILIES);
        Map<List<String>, List<String>> printed = new LinkedHashMap<>();
        for (String line : Run.of(arguments, Run.BOOKSTORE).lines()) {
            String[] fields = Run.withoutMarks(line).split(" ", 5);
            if (!fields[3].equals("SOA")) {
                printed.computeIfAbsent(List.of(fields[0], fields[3]), any -> new ArrayList<>())
                        .add(fields[4]);
            }
        }
        try (RunningServer server = RunningServer.atFreePort(BOTH_FAMILIES, Run.BOOKSTORE)) {
            String port = Integer.toString(HostAndPort.parse(server.address()).port());
            for (String client : List.of("dig", "kdig")) {
                for (String transport : List.of("+notcp", "+tcp")) {
                    for (Map.Entry<List<String>, List<String>> set : printed.entrySet()) {
                        Program.Result ended = Program.run(
                                client,
                                "@127.0.0.1",
                                "-p",
                                port,
                                transport,
                                "+short",
                                set.getKey().get(0),
                                set.getKey().get(1));
                        assertThat(ended.out())
                                .as("%s %s %s", client, transport, set.getKey())
                                .containsExactlyInAnyOrderElementsOf(set.getValue());
                    }
                }
            }
        }
    }

    @Test
    void digAndQueryPrintTheSame() throws Exception {
        try (RunningServer server = RunningServer.atFreePort(List.of(), Run.BOOKSTORE)) {
            String port = Integer.toString(HostAndPort.parse(server.address()).port());
            for (String[] question : List.of(
                    new String[] {"cart.shop.svc.cluster.local", "A"},
                    new String[] {"_postgres._tcp.db.shop.svc.cluster.local", "SRV"},
                    new String[] {"payments.shop.svc.cluster.local", "AAAA"},
                    new String[] {"cart.shop.svc.cluster.local", "AAAA"},
                    new String[] {"missing.shop.svc.cluster.local", "A"},
                    new String[] {"www.example.com", "A"})) {
                Program.Result dig = Program.run(
                        "dig", "@127.0.0.1", "-p", port, "+noedns", "+nostats", "+nocmd", question[0], question[1]);
                Run query = Run.of("query", "-f", Run.BOOKSTORE, question[0], question[1]);
                assertThat(comparable(dig.out())).isEqualTo(comparable(query.lines()));
            }
        }
    }

    /** Removes from dig's output everything outside the message, the id, the serial and the column widths. */
    private static List<String> comparable(List<String> lines) {
        return lines.stream()
                .filter(line -> !line.isEmpty()
                        && !line.startsWith(";; Got answer")
                        && !line.startsWith(";; WARNING")
                        && !line.startsWith(";; You are currently")
                        && !line.startsWith("; EDE"))
                .map(line -> Run.withoutMarks(line)
                        .replaceAll("id: \\d+", "id: 0")
                        .replaceAll("\\s+", " ")
                        .replaceAll("(SOA \\S+ \\S+) \\d+", "$1 SERIAL"))
                .sorted()
                .toList();
    }

    @TestFactory
    Stream<DynamicTest> namedCheckzoneLoadsEveryZoneThatIsPrinted() {
        Stream<DynamicTest> bookstore =
                Stream.of(dynamicTest("bookstore", () -> zonesLoad(BOTH_FAMILIES, Run.BOOKSTORE)));
        Stream<DynamicTest> cases = ConformanceCase.below(ConformanceCase.ALL).stream()
                .map(one -> dynamicTest(one.toString(), () -> zonesLoad(one.options(), one.manifest())));
        return Stream.concat(bookstore, cases);
    }

    private void zonesLoad(List<String> options, String manifest) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("records"));
        arguments.addAll(options);
        List<String> zones = Run.of(arguments, manifest).lines().stream()
                .filter(line -> line.contains(" IN SOA "))
                .map(line -> line.split(" ", 2)[0])
                .toList();
        assertThat(zones).isNotEmpty();
        for (String zone : zones) {
            Run run = Run.of(arguments, "--only-zone", zone, manifest);
            Path file = Files.writeString(folder.resolve("zone"), run.out());
            Program.Result ended = Program.run("named-checkzone", "-i", "local", zone, file.toString());
            assertThat(ended.out()).as(run.out()).endsWith("OK");
            assertThat(ended.code()).isZero();
        }
    }
}
