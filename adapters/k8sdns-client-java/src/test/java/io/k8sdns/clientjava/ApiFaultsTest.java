package io.k8sdns.clientjava;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.apiserver.ApiReply;
import io.k8sdns.apiserver.ApiServer;
import io.k8sdns.apiserver.Fault;
import io.k8sdns.apiserver.Request;
import io.k8sdns.cluster.SyncState;
import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Stream;
import okhttp3.OkHttpClient;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.xbill.DNS.Rcode;

/**
 * Faults of an API server and of its network, over TLS. No name is NXDOMAIN before the zone is synced, existing names are served
 * meanwhile, and in the end the zone has the records of the server's objects.
 */
@Timeout(300)
class ApiFaultsTest {
    private static final Authority AUTHORITY = new Authority();
    private static final String CART = "\"uid\": \"s1\"";

    private final CheckedZone zone = new CheckedZone("cart.shop.svc.cluster.local.");
    private final CompletableFuture<AcceleratedTimers> time = new CompletableFuture<>();
    private final AtomicInteger connected = new AtomicInteger();
    private volatile ApiConnector connector = () -> client(AUTHORITY, "");
    private ApiServer server;
    private ApiClusterSource source;

    /** The authority that signs the server's certificate. */
    private static final class Authority {
        private final HeldCertificate root =
                new HeldCertificate.Builder().certificateAuthority(0).build();
        private final HeldCertificate host = new HeldCertificate.Builder()
                .addSubjectAlternativeName("127.0.0.1")
                .signedBy(root)
                .build();

        HandshakeCertificates ofServer() {
            return new HandshakeCertificates.Builder().heldCertificate(host).build();
        }

        HandshakeCertificates ofClient() {
            return new HandshakeCertificates.Builder()
                    .addTrustedCertificate(root.certificate())
                    .build();
        }
    }

    @BeforeEach
    void start() throws IOException {
        server = new ApiServer();
        server.tls(AUTHORITY.ofServer().sslContext());
        server.maxPageSize(3);
        server.put("namespaces", "shop", "\"uid\": \"n1\"", "");
        server.put("services", "shop/cart", CART, service(20));
        for (int i = 0; i < 5; i++) {
            server.put("services", "shop/other-" + i, "\"uid\": \"o" + i + "\"", service(i));
        }
        source = ApiClusterSource.builder(() -> {
                    connected.incrementAndGet();
                    return connector.connect();
                })
                .timers(loop -> {
                    AcceleratedTimers made = new AcceleratedTimers(loop);
                    time.complete(made);
                    return made;
                })
                .observer(zone)
                .build();
    }

    @AfterEach
    void end() {
        source.close();
        server.close();
    }

    private static String service(int number) {
        return ", \"spec\": {\"clusterIP\": \"10.96.0.%1$d\", \"clusterIPs\": [\"10.96.0.%1$d\"]}".formatted(number);
    }

    private ApiClient client(Authority trusted, String token) {
        HandshakeCertificates certificates = trusted.ofClient();
        ApiClient client = new ApiClient(new OkHttpClient.Builder()
                .sslSocketFactory(certificates.sslSocketFactory(), certificates.trustManager())
                .build());
        client.setBasePath(server.url());
        if (!token.isEmpty()) {
            client.setApiKeyPrefix("Bearer");
            client.setApiKey(token);
        }
        return client;
    }

    private void awaitRequest(Predicate<Request> what) throws InterruptedException {
        long until = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        Request next;
        do {
            next = server.requests().poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
            assertThat(next).as("requested in time").isNotNull();
        } while (!what.test(next));
    }

    private void awaitList() throws InterruptedException {
        awaitRequest(request -> request.resource().equals("services") && !request.isWatch());
    }

    private void awaitWatch() throws InterruptedException {
        awaitRequest(request -> request.resource().equals("services") && request.isWatch());
    }

    /**
     * Starts the source, and waits until the watch of Services has delivered an event. A cut is a failure only then: OkHttp
     * repeats a request of which no response has arrived.
     */
    private void follow() throws InterruptedException {
        source.start(zone);
        zone.awaitRecordsOf(server);
        awaitWatch();
        server.put("services", "shop/watched", "\"uid\": \"s10\"", service(30));
        zone.awaitRecordsOf(server);
    }

