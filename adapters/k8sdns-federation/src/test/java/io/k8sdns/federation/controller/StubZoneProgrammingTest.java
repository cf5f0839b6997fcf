package io.k8sdns.federation.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.federation.MemoryStore;
import io.k8sdns.federation.api.StubZone;
import io.k8sdns.federation.api.StubZoneApi;
import io.k8sdns.federation.api.StubZoneClient;
import io.k8sdns.federation.api.StubZones;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A controller that programs the stub zone of a cluster over HTTPS. */
@Timeout(180)
class StubZoneProgrammingTest {
    private static final StubZone ZONE = StubZone.parse("prod", List.of("192.0.2.53", "192.0.2.54:5353"));

    private final HeldCertificate ca = new HeldCertificate.Builder()
            .commonName("ca")
            .certificateAuthority(0)
            .build();

    @TempDir
    private Path folder;

    private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
    private final BlockingQueue<Map<String, StubZone>> heard = new LinkedBlockingQueue<>();
    private StubZones zones;
    private final Socket reserved = new Socket();
    private int port;

    /** A cluster without objects. */
    private static final class Empty implements ClusterSource {
        @Override
        public void start(Sink sink) {
            sink.stateChanged(SyncState.SYNCED);
        }

        @Override
        public void close() {}
    }

    @BeforeEach
    void prepare() throws Exception {
        pem("ca", ca);
        pem("server", signed().build());
        pem("client", signed().build());
        pem("stranger", new HeldCertificate.Builder().commonName("controller").build());
        zones = StubZones.builder().listener(heard::add).open();
        heard.clear();
        // Bound and not listening: refuses connections, and keeps other programs from the port until the API starts.
        reserved.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0));
        port = reserved.getLocalPort();
    }

    private HeldCertificate.Builder signed() {
        return new HeldCertificate.Builder()
                .commonName("controller")
                .addSubjectAlternativeName("127.0.0.1")
                .signedBy(ca);
    }

    private void pem(String name, HeldCertificate certificate) throws Exception {
        Path unused = Files.writeString(folder.resolve(name + ".pem"), certificate.certificatePem());
        unused = Files.writeString(folder.resolve(name + ".key"), certificate.privateKeyPkcs8Pem());
    }

    @AfterEach
    void stop() throws IOException {
        executor.shutdownNow();
        reserved.close();
    }

    private StubZoneApi api() throws Exception {
        reserved.close();
        return StubZoneApi.builder(zones)
                .address(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port))
                .tlsFiles(folder.resolve("server.pem"), folder.resolve("server.key"), folder.resolve("ca.pem"))
                .start();
    }

    private StubZoneClient client(String name) throws Exception {
        return StubZoneClient.create(
                URI.create("https://127.0.0.1:" + port),
                folder.resolve(name + ".pem"),
                folder.resolve(name + ".key"),
                folder.resolve("ca.pem"),
                executor);
    }

    private FederationController controller(String client) throws Exception {
        FederationController controller = FederationController.builder("prod", new MemoryStore(), executor)
                .interval(Duration.ofMillis(200))
                .start();
        controller.join("foo", new Empty(), client(client), ZONE);
        return controller;
    }

    private static <T> T result(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(120, TimeUnit.SECONDS);
    }

    private void awaitZone() throws InterruptedException {
        Map<String, StubZone> now;
        do {
            now = heard.poll(120, TimeUnit.SECONDS);
            assertThat(now).isNotNull();
        } while (now == null || !ZONE.equals(now.get("prod")));
    }

    @Test
    void theStubZoneIsWrittenAndDriftIsRepaired() throws Exception {
        try (StubZoneApi api = api();
                FederationController controller = controller("client")) {
            assertThat(api.address().getPort()).isEqualTo(port);
            result(controller.reconciled());
            assertThat(result(controller.problems())).isEmpty();
            awaitZone();
            assertThat(zones.put(StubZone.parse("prod", List.of("192.0.2.99")))).isFalse();
            awaitZone();
            assertThat(zones.remove("prod")).isTrue();
            awaitZone();
        }
    }

    @Test
    void anEndpointThatDoesNotAnswerIsTriedAgain() throws Exception {
        try (FederationController controller = controller("client")) {
            result(controller.reconciled());
            assertThat(result(controller.problems()))
                    .extracting(FederationController.Problem::name)
                    .containsExactly("stub zone of cluster foo");
            try (StubZoneApi api = api()) {
                assertThat(api.address().getPort()).isEqualTo(port);
                awaitZone();
            }
        }
    }

    @Test
    void aCertificateOfAnotherAuthorityIsAProblem() throws Exception {
        try (StubZoneApi api = api();
                FederationController controller = controller("stranger")) {
            assertThat(api.address().getPort()).isEqualTo(port);
            result(controller.reconciled());
            assertThat(result(controller.problems())).hasSize(1);
            assertThat(heard).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"server, a certificate of the server has expired", "client, client.pem has expired"})
    void anExpiredCertificateIsReportedAndReplacedWithoutARestart(String side, String report) throws Exception {
        pem(
                side,
                signed().validityInterval(1_000_000_000_000L, 1_100_000_000_000L)
                        .build());
        StubZone others = StubZone.parse("others", List.of("192.0.2.7"));
        assertThat(zones.put(others)).isTrue();
        heard.clear();
        try (StubZoneApi api = api();
                FederationController controller = controller("client")) {
            assertThat(api.address().getPort()).isEqualTo(port);
            result(controller.reconciled());
            assertThat(result(controller.problems()))
                    .singleElement()
                    .satisfies(problem -> assertThat(problem.toString())
                            .contains("stub zone of cluster foo", "https://127.0.0.1:" + port, report, "NotAfter"));
            assertThat(heard).isEmpty();
            pem(side, signed().build());
            awaitZone();
            assertThat(zones.all()).containsEntry("others", others);
        }
    }

    @Test
    void onlyAServerWithHttpsIsAnEndpoint() {
        for (String wrong : List.of("http://127.0.0.1", "https:///", "https://127.0.0.1/path", "127.0.0.1")) {
            assertThatThrownBy(() -> StubZoneClient.create(URI.create(wrong), folder, folder, folder, executor))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(wrong);
        }
    }
}
