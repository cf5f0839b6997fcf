package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.resolver.Client.Transport;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.ExtendedErrorCodeOption;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

@Timeout(300)
class ServeTest {
    private static final String IPV6_LOOPBACK = "[::1]";

    @Test
    void answersOverUdpAndTcpWhenTheAddressIsPrinted() throws Exception {
        try (RunningServer server = RunningServer.atFreePort(List.of(), Run.BOOKSTORE);
                TestClient client = server.client()) {
            for (Transport transport : Transport.values()) {
                Message response = client.ask(Name.fromString("cart.shop.svc.cluster.local."), Type.A, transport);
                assertThat(response.getSection(Section.ANSWER))
                        .extracting(Record::rdataToString)
                        .containsExactly("10.96.0.20");
            }
            assertThat(server.err()).contains("read 6 files");
        }
    }

    @Test
    void explainsNamesOfWorkloadsWithoutPods(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("nightly.yaml"), """
                {apiVersion: v1, kind: Service, metadata: {name: report, namespace: shop}, spec: {clusterIP: None, selector: {app: report}}}
                ---
                apiVersion: batch/v1
                kind: Job
                metadata: {name: nightly, namespace: shop}
                spec:
                  suspend: true
                  template: {metadata: {labels: {app: report}}, spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}
                """);
        try (RunningServer server = RunningServer.atFreePort(List.of("--explain-errors"), folder.toString());
                TestClient client = server.client()) {
            assertThat(extendedErrors(
                            client.ask(Name.fromString("report.shop.svc.cluster.local."), Type.A, Transport.UDP)))
                    .containsExactly(
                            "0 Job shop/nightly, spec.suspend: Service shop/report selects its Pods, but it has none:"
                                    + " spec.suspend is true");
        }
    }

    @Test
    void explainsMissingNamesToClientsWithEdns() throws Exception {
        Name missing = Name.fromString("crat.shop.svc.cluster.local.");
        try (RunningServer server = RunningServer.atFreePort(List.of("--explain-errors"), Run.BOOKSTORE);
                TestClient client = server.client()) {
            for (Transport transport : Transport.values()) {
                Message response = client.ask(missing, Type.A, transport);
                assertThat(response.getRcode()).isEqualTo(Rcode.NXDOMAIN);
                assertThat(response.getSection(Section.AUTHORITY)).hasSize(1);
                assertThat(extendedErrors(response))
                        .containsExactly(
                                "0 Service shop/crat: no such Service; try: look up cart.shop.svc.cluster.local.");
            }
            Message noData = client.ask(Name.fromString("cart.shop.svc.cluster.local."), Type.AAAA, Transport.UDP);
            assertThat(noData.getRcode()).isEqualTo(Rcode.NOERROR);
            assertThat(extendedErrors(noData))
                    .containsExactly("0 Service shop/cart, spec.clusterIPs: has records, but none of type AAAA; its "
                            + "addresses are [10.96.0.20]; try: look up type A");
            Message found = client.ask(Name.fromString("cart.shop.svc.cluster.local."), Type.A, Transport.UDP);
            assertThat(found.getSection(Section.ANSWER)).hasSize(1);
            assertThat(extendedErrors(found)).isEmpty();
        }
        try (RunningServer server = RunningServer.atFreePort(List.of(), Run.BOOKSTORE);
                TestClient client = server.client()) {
            assertThat(extendedErrors(client.ask(missing, Type.A, Transport.UDP)))
                    .isEmpty();
        }
    }

    /** Returns the code and the text of each extended error. */
    static List<String> extendedErrors(Message response) {
        return response.getOPT().getOptions(EDNSOption.Code.EDNS_EXTENDED_ERROR).stream()
                .map(ExtendedErrorCodeOption.class::cast)
                .map(error -> error.getErrorCode() + " " + error.getText())
                .toList();
    }

    @Test
    void printsTheUdpMode() throws Exception {
        try (RunningServer server = RunningServer.atFreePort(
                List.of("--udp", "plain", "--udp-threads", "1", "--log-level", "debug"), Run.BOOKSTORE)) {
            assertThat(server.err()).containsPattern("(?m)^udp: plain, 1 thread, receive buffer \\d+ bytes$");
        }
    }

    @Test
    void printsTheRequirementsOfBatchedUdp() throws Exception {
        try (RunningServer server = RunningServer.atFreePort(List.of("--log-level", "debug"), Run.BOOKSTORE)) {
            assertThat(server.err())
                    .containsPattern("(?m)^udp: (batched|plain \\(batched needs [^)]+\\)), \\d+ threads?, receive");
        }
    }

    @Test
    void zeroThreadsAreAUsageError() {
        Run run = Run.of("serve", "--udp-threads", "0", Run.BOOKSTORE);
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.err()).contains("--udp-threads: not a number of threads (1 to 1024): 0");
    }

    @Test
    void listensOnSeveralAddresses() throws Exception {
        String other = hasIpv6() ? IPV6_LOOPBACK : "127.0.0.1";
        try (RunningServer server =
                RunningServer.with("--listen", "127.0.0.1:0", "--listen", other + ":0", Run.BOOKSTORE)) {
            assertThat(server.address()).startsWith("127.0.0.1:");
            String second = server.nextAddress();
            assertThat(second).startsWith(other + ":").isNotEqualTo(server.address());
            try (TestClient client = new TestClient(HostAndPort.parse(second).address())) {
                int type = other.equals(IPV6_LOOPBACK) ? Type.AAAA : Type.A;
                Message response = client.ask(Name.fromString("ns.dns.cluster.local."), type, Transport.UDP);
                assertThat(response.getSection(Section.ANSWER))
                        .as("the name server is where the server listens")
                        .hasSize(1);
            }
        }
    }

    private static boolean hasIpv6() {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new HostAndPort(IPV6_LOOPBACK, 0).address());
            return true;
        } catch (IOException notHere) {
            return false;
        }
    }

    @Test
    void nameServerOfAWildcardIsLoopback() throws Exception {
        try (RunningServer server = RunningServer.with("--listen", "0.0.0.0:0", Run.BOOKSTORE)) {
            assertThat(server.address()).startsWith("0.0.0.0:");
            int port = HostAndPort.parse(server.address()).port();
            try (TestClient client = new TestClient(new HostAndPort("127.0.0.1", port).address())) {
                Message response = client.ask(Name.fromString("ns.dns.cluster.local."), Type.A, Transport.UDP);
                assertThat(response.getSection(Section.ANSWER))
                        .extracting(Record::rdataToString)
                        .containsExactly("127.0.0.1");
            }
            assertThat(server.err())
                    .contains("note: ns.dns.cluster.local has the address 127.0.0.1, because 0.0.0.0:0 is a wildcard;"
                            + " set the address that clients reach with --ns-address IP");
        }
    }

    @Test
    void theNameServersOfAllZonesHaveTheAddressOfLoopback() throws Exception {
        try (RunningServer server = RunningServer.with(
                "--listen", "0.0.0.0:0", "--zone", "a.example", "--zone", "b.example", Run.BOOKSTORE)) {
            assertThat(server.err())
                    .contains("note: ns.dns.a.example, ns.dns.b.example have the address 127.0.0.1, because");
        }
    }

    @Test
    void nameServerOfAWildcardIsNotReportedIfItIsGiven() throws Exception {
        for (List<String> options : List.of(
                List.of("--listen", "0.0.0.0:0", "--ns-address", "192.0.2.53"), List.of("--listen", "127.0.0.1:0"))) {
            try (RunningServer server = RunningServer.with(Stream.of(options, List.of(Run.BOOKSTORE))
                    .flatMap(List::stream)
                    .toArray(String[]::new))) {
                assertThat(server.err()).contains("read ").doesNotContain("ns.dns");
            }
        }
    }

    @Test
    void theSummaryComesFirstThenWarningsThenNotes(@TempDir Path folder) throws Exception {
        Path manifests = Files.writeString(folder.resolve("broken.yaml"), """
                {apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80}]}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: a_}}
                """);
        try (RunningServer server = RunningServer.with(
                "--listen", "0.0.0.0:0", "--metrics", "127.0.0.1:0", "--pods", "insecure", manifests.toString())) {
            List<String> sorts = server.err()
                    .lines()
                    .map(line -> line.replaceFirst("[ :].*", ""))
                    .toList();
            assertThat(sorts.get(0)).isEqualTo("read");
            assertThat(sorts.subList(1, sorts.size()))
                    .contains("metrics")
                    .isSortedAccordingTo(Comparator.comparing(List.of("warning", "metrics", "note")::indexOf));
            assertThat(server.err())
                    .contains("warning: --pods insecure answers for every address")
                    .contains("note: ns.dns.cluster.local has the address 127.0.0.1");
        }
    }

    @Test
    void portInUseIsReportedInOneLine() throws Exception {
        try (RunningServer server = RunningServer.atFreePort(List.of(), Run.BOOKSTORE)) {
            Run second = Run.of("serve", "--listen", server.address(), "--verbose", Run.BOOKSTORE);
            assertThat(second.code()).isEqualTo(Main.FAILED);
            assertThat(second.out()).isEmpty();
            assertThat(second.err().lines())
                    .as("manifests may take a while, so the port comes first")
                    .containsExactly("k8sdns serve: " + server.address() + " is in use");
        }
    }

    @Test
    void endsWithZeroAndReleasesThePort() throws Exception {
        RunningServer first = RunningServer.atFreePort(List.of(), Run.BOOKSTORE);
        assertThat(first.stop()).isZero();
        try (RunningServer second = RunningServer.with("--listen", first.address(), Run.BOOKSTORE)) {
            assertThat(second.address()).isEqualTo(first.address());
        }
    }

    @Test
    void serialIncreasesAtEachStart() throws Exception {
        assertThat(serial()).isGreaterThan(1_700_000_000L);
    }

    private static long serial() throws IOException, InterruptedException {
        try (RunningServer server = RunningServer.atFreePort(List.of(), Run.BOOKSTORE);
                TestClient client = server.client()) {
            Message response = client.ask(Name.fromString("cluster.local."), Type.SOA, Transport.UDP);
            return ((org.xbill.DNS.SOARecord)
                            response.getSection(Section.ANSWER).get(0))
                    .getSerial();
        }
    }

    @Test
    void changesOfWatchedFilesAreServed(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("cart.yaml"), service("10.96.0.20"));
        try (RunningServer server = RunningServer.atFreePort(List.of("--watch"), folder.toString());
                TestClient client = server.client()) {
            assertThat(cart(client)).isEqualTo("10.96.0.20");
            Files.writeString(file, service("10.96.0.21"));
            while (!cart(client).equals("10.96.0.21")) {
                assertThat(cart(client)).as("no gap").startsWith("10.96.0.2");
            }
            Files.writeString(file, "a: {b");
            while (!server.err().contains("cart.yaml:1")) {
                assertThat(cart(client)).as("its last objects").isEqualTo("10.96.0.21");
            }
            assertThat(cart(client)).isEqualTo("10.96.0.21");
            Files.delete(file);
            while (!cart(client).isEmpty()) {
                // Waits for the removal.
            }
        }
    }

    private static String service(String address) {
        return """
                apiVersion: v1
                kind: Service
                metadata: {name: cart, namespace: shop}
                spec: {clusterIP: %s, ports: [{name: http, port: 80}]}
                """.formatted(address);
    }

    private static String cart(TestClient client) throws IOException {
        return client
                .ask(Name.fromString("cart.shop.svc.cluster.local."), Type.A, Transport.UDP)
                .getSection(Section.ANSWER)
                .stream()
                .map(Record::rdataToString)
                .collect(Collectors.joining());
    }

    @Test
    void unknownHostIsARuntimeFailure() {
        // Names with a label of more than 63 characters are never sent to a DNS server, which could have a wildcard.
        String host = "x".repeat(64) + ".invalid";
        Run run = Run.of("serve", "--listen", host + ":53", Run.BOOKSTORE);
        assertThat(run.code()).isEqualTo(Main.FAILED);
        assertThat(run.err()).contains("unknown host: " + host);
    }
}