    /** Makes changes of every kind, including a Service that is deleted and created again. */
    private void change() {
        server.put("services", "shop/cart", CART, service(21));
        server.put("services", "shop/new", "\"uid\": \"s9\"", service(22));
        server.delete("services", "shop/other-1", "\"uid\": \"o1\"");
        server.put("services", "shop/other-1", "\"uid\": \"o1b\"", service(23));
        server.delete("services", "shop/other-2", "\"uid\": \"o2\"");
        server.put("services", "shop/cart", CART, service(24));
    }

    private static ApiReply protobuf() {
        return new ApiReply(
                200,
                Map.of("Content-Type", "application/vnd.kubernetes.protobuf"),
                out -> out.write("k8s\0\n\007\n\002v1\022\001x".getBytes(StandardCharsets.ISO_8859_1)));
    }

    // ---- lists ----

    @TestFactory
    Stream<DynamicTest> failedListIsRepeated() {
        Map<String, Fault> faults = Map.of(
                "cut behind the head", Fault.cutAfter(0),
                "cut in its metadata", Fault.cutAfter(30),
                "cut in an object", Fault.cutAfter(150),
                "cut before its last byte",
                        (request, right) -> right.with(out -> {
                            byte[] all = server.list("services").getBytes(StandardCharsets.UTF_8);
                            out.write(Arrays.copyOf(all, all.length - 1));
                            out.flush();
                            throw new IOException("cut");
                        }),
                "ends in an object", Fault.endAfter(150),
                "protobuf", Fault.reply(protobuf()),
                "protobuf under the name of JSON", Fault.reply(protobuf().with("Content-Type", "application/json")),
                "a page for people", Fault.reply(new ApiReply(200, Map.of("Content-Type", "text/html"), out -> {})),
                "an error", Fault.reply(ApiReply.refusal(500, "InternalError", "etcd has no leader")),
                "an error of a proxy", Fault.reply(new ApiReply(502, Map.of("Content-Type", "text/html"), out -> {})));
        return each(faults, ApiFaultsTest::checkFailedList);
    }

    /** Checks the outcome of a fault. */
    private interface FaultCheck {
        void with(ApiFaultsTest test, Fault fault) throws Exception;
    }

    /** Runs the check for each fault on a new server. */
    private Stream<DynamicTest> each(Map<String, Fault> faults, FaultCheck check) {
        return faults.entrySet().stream()
                .map(fault -> DynamicTest.dynamicTest(fault.getKey(), () -> {
                    end();
                    ApiFaultsTest one = new ApiFaultsTest();
                    one.start();
                    try {
                        check.with(one, fault.getValue());
                    } finally {
                        one.end();
                    }
                }));
    }

    private void checkFailedList(Fault fault) throws InterruptedException {
        server.fault("services", fault.ofLists());
        source.start(zone);
        awaitList();
        awaitList();
        server.fault("services", Fault.NONE);
        zone.awaitRecordsOf(server);
    }

    @Test
    void failedPageIsRequestedAgain() throws InterruptedException {
        AtomicInteger pages = new AtomicInteger();
        server.fault(
                "services",
                (request, right) ->
                        pages.incrementAndGet() == 2 ? Fault.cutAfter(100).instead(request, right) : right);
        follow();
        assertThat(pages).hasValueGreaterThan(2);
    }

    @Test
    void expiredListStartsAgain() throws InterruptedException {
        AtomicInteger pages = new AtomicInteger();
        server.fault("services", (request, right) -> {
            if (pages.incrementAndGet() == 2) {
                server.delete("services", "shop/other-0", "\"uid\": \"o0\"");
                server.compact();
                return ApiReply.refusal(410, "Expired", "the continue token is too old");
            }
            return right;
        });
        follow();
        assertThat(zone.failures()).contains("Service gone");
    }

