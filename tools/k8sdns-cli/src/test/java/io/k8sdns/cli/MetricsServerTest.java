package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Client;
import io.k8sdns.sockets.ListenersObserver;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneFeed;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

@Timeout(300)
class MetricsServerTest {
    private static final Pattern OURS = Pattern.compile("^# TYPE (k8sdns_\\w+) ", Pattern.MULTILINE);

    private final HttpClient client = HttpClient.newHttpClient();
    private MetricsServer server;

    @BeforeEach
    void start() throws IOException {
        server = MetricsServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void healthyInEveryStateOfTheSource() throws Exception {
        assertThat(get("/health").statusCode()).isEqualTo(200);
        ZoneFeed feed = feed();
        assertThat(get("/health").statusCode()).isEqualTo(200);
        feed.stateChanged(SyncState.SYNCED);
        feed.stateChanged(SyncState.STALE);
        server.markStopping();
        assertThat(get("/health").statusCode()).isEqualTo(200);
    }

    @Test
    void notReadyUntilEverythingWasRead() throws Exception {
        assertThat(get("/ready").statusCode()).isEqualTo(503);
        assertThat(get("/ready").body()).isEqualTo("not ready\nnot all objects have been read yet\n");
        ZoneFeed feed = feed();
        server.cluster().state("Service", SyncState.SYNCED);
        server.cluster().state("EndpointSlice", SyncState.SYNCING);
        assertThat(get("/ready").statusCode()).isEqualTo(503);
        assertThat(get("/ready").body()).isEqualTo("not ready\nEndpointSlice: not all objects have been read yet\n");

        feed.stateChanged(SyncState.SYNCED);
        assertThat(get("/ready").statusCode()).isEqualTo(200);
        assertThat(get("/ready").body()).isEqualTo("ready\n");
    }

    @Test
    void readyWhileTheApiServerIsUnavailable() throws Exception {
        ZoneFeed feed = feed();
        feed.stateChanged(SyncState.SYNCED);
        feed.stateChanged(SyncState.STALE);

        assertThat(get("/ready").statusCode()).isEqualTo(200);
        assertThat(get("/ready").body())
                .isEqualTo("ready; not everything could be watched since 2026-01-01T00:00:00Z\n");
    }

    @Test
    void notReadyOnceItStops() throws Exception {
        feed().stateChanged(SyncState.SYNCED);
        server.markStopping();

        assertThat(get("/ready").statusCode()).isEqualTo(503);
        assertThat(get("/ready").body()).isEqualTo("not ready\nstopping\n");
    }

    @Test
    void filesAreDeletedInOrderWhenItStops(@TempDir Path folder) throws Exception {
        feed().stateChanged(SyncState.SYNCED);
        server.keepFiles(folder, note -> {});
        for (String file : List.of("health", "ready")) {
            while (!Files.exists(folder.resolve(file))) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
        }
        server.markStopping();
        assertThat(folder.resolve("ready")).doesNotExist();
        assertThat(folder.resolve("health")).exists();
        server.markStopped();
        assertThat(folder).isEmptyDirectory();
    }

    /** The bounds on the metrics page of CoreDNS 1.14, without its lowest bound of sizes, 0, which counts no message. */
    @Test
    void bucketBoundsHaveTheFormOfCoreDns() throws Exception {
        feed();
        server.responses().orElseThrow().response(0, Client.Transport.UDP, Type.A, false, Rcode.NOERROR, false, 40, 60);
        String page = get("/metrics").body();

        assertThat(bounds(page, "k8sdns_request_duration_seconds_bucket"))
                .isEqualTo(
                        "0.00025 0.0005 0.001 0.002 0.004 0.008 0.016 0.032 0.064 0.128 0.256 0.512 1.024 2.048 4.096 "
                                + "8.192 +Inf");
        assertThat(bounds(page, "k8sdns_response_size_bytes_bucket{proto=\"udp\""))
                .isEqualTo("100 200 300 400 511 1023 2047 4095 8291 16000 32000 48000 64000 +Inf");
    }

    private static String bounds(String page, String metric) {
        return page.lines()
                .filter(line -> line.startsWith(metric))
                .map(line -> line.replaceFirst(".*[,{]le=\"([^\"]*)\".*", "$1"))
                .collect(Collectors.joining(" "));
    }

    @Test
    void otherLabelsAreNotChanged() {
        String page = "a{file=\"1.50\",name=\"le=\\\"1.50\\\"\"} 2.50\nb{le=\"2.50\"} 1.0E-4\n";
        assertThat(MetricsServer.plainBounds(page)).isEqualTo(page.replace("le=\"2.50\"", "le=\"2.5\""));
    }

    @Test
    void metricsHaveThePrometheusTextFormat() throws Exception {
        feed();
        server.responses().orElseThrow().response(0, Client.Transport.UDP, Type.A, false, Rcode.NOERROR, false, 40, 60);
        server.receiveBufferDrops(() -> OptionalLong.of(3));

        HttpResponse<String> metrics = get("/metrics");
        assertThat(metrics.headers().firstValue("Content-Type")).contains("text/plain; version=0.0.4; charset=utf-8");
        assertThat(metrics.body().lines())
                .contains(
                        "k8sdns_requests_total{proto=\"udp\",type=\"A\"} 1.0",
                        "k8sdns_dropped_total{reason=\"receive_buffer_full\"} 3.0",
                        "k8sdns_zone_state{state=\"syncing\"} 1.0")
                .anyMatch(line -> line.startsWith("jvm_memory_used_bytes{"));
    }

    @Test
    void everyMetricIsOnThePage() throws Exception {
        server.responses().orElseThrow().response(0, Client.Transport.UDP, Type.A, false, Rcode.NOERROR, false, 40, 60);
        server.cluster().state("Service", SyncState.SYNCED);
        feed();

        String page = Files.readString(Run.ROOT.resolve(Path.of("docs", "metrics.md")));
        Set<String> metrics = OURS.matcher(get("/metrics").body())
                .results()
                .map(metric -> metric.group(1).replaceFirst("_max$", ""))
                .collect(Collectors.toSet());
        assertThat(metrics)
                .contains("k8sdns_build_info")
                .allSatisfy(metric -> assertThat(page).containsPattern("\\| `" + metric + "[{`]"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/metrics/", "/ready?", "//metrics", "/debug/pprof", "/%2e%2e/etc/passwd"})
    void otherPathsAreNotFound(String path) throws Exception {
        assertThat(get(path).statusCode()).isEqualTo(path.equals("/ready?") ? 503 : 404);
    }

    @Test
    void onlyReadingIsAllowed() throws Exception {
        for (String method : List.of("POST", "PUT", "DELETE", "OPTIONS")) {
            HttpResponse<String> refused = ask(method, "/metrics");
            assertThat(refused.statusCode()).as(method).isEqualTo(405);
            assertThat(refused.headers().firstValue("Allow")).as(method).contains("GET, HEAD");
        }
    }

    @Test
    void headIsGetWithoutBody() throws Exception {
        HttpResponse<String> head = ask("HEAD", "/health");

        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        assertThat(head.headers().firstValue("Content-Length")).contains("6");
    }

    @Test
    void aProcessThatDoesNotServeIsNotHealthy() throws Exception {
        server.isHealthyWithout(() -> List.of("192.0.2.77:53 does not exist yet", "192.0.2.78:53 is in use"));

        assertThat(get("/health").statusCode()).isEqualTo(503);
        assertThat(get("/health").body())
                .isEqualTo("not serving\n192.0.2.77:53 does not exist yet\n192.0.2.78:53 is in use\n");
    }

    @Test
    void incompleteRequestsDoNotDelayOthers() throws Exception {
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 8; i++) {
                Socket one = new Socket(
                        server.address().getAddress(), server.address().getPort());
                slow.add(one);
                one.getOutputStream().write("GET /metrics HTTP/1.1\r\nHost: a".getBytes(StandardCharsets.US_ASCII));
                one.getOutputStream().flush();
            }
            assertThat(get("/health").statusCode()).isEqualTo(200);
        } finally {
            for (Socket one : slow) {
                one.close();
            }
        }
    }

    @Test
    void addressInUseIsReported() {
        assertThatThrownBy(() -> MetricsServer.start(server.address()))
                .isInstanceOf(IOException.class)
                .hasMessage("--metrics: cannot listen on " + HostAndPort.text(server.address())
                        + ": Address already in use");
    }

    /** A timer whose tasks the test runs. */
    private static final class ManualTimer extends ScheduledThreadPoolExecutor {
        private final List<Runnable> tasks = new ArrayList<>();

        ManualTimer() {
            super(1);
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long first, long pause, TimeUnit unit) {
            tasks.add(task);
            return super.schedule(() -> {}, 1, TimeUnit.DAYS);
        }
    }

    /** Collects the events of an address. */
    private static final class Events implements ListenersObserver {
        private final List<String> all = new ArrayList<>();

        @Override
        public void listening(InetSocketAddress address) {
            all.add("listening on " + address.getAddress().getHostAddress());
        }

        @Override
        public void waiting(InetSocketAddress address, IOException why) {
            all.add("waiting: " + why.getMessage());
        }

        @Override
        public void failed(InetSocketAddress address, IOException why) {
            all.add("failed: " + why.getMessage());
        }
    }

    @Test
    void anAddressIsBoundOnceItExists() throws Exception {
        InetSocketAddress missing = new InetSocketAddress("192.0.2.254", 9253);
        List<InetSocketAddress> attempts =
                new ArrayList<>(List.of(missing, missing, server.address(), server.address()));
        ManualTimer timer = new ManualTimer();
        Events events = new Events();
        try (MetricsServer waiting = MetricsServer.create(
                (http, address) -> {
                    assertThat(address).isEqualTo(missing);
                    http.bind(
                            attempts.isEmpty()
                                    ? new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)
                                    : attempts.remove(0),
                            0);
                },
                timer)) {
            waiting.listenWhenPossible(missing, events);
            assertThat(timer.tasks).hasSize(1);
            for (int i = 0; i < 5; i++) {
                timer.tasks.get(0).run();
            }
            String where = "--metrics: cannot listen on 192.0.2.254:9253: ";
            assertThat(events.all)
                    .hasSize(3)
                    .startsWith(
                            "waiting: " + where + "Cannot assign requested address",
                            "failed: " + where + "Address already in use")
                    .last()
                    .asString()
                    .startsWith("listening on 127.0.0.1");
            assertThat(timer.isShutdown()).isTrue();
            server.close();
            server = waiting;
            assertThat(get("/health").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void anAddressInUseIsBoundOnceItIsFree() throws Exception {
        InetSocketAddress address = server.address();
        ManualTimer timer = new ManualTimer();
        Events events = new Events();
        try (MetricsServer waiting = MetricsServer.create((http, at) -> http.bind(at, 0), timer)) {
            waiting.listenWhenPossible(address, events);
            timer.tasks.get(0).run();
            String failure =
                    "failed: --metrics: cannot listen on " + HostAndPort.text(address) + ": Address already in use";
            assertThat(events.all).containsExactly(failure);
            server.close();
            timer.tasks.get(0).run();
            assertThat(events.all).containsExactly(failure, "listening on 127.0.0.1");
            server = waiting;
            assertThat(get("/health").statusCode()).isEqualTo(200);
        }
    }

    /** A socket without IPv6 fails as every socket does on a host without IPv6. */
    @Test
    void allAddressesAreThoseOfIpv4OnAHostWithoutIpv6() throws Exception {
        MetricsServer.Binder withoutIpv6 = (http, address) -> {
            try (ServerSocketChannel ipv4 = ServerSocketChannel.open(StandardProtocolFamily.INET)) {
                ipv4.socket().bind(address);
            }
            http.bind(address, 0);
        };
        Events events = new Events();
        try (MetricsServer all = MetricsServer.create(withoutIpv6, new ManualTimer())) {
            all.listenWhenPossible(HostAndPort.parse("[::]:0").address(), events);
            assertThat(events.all).hasSize(1);
            assertThat(all.address().getAddress().isAnyLocalAddress()).isTrue();
            URI health = URI.create("http://127.0.0.1:" + all.address().getPort() + "/health");
            assertThat(client.send(HttpRequest.newBuilder(health).build(), HttpResponse.BodyHandlers.discarding())
                            .statusCode())
                    .isEqualTo(200);
        }
        try (MetricsServer one = MetricsServer.create(withoutIpv6, new ManualTimer())) {
            assertThatThrownBy(() ->
                            one.listenWhenPossible(HostAndPort.parse("[::1]:0").address(), events))
                    .hasMessage("--metrics: cannot listen on [::1]:0: Unsupported address type");
        }
    }

    @Test
    void anAddressThatCannotBeBoundForAnotherReasonIsAFailure() throws Exception {
        ManualTimer timer = new ManualTimer();
        Events events = new Events();
        try (MetricsServer refused = MetricsServer.create(
                (http, address) -> {
                    throw new BindException("Permission denied");
                },
                timer)) {
            assertThatThrownBy(() -> refused.listenWhenPossible(server.address(), events))
                    .hasMessageEndingWith(": Permission denied");
            assertThat(timer.tasks).isEmpty();
            assertThat(events.all).isEmpty();
        }
    }

    @Test
    void aServerThatWaitsForItsAddressCanBeClosed() throws Exception {
        ManualTimer timer = new ManualTimer();
        Events events = new Events();
        MetricsServer waiting = MetricsServer.create((http, address) -> http.bind(address, 0), timer);
        waiting.listenWhenPossible(new InetSocketAddress("192.0.2.254", 9253), events);
        waiting.close();
        assertThat(timer.isShutdown()).isTrue();
        timer.tasks.get(0).run();
        assertThat(events.all).singleElement().asString().startsWith("waiting");
    }

    @Test
    void closedServerReleasesItsAddress() throws Exception {
        server.close();

        try (MetricsServer next = MetricsServer.start(server.address())) {
            assertThat(next.address()).isEqualTo(server.address());
        }
    }

    private ZoneFeed feed() {
        ClusterZone zone = ClusterZone.of(ClusterSnapshot.of(List.of()), ZoneSettings.DEFAULTS);
        ZoneFeed feed = ZoneFeed.builder(zone, InstantSource.fixed(Instant.parse("2026-01-01T00:00:00Z")))
                .build();
        server.serves(feed);
        return feed;
    }

    private HttpResponse<String> get(String path) throws Exception {
        return ask("GET", path);
    }

    private HttpResponse<String> ask(String method, String path) throws Exception {
        URI uri = URI.create("http://" + HostAndPort.text(server.address()) + path);
        HttpRequest request = HttpRequest.newBuilder(uri)
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }
}
