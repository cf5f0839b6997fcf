package io.k8sdns.federation.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The HTTPS server with a real client, certificates that are right and wrong, and clients that stall. */
@Timeout(180)
class StubZoneApiTest {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final HeldCertificate CA = new HeldCertificate.Builder()
            .commonName("ca")
            .certificateAuthority(0)
            .build();
    private static final HeldCertificate OTHER_CA = new HeldCertificate.Builder()
            .commonName("ca")
            .certificateAuthority(0)
            .build();
    private static final HeldCertificate SERVER = server();
    private static final HeldCertificate CLIENT = new HeldCertificate.Builder()
            .commonName("controller")
            .addSubjectAlternativeName("controller.example")
            .addSubjectAlternativeName("192.0.2.7")
            .signedBy(CA)
            .build();
    private static final String BODY = "{\"nameservers\":[\"108.45.90.180\",\"108.180.64.128\"]}";

    @TempDir
    private Path folder;

    private final List<Map<String, StubZone>> heard = new CopyOnWriteArrayList<>();
    private StubZones zones;
    private StubZoneApi api;

    private static HeldCertificate server() {
        return new HeldCertificate.Builder()
                .commonName("stub zones")
                .addSubjectAlternativeName("127.0.0.1")
                .signedBy(CA)
                .build();
    }

    @BeforeEach
    void start() throws IOException {
        write("server.pem", SERVER.certificatePem());
        write("server.key", SERVER.privateKeyPkcs8Pem());
        write("ca.pem", CA.certificatePem());
        zones = StubZones.builder().listener(heard::add).open();
        api = builder().start();
    }

    private StubZoneApi.Builder builder() {
        return StubZoneApi.builder(zones)
                .limit(LONG)
                .tlsFiles(folder.resolve("server.pem"), folder.resolve("server.key"), folder.resolve("ca.pem"));
    }

    private void restart(StubZoneApi.Builder builder) throws IOException {
        api.close();
        api = builder.start();
    }