    @Test
    void namesAreServfailDuringASlowFirstList() throws InterruptedException {
        CountDownLatch gate = new CountDownLatch(1);
        server.fault("services", Fault.delayUntil(gate));
        source.start(zone);
        awaitList();
        assertThat(zone.ask("cart.shop.svc.cluster.local.").rcode()).isEqualTo(Rcode.SERVFAIL);
        gate.countDown();
        zone.awaitRecordsOf(server);
    }

    @Test
    void silentListTimesOut() throws Exception {
        server.fault("services", Fault.silence().ofLists());
        source.start(zone);
        awaitList();
        server.fault("services", Fault.NONE);
        time.get().pass(ListWatch.RESPONSE_SILENCE);
        zone.awaitRecordsOf(server);
        assertThat(zone.failures()).contains("Service silent");
    }

    @Test
    void silentHandshakeTimesOut() throws Exception {
        server.mute(true);
        source.start(zone);
        time.get().awaitWatchdogs(3);
        time.get().pass(ListWatch.RESPONSE_SILENCE);
        zone.await("silent");
        server.mute(false);
        zone.awaitRecordsOf(server);
    }

    @Test
    void retryAfterIsObeyedOverHttp() throws Exception {
        server.fault(
                "services",
                Fault.reply(
                        ApiReply.refusal(429, "TooManyRequests", "slow down").with("Retry-After", "17")));
        source.start(zone);
        zone.await("overloaded");
        server.fault("services", Fault.NONE);
        zone.awaitRecordsOf(server);
        assertThat(time.get().waits()).contains(Duration.ofSeconds(17));
    }

    @Test
    void requestsAcceptJsonAndCompression() throws InterruptedException {
        AtomicInteger compressed = new AtomicInteger();
        server.put(
                "services",
                "shop/large",
                "\"uid\": \"s8\", \"annotations\": {\"a\": \"" + "x".repeat(200_000) + "\"}",
                service(8));
        server.fault("services", (request, right) -> {
            assertThat(request.headers()).containsEntry("accept", "application/json");
            if (right.headers().containsKey("Content-Encoding")) {
                compressed.incrementAndGet();
            }
            return right;
        });
        follow();
        assertThat(compressed).hasPositiveValue();
    }

    @Test
    void objectOfTenMegabytesDelaysNoOther() throws InterruptedException {
        String large = "\"uid\": \"s8\", \"annotations\": {\"a\": \"" + "x".repeat(10 << 20) + "\"}";
        server.put("services", "shop/large", large, service(8));
        follow();
        server.put("services", "shop/large", large, service(9));
        change();
        zone.awaitRecordsOf(server);
        assertThat(zone.failures()).isEmpty();
    }

    // ---- watches ----

    @TestFactory
    Stream<DynamicTest> failedWatchLosesNoChange() {
        Map<String, Fault> faults = Map.of(
                "cut behind the head", Fault.cutAfter(0),
                "cut in an event", Fault.cutAfter(50),
                "ends in an event", Fault.endAfter(250),
                "everything twice", Fault.twice(),
                "events in another order", Fault.swapped(),
                "protobuf", Fault.reply(protobuf()),
                "an error", Fault.reply(ApiReply.refusal(500, "InternalError", "etcd has no leader")),
                "an event of no known type", Fault.reply(ApiReply.json(200, "{\"type\": \"MOVED\", \"object\": {}}\n")),
                "410 as an event",
                        Fault.reply(ApiReply.json(
                                200,
                                "{\"type\": \"ERROR\", \"object\": {\"kind\": \"Status\", \"code\": 410, "
                                        + "\"reason\": \"Expired\"}}\n")));
        return each(faults, ApiFaultsTest::checkFailedWatch);
    }

    private void checkFailedWatch(Fault fault) throws InterruptedException {
        follow();
        server.fault("services", fault.ofWatches());
        server.cut();
        zone.await(SyncState.STALE);
        change();
        awaitWatch();
        server.fault("services", Fault.NONE);
        change();
        zone.awaitRecordsOf(server);
    }

