package io.k8sdns.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.Namespace;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Client.Transport;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.sockets.ServerCheck.Difference;
import io.k8sdns.verify.AnswerDifference;
import io.k8sdns.verify.Expectation;
import io.k8sdns.verify.Expectations;
import io.k8sdns.verify.ExpectedOutcome;
import io.k8sdns.zone.ClusterZone;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.xbill.DNS.Name;

@Timeout(300)
class ServerCheckTest {
    private static ClusterSnapshot snapshot(String address) {
        return ClusterSnapshot.of(List.of(Namespace.of("shop"), ClusterIpService.of("shop", "web", address)));
    }

    private static ClusterZone zone(String address) {
        return ClusterZone.of(snapshot(address), ZoneSettings.DEFAULTS);
    }

    private static List<Expectation> expectations(String address) {
        return Expectations.of(zone(address).current(), snapshot(address), Visibility.ALL);
    }

    private static ServerCheck check(DnsServer server) {
        return ServerCheck.of(server.addresses().get(0)).withTimeout(TestZone.PATIENCE);
    }

    /** Expects that names with an address do not exist. */
    private static List<Expectation> wrong(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new Expectation(
                        TestZone.name("name-" + i + ".test."),
                        RecordType.A,
                        new ExpectedOutcome.NoSuchName(),
                        List.of()))
                .toList();
    }

    @Test
    void serverOfTheSameObjectsHasNoDifference() throws IOException {
        try (DnsServer server = DnsServer.start(zone("10.96.0.10"), 0)) {
            ServerCheck.Report report = check(server).run(expectations("10.96.0.10"));
            assertThat(report.differences()).isEmpty();
            assertThat(report.names()).isPositive();
            assertThat(report).hasToString(report.names() + " names, 0 differences");
        }
    }

    @Test
    void differencesAreReportedWithTheirObjectsAndPassedToTheListener() throws IOException {
        List<Difference> reported = new ArrayList<>();
        try (DnsServer server = DnsServer.start(zone("10.96.0.10"), 0)) {
            ServerCheck.Report report =
                    check(server).withListener(reported::add).run(expectations("10.96.0.11"));
            assertThat(report.differences())
                    .isEqualTo(reported)
                    .allMatch(difference -> difference.transports().equals(Set.of(Transport.UDP, Transport.TCP)))
                    .extracting(Difference::toString)
                    .containsExactlyInAnyOrder(
                            "Service shop/web: web.shop.svc.cluster.local. A: missing 10.96.0.11; not expected 10.96.0.10",
                            "Service shop/web: 11.0.96.10.in-addr.arpa. PTR: expected web.shop.svc.cluster.local., got NXDOMAIN");
        }
    }

    @Test
    void aDifferenceOverOneTransportReportsTheTransport() throws IOException {
        DnsResolver right = ResolverChain.of(zone("10.96.0.10"));
        DnsResolver wrong = ResolverChain.of(ClusterZone.create());
        DnsResolver both =
                (question, client) -> (client.transport() == Transport.TCP ? wrong : right).resolve(question, client);
        List<Expectation> address = expectations("10.96.0.10").stream()
                .filter(one -> one.type().equals(RecordType.A) && one.outcome() instanceof ExpectedOutcome.Records)
                .filter(one -> one.name().toString().startsWith("web."))
                .toList();
        try (DnsServer server = DnsServer.start(both, 0)) {
            assertThat(check(server).run(address).differences())
                    .singleElement()
                    .hasToString(
                            "Service shop/web: web.shop.svc.cluster.local. A over TCP: expected 10.96.0.10, got NXDOMAIN");
        }
    }

    @Test
    @SuppressWarnings("try") // The server is closed during the check.
    void serverThatStopsEndsTheCheck() throws IOException {
        List<Difference> reported = new ArrayList<>();
        try (DnsServer server = new TestZone().serve(TestZone.PATIENT)) {
            ServerCheck check = check(server).withListener(difference -> {
                reported.add(difference);
                server.close();
            });
            assertThatThrownBy(() -> check.run(wrong(100)))
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining(":" + server.port());
        }
        assertThat(reported).first().asString().startsWith("name-0.test. A: expected NXDOMAIN, got ");
        assertThat(reported.subList(1, reported.size()))
                .hasSize(2 * 4)
                .allMatch(difference -> difference.text().startsWith("no answer: "));
    }

    @Test
    void concurrentQuestionsAreReportedInTheirOrder() throws IOException {
        List<Difference> reported = new ArrayList<>();
        try (DnsServer server = new TestZone().serve(TestZone.PATIENT)) {
            List<Difference> oneByOne = check(server).run(wrong(100)).differences();
            List<Difference> concurrent = check(server)
                    .withConcurrency(8)
                    .withListener(reported::add)
                    .run(wrong(100))
                    .differences();
            assertThat(concurrent).hasSize(100).isEqualTo(oneByOne).isEqualTo(reported);
        }
    }

    /** Every name but the first is answered once three of them have arrived. */
    @Test
    void asManyQuestionsAreUnderWayAsAllowed() throws IOException {
        DnsResolver zone = ResolverChain.of(ClusterZone.create());
        Map<Name, CompletableFuture<Void>> waiting = new HashMap<>();
        DnsResolver together = (question, client) -> {
            Resolution answer = zone.resolve(question, client);
            if (client.transport() == Transport.TCP
                    || question.name().toString().startsWith("name-0.")) {
                return answer;
            }
            List<CompletableFuture<Void>> complete = List.of();
            CompletableFuture<Void> arrived;
            synchronized (waiting) {
                // A question that is sent again counts once.
                arrived = waiting.computeIfAbsent(question.name(), any -> new CompletableFuture<>());
                if (waiting.size() % 3 == 0) {
                    complete = List.copyOf(waiting.values());
                }
            }
            complete.forEach(one -> one.complete(null));
            return new Resolution.Pending(arrived.thenCompose(any -> answer.toStage()));
        };
        try (DnsServer server = DnsServer.start(together, 0)) {
            assertThat(check(server).withConcurrency(3).run(wrong(7)).differences())
                    .hasSize(7)
                    .noneMatch(difference -> difference.text().startsWith("no answer"));
        }
    }

    @Test
    @SuppressWarnings("try") // The server is closed during the check.
    void serverThatStopsEndsAConcurrentCheck() throws IOException {
        try (DnsServer server = new TestZone().serve(TestZone.PATIENT)) {
            ServerCheck check = check(server).withConcurrency(4).withListener(difference -> server.close());
            assertThatThrownBy(() -> check.run(wrong(1_000)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(":" + server.port());
        }
    }

    @Test
    void interruptEndsAConcurrentCheck() throws IOException {
        List<Difference> reported = new ArrayList<>();
        try (DnsServer server = new TestZone().serve(TestZone.PATIENT)) {
            ServerCheck check = check(server).withConcurrency(4).withListener(difference -> {
                reported.add(difference);
                if (reported.size() == 2) {
                    Thread.currentThread().interrupt();
                }
            });
            assertThatThrownBy(() -> check.run(wrong(1_000))).isInstanceOf(InterruptedIOException.class);
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(reported).hasSize(2);
    }

    @Test
    void serverThatIsSilentFromTheBeginningIsAFailure() throws IOException {
        try (DatagramSocket silent = new DatagramSocket(TestZone.loopback(0))) {
            InetSocketAddress address = TestZone.loopback(silent.getLocalPort());
            ServerCheck check = ServerCheck.of(address).withTimeout(Duration.ofMillis(30));
            assertThatThrownBy(() -> check.run(wrong(1)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("no response within 30 ms");
        }
    }

    @Test
    void interruptEndsTheCheck() throws IOException {
        List<Difference> reported = new ArrayList<>();
        try (DnsServer server = new TestZone().serve(TestZone.PATIENT)) {
            ServerCheck check = check(server).withListener(difference -> {
                reported.add(difference);
                Thread.currentThread().interrupt();
            });
            assertThatThrownBy(() -> check.run(wrong(100))).isInstanceOf(IOException.class);
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(reported).hasSize(1);
    }

    @Test
    void argumentsAreChecked() {
        ServerCheck check = ServerCheck.of(TestZone.loopback(53));
        assertThatThrownBy(() -> check.withTimeout(Duration.ZERO)).hasMessage("timeout: not positive: PT0S");
        assertThatThrownBy(() -> check.withConcurrency(0)).hasMessage("concurrency: not in 1 to 1024: 0");
        assertThatThrownBy(() -> check.withConcurrency(1025)).hasMessage("concurrency: not in 1 to 1024: 1025");
        assertThatThrownBy(() -> new Difference(AnswerDifference.ofNoAnswer(wrong(1).get(0), "a"), Set.of()))
                .hasMessage("transports is empty: pass at least one");
    }
}