    private Path write(String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name), content);
    }

    @AfterEach
    void stop() {
        api.close();
    }

    // ---- a client

    private static SSLContext tls(HeldCertificate... client) {
        HandshakeCertificates.Builder certificates = new HandshakeCertificates.Builder()
                .addTrustedCertificate(CA.certificate())
                .addTrustedCertificate(OTHER_CA.certificate());
        if (client.length > 0) {
            certificates.heldCertificate(client[0]);
        }
        return certificates.build().sslContext();
    }

    private static HttpClient http(SSLContext tls, String... protocols) {
        HttpClient.Builder client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(LONG)
                .sslContext(tls);
        if (protocols.length > 0) {
            SSLParameters parameters = new SSLParameters();
            parameters.setProtocols(protocols);
            client.sslParameters(parameters);
        }
        return client.build();
    }

    private HttpResponse<String> send(HttpClient client, String method, String path, String body)
            throws IOException, InterruptedException {
        URI uri = URI.create("https://127.0.0.1:" + api.address().getPort() + path);
        return client.send(
                HttpRequest.newBuilder(uri)
                        .timeout(LONG)
                        .method(
                                method,
                                body.isEmpty()
                                        ? HttpRequest.BodyPublishers.noBody()
                                        : HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> send(String method, String path, String body)
            throws IOException, InterruptedException {
        return send(http(tls(CLIENT)), method, path, body);
    }

    // ---- stub zones

    @Test
    void aStubZoneIsCreatedReplacedReadAndDeleted() throws Exception {
        HttpResponse<String> created = send("POST", "/federations/myfederation", BODY);
        assertThat(created.statusCode()).isEqualTo(201);
        assertThat(created.headers().firstValue("Content-Type")).contains("application/json");
        assertThat(created.body()).isEqualTo(BODY + "\n");
        assertThat(send("POST", "/federations/myfederation", BODY).statusCode()).isEqualTo(200);
        assertThat(send("PUT", "/federations/other", "{nameservers: [\"192.0.2.1\"]}")
                        .statusCode())
                .isEqualTo(201);
        assertThat(send("PUT", "/federations/other", "{\"nameservers\": [\"192.0.2.2:5353\"]}")
                        .body())
                .isEqualTo("{\"nameservers\":[\"192.0.2.2:5353\"]}\n");

        assertThat(send("GET", "/federations/myfederation", "").body()).isEqualTo(BODY + "\n");
        assertThat(send("GET", "/federations", "").body())
                .isEqualTo("{\"myfederation\":" + BODY + ",\"other\":{\"nameservers\":[\"192.0.2.2:5353\"]}}\n");
        assertThat(send("GET", "/federations/no", "").statusCode()).isEqualTo(404);

        HttpResponse<String> deleted = send("DELETE", "/federations/other", "");
        assertThat(deleted.statusCode()).isEqualTo(204);
        assertThat(deleted.body()).isEmpty();
        assertThat(send("DELETE", "/federations/other", "").statusCode()).isEqualTo(404);
        assertThat(send("GET", "/federations", "").body()).isEqualTo("{\"myfederation\":" + BODY + "}\n");
    }

    @Test
    void aChangeIsInForceWhenTheResponseIsSent() throws Exception {
        assertThat(send("POST", "/federations/myfederation", BODY).statusCode()).isEqualTo(201);
        assertThat(heard.get(heard.size() - 1)).containsOnlyKeys("myfederation");
        assertThat(send("DELETE", "/federations/myfederation", "").statusCode()).isEqualTo(204);
        assertThat(heard.get(heard.size() - 1)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "{}",
                "[]",
                "{\"nameservers\": [\"ns.example.com\"]}",
                "{\"nameservers\": [\"192.0.2.1\", \"192.0.2.2:0\"]}",
                "{\"nameservers\": []}"
            })
    void aWrongBodyLeavesTheOldValue(String body) throws Exception {
        assertThat(send("POST", "/federations/myfederation", BODY).statusCode()).isEqualTo(201);
        HttpResponse<String> refused = send("POST", "/federations/myfederation", body);
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).startsWith("{\"error\":\"").endsWith("\"}\n");
        assertThat(send("GET", "/federations/myfederation", "").body()).isEqualTo(BODY + "\n");
    }

    @Test
    void anErrorNamesTheWrongValue() throws Exception {
        assertThat(send("POST", "/federations/myfederation", "{\"nameservers\": [\"ns.example.com\"]}")
                        .body())
                .isEqualTo(
                        "{\"error\":\"not the IP address of a name server, with or without a port: \\\"ns.example.com\\\"\"}\n");
        assertThat(send("POST", "/federations/My_Fed", BODY).body()).contains("My_Fed");
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /, 404",
        "GET, /federations/, 404",
        "GET, /federations/a/b, 404",
        "POST, /federations/a/, 404",
        "GET, /federationsx, 404",
        "GET, /metrics, 404",
        "GET, /health, 404",
        "GET, /FEDERATIONS, 404",
        "GET, /federations/A, 400",
        "GET, /federations/%61, 400",
        "GET, /federations/.., 400",
        "POST, /federations, 405",
        "DELETE, /federations, 405",
        "HEAD, /federations, 405",
        "PATCH, /federations/a, 405",
        "HEAD, /federations/a, 405",
        "OPTIONS, /federations/a, 405"
    })
    void otherPathsAndMethods(String method, String path, int status) throws Exception {
        HttpResponse<String> response = send(method, path, "");
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(response.headers().firstValue("Allow"))
                .isEqualTo(
                        status != 405
                                ? java.util.Optional.empty()
                                : java.util.Optional.of(
                                        path.equals("/federations") ? "GET" : "GET, POST, PUT, DELETE"));
        assertThat(zones.all()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"65536, 400", "65537, 413", "500000, 413"})
    void aBodyHasALimit(int bytes, int status) throws Exception {
        assertThat(send("POST", "/federations/a", " ".repeat(bytes)).statusCode())
                .isEqualTo(status);
        String padded = "{\"nameservers\":[\"192.0.2.1\"]}";
        assertThat(send("POST", "/federations/a", padded + " ".repeat(65_536 - padded.length()))
                        .statusCode())
                .isEqualTo(201);
    }

    @Test
    void aFileThatCannotBeWrittenIsAnErrorAndNothingChanges() throws Exception {
        Path lost = Files.createDirectory(folder.resolve("lost"));
        zones = StubZones.builder().file(lost.resolve("zones.json")).open();
        restart(builder());
        assertThat(send("POST", "/federations/a", BODY).statusCode()).isEqualTo(201);
        Files.delete(lost.resolve("zones.json"));
        Files.delete(lost);
        assertThat(send("POST", "/federations/b", BODY).statusCode()).isEqualTo(500);
        assertThat(zones.all()).containsOnlyKeys("a");
    }

    // ---- certificates

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void bothVersionsOfTls(String version) throws Exception {
        assertThat(send(http(tls(CLIENT), version), "GET", "/federations", "").statusCode())
                .isEqualTo(200);
        for (HttpClient wrong : List.of(http(tls(), version), http(tls(signedBy(OTHER_CA)), version))) {
            assertThatThrownBy(() -> send(wrong, "POST", "/federations/a", BODY))
                    .isInstanceOf(IOException.class);
        }
        assertThat(zones.all()).isEmpty();
    }

    private static HeldCertificate signedBy(HeldCertificate ca) {
        return new HeldCertificate.Builder()
                .commonName("controller")
                .signedBy(ca)
                .build();
    }

    @Test
    void anExpiredCertificateIsRefused() {
        HeldCertificate expired = new HeldCertificate.Builder()
                .commonName("controller")
                .validityInterval(1_000_000_000_000L, 1_100_000_000_000L)
                .signedBy(CA)
                .build();
        assertThatThrownBy(() -> send(http(tls(expired)), "POST", "/federations/a", BODY))
                .isInstanceOf(IOException.class);
        assertThat(zones.all()).isEmpty();
    }

    @Test
    void aCertificateForServersIsRefused() throws Exception {
        SSLContext serverOnly = EncodedCertificates.context(
                EncodedCertificates.SERVER_AUTH, EncodedCertificates.SERVER_AUTH_KEY, SERVER);
        write("ca.pem", EncodedCertificates.CA);
        assertThatThrownBy(() -> send(http(serverOnly), "POST", "/federations/a", BODY))
                .isInstanceOf(IOException.class);
        SSLContext clientAuth = EncodedCertificates.context(
                EncodedCertificates.CLIENT_AUTH, EncodedCertificates.CLIENT_AUTH_KEY, SERVER);
        assertThat(send(http(clientAuth), "POST", "/federations/a", BODY).statusCode())
                .isEqualTo(201);
    }

    @ParameterizedTest
    @CsvSource({
        "controller, 201",
        "controller.example, 201",
        "CONTROLLER.example, 201",
        "192.0.2.7, 201",
        "Controller, 403",
        "example, 403",
        "*.example, 403",
        "192.0.2.8, 403"
    })
    void allowedClients(String name, int status) throws Exception {
        restart(builder().allowClients(List.of("other-client", name)));
        HttpResponse<String> response = send("POST", "/federations/a", BODY);
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(zones.all()).hasSize(status == 201 ? 1 : 0);
    }

    @Test
    void aKeyOfAnEllipticCurveInItsOwnForm() throws Exception {
        write("server.pem", EncodedCertificates.CLIENT_AUTH);
        write("server.key", EncodedCertificates.CLIENT_AUTH_SEC1_KEY);
        builder().start().close();
        write("server.key", EncodedCertificates.SERVER_AUTH_KEY);
        assertThatThrownBy(() -> builder().start()).hasMessageContaining("does not belong to the certificate");
    }

    // ---- files that change

    @Test
    void aNewServerCertificateIsUsedByTheNextConnection() throws Exception {
        assertThat(serial(send("GET", "/federations", "")))
                .isEqualTo(SERVER.certificate().getSerialNumber());
        HeldCertificate next = new HeldCertificate.Builder()
                .serialNumber(4711)
                .addSubjectAlternativeName("127.0.0.1")
                .rsa2048()
                .signedBy(CA)
                .build();
        write("server.pem", next.certificatePem());
        assertThat(serial(send("GET", "/federations", "")))
                .as("the key is still that of the old certificate")
                .isEqualTo(SERVER.certificate().getSerialNumber());
        write("server.key", next.privateKeyPkcs1Pem());
        assertThat(serial(send("GET", "/federations", "")))
                .isEqualTo(next.certificate().getSerialNumber());
        write("server.key", "nothing");
        assertThat(serial(send("GET", "/federations", "")))
                .isEqualTo(next.certificate().getSerialNumber());
    }

    private static java.math.BigInteger serial(HttpResponse<String> response) throws IOException {
        return ((java.security.cert.X509Certificate)
                        response.sslSession().orElseThrow().getPeerCertificates()[0])
                .getSerialNumber();
    }

    @Test
    void aClientOfTheOldCaIsRefusedOverItsOldConnectionToo() throws Exception {
        HttpClient old = http(tls(CLIENT));
        assertThat(send(old, "GET", "/federations", "").statusCode()).isEqualTo(200);
        write("ca.pem", OTHER_CA.certificatePem());
        assertThat(send(http(tls(signedBy(OTHER_CA))), "GET", "/federations", "")
                        .statusCode())
                .isEqualTo(200);
        assertThat(send(old, "GET", "/federations", "").statusCode()).isEqualTo(403);
        assertThatThrownBy(() -> send("GET", "/federations", "")).isInstanceOf(IOException.class);
    }

    @Test
    void filesThatCannotBeUsedAreAnErrorAtTheStart() throws Exception {
        api.close();
        write("server.key", signedBy(CA).privateKeyPkcs8Pem());
        assertThatThrownBy(() -> builder().start())
                .isInstanceOf(IOException.class)
                .hasMessage(folder.resolve("server.key") + ": the private key does not belong to the certificate");
        write("server.key", "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n");
        assertThatThrownBy(() -> builder().start()).hasMessageContaining("is encrypted");
        write("ca.pem", "");
        write("server.key", SERVER.privateKeyPkcs8Pem());
        assertThatThrownBy(() -> builder().start()).hasMessage(folder.resolve("ca.pem") + ": no certificate in PEM");
        Files.delete(folder.resolve("server.pem"));
        assertThatThrownBy(() -> builder().start()).hasMessage(folder.resolve("server.pem") + ": no such file");
    }

    // ---- clients that stall

    private Socket connection() throws IOException {
        return new Socket(
                InetAddress.getByAddress(new byte[] {127, 0, 0, 1}),
                api.address().getPort());
    }

    /** Waits until the server closes a connection: with a reset if it has not read everything. */
    private static boolean isCut(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() == -1;
        } catch (java.net.SocketException reset) {
            return true;
        }
    }

    @Test
    void halfHandshakesHoldUpNoOtherClient() throws Exception {
        restart(builder().maxThreads(4));
        List<Socket> stalled = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                Socket socket = connection();
                socket.getOutputStream().write(new byte[] {0x16, 3, 1, 0, (byte) 200, 1});
                stalled.add(socket);
            }
            assertThat(send("POST", "/federations/a", BODY).statusCode()).isEqualTo(201);
            assertThat(isCut(stalled.get(0)))
                    .as("the oldest connection is closed")
                    .isTrue();
        } finally {
            for (Socket socket : stalled) {
                socket.close();
            }
        }
    }

    @Test
    void halfBodiesHoldUpNoOtherClient() throws Exception {
        restart(builder().maxThreads(4));
        List<SSLSocket> stalled = new ArrayList<>();
        try {
            for (int i = 0; i < 8; i++) {
                SSLSocket socket = (SSLSocket) tls(CLIENT)
                        .getSocketFactory()
                        .createSocket(connection(), "127.0.0.1", api.address().getPort(), true);
                OutputStream out = socket.getOutputStream();
                out.write("POST /federations/a HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{\"nameservers\":"
                        .getBytes(StandardCharsets.US_ASCII));
                out.flush();
                stalled.add(socket);
            }
            assertThat(send("PUT", "/federations/b", BODY).statusCode()).isEqualTo(201);
            assertThat(zones.all()).containsOnlyKeys("b");
        } finally {
            for (SSLSocket socket : stalled) {
                socket.close();
            }
        }
    }

    @Test
    void aRequestHasALimit() throws Exception {
        restart(builder().limit(Duration.ofMillis(200)));
        try (Socket socket = connection()) {
            socket.getOutputStream().write(new byte[] {0x16, 3, 1});
            assertThat(isCut(socket)).isTrue();
        }
    }

    @Test
    void plainHttpIsNotAnswered() throws Exception {
        try (Socket socket = connection()) {
            socket.getOutputStream()
                    .write("GET /federations HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            byte[] answer = socket.getInputStream().readAllBytes();
            assertThat(new String(answer, StandardCharsets.ISO_8859_1))
                    .doesNotContain("HTTP/1.1 200")
                    .doesNotContain("federations");
        } catch (java.net.SocketException reset) {
            assertThat(reset).hasMessageContaining("reset");
        }
    }

    @Test
    void anAddressThatIsTakenIsAnError() {
        InetSocketAddress taken = api.address();
        assertThatThrownBy(() -> builder().address(taken).start()).isInstanceOf(IOException.class);
    }

    @Test
    void theFilesMustBeSet() {
        assertThatThrownBy(() -> StubZoneApi.builder(zones).start()).isInstanceOf(IllegalStateException.class);
    }
}