    @Test
    void endlessEventCausesAList() throws InterruptedException {
        follow();
        server.fault(
                "services",
                Fault.reply(new ApiReply(200, Map.of("Content-Type", "application/json"), out -> {
                            for (int i = 0; i < 17; i++) {
                                out.write("x".repeat(1 << 20).getBytes(StandardCharsets.UTF_8));
                            }
                            out.flush();
                            new CountDownLatch(1).await();
                        }))
                        .ofWatches());
        server.cut();
        zone.await("broken");
        change();
        server.fault("services", Fault.NONE);
        zone.awaitRecordsOf(server);
    }

    @Test
    void expiredWatchCausesAListOfDifferences() throws InterruptedException {
        follow();
        server.away(true);
        zone.await(SyncState.STALE);
        change();
        server.compact();
        server.away(false);
        zone.awaitRecordsOf(server);
        assertThat(zone.failures()).contains("Service gone");
    }

    @Test
    void silentWatchIsReopened() throws Exception {
        follow();
        server.fault("services", Fault.silenceAfterTheHead().ofWatches());
        server.cut();
        // Waits for this kind, since another kind may be synced again before services notice the closed connection.
        zone.await("Service STALE");
        zone.await("Service SYNCED");
        change();
        server.fault("services", Fault.NONE);
        time.get().pass(ListWatch.WATCH_SILENCE);
        zone.awaitRecordsOf(server);
        assertThat(zone.failures())
                .as("a silent watch is not reported as a failure")
                .doesNotContain("Service silent");
    }

    // ---- credentials and trust ----

    @Test
    void expiredTokenIsReplaced() throws InterruptedException {
        server.token("first");
        connector = () -> client(AUTHORITY, "first");
        follow();
        server.token("second");
        server.cut();
        zone.await("unauthorized");
        connector = () -> client(AUTHORITY, "second");
        change();
        zone.awaitRecordsOf(server);
    }

    /** Follows with credentials from a file, with timers that end no wait between two requests. */
    private void follow(Path file, ApiConnector reading) {
        ApiConnector connector = new ApiConnector() {
            @Override
            public ApiClient connect() throws IOException {
                return reading.connect();
            }

            @Override
            public Set<Path> files() {
                return Set.of(file);
            }
        };
        source = ApiClusterSource.builder(connector)
                .timers(StoppedTimers::new)
                .observer(zone)
                .build();
        source.start(zone);
    }

    @Test
    void changedTokenFileEndsTheWait(@TempDir Path folder) throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "expired");
        server.token("renewed token");
        follow(token, () -> client(AUTHORITY, Files.readString(token)));
        zone.await("unauthorized");
        Files.writeString(token, "renewed token");
        zone.awaitRecordsOf(server);
    }

    @Test
    void replacedCertificateFileEndsTheWait(@TempDir Path folder) throws Exception {
        Path trusted = Files.writeString(folder.resolve("ca.crt"), "another");
        Authority another = new Authority();
        ApiConnector reading = () -> client(Files.readString(trusted).equals("another") ? another : AUTHORITY, "");
        follow(trusted, reading);
        zone.await("untrusted");
        Files.move(
                Files.writeString(folder.resolve("new.crt"), "the server's"),
                trusted,
                StandardCopyOption.REPLACE_EXISTING);
        zone.awaitRecordsOf(server);
    }

    @Test
    void createdFileEndsTheWait(@TempDir Path folder) throws Exception {
        Path token = folder.resolve("token");
        server.token("late");
        follow(token, () -> client(AUTHORITY, Files.readString(token)));
        zone.await("no_credentials");
        Files.writeString(token, "late");
        zone.awaitRecordsOf(server);
    }

    @Test
    void newAuthorityIsTrustedOnceTheConnectorReturnsIt() throws InterruptedException {
        follow();
        Authority other = new Authority();
        server.tls(other.ofServer().sslContext());
        server.cut();
        zone.await("untrusted");
        change();
        connector = () -> client(other, "");
        zone.awaitRecordsOf(server);
        assertThat(connected).hasValueGreaterThan(1);
    }

    @Test
    void untrustedServerIsNotUsed() throws InterruptedException {
        connector = () -> client(new Authority(), "");
        source.start(zone);
        zone.await("untrusted");
        zone.await("untrusted");
        assertThat(server.requests()).isEmpty();
    }
}
