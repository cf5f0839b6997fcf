package io.k8sdns.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.federation.FederatedZone;
import io.k8sdns.federation.external.ExternalSync;
import io.k8sdns.micrometer.ClusterMeters;
import io.k8sdns.micrometer.ExternalZoneMeters;
import io.k8sdns.micrometer.FederationMeters;
import io.k8sdns.micrometer.RequestMeters;
import io.k8sdns.micrometer.ZoneMeters;
import io.k8sdns.wire.ResponseObserver;
import io.k8sdns.zone.ServerHealth;
import io.k8sdns.zone.ZoneFeed;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What {@code --metrics} answers over HTTP: {@code /metrics} to Prometheus, {@code /health} and {@code /ready} to the
 * kubelet.
 *
 * <p>With {@link ForwardingMeters} the only class of the command that knows Micrometer: nothing of it is loaded unless this class is.
 *
 * <p>{@link ServerHealth} decides both: {@code /health} is 200 for as long as the process answers, {@code /ready} is 200 or
 * 503 with what is missing.
 */
final class MetricsServer implements Monitoring {
    /** As many as connections: clients that send nothing hold theirs until they are cut, and a probe finds another one. */
    private static final int MOST_THREADS = 128;

    private static final int BACKLOG = 64;

    /** Limits of the JDK's server, in seconds and in numbers; who sets one on the command line has it so. */
    private static final Map<String, String> LIMITS = Map.of(
            "sun.net.httpserver.maxReqTime", "5",
            "sun.net.httpserver.maxRspTime", "30",
            "sun.net.httpserver.idleInterval", "30",
            "sun.net.httpserver.maxIdleConnections", "32",
            "jdk.httpserver.maxConnections", "128");

    private static final String TEXT = "text/plain; charset=utf-8";

    /** A bound that is a number; a quote inside another label is escaped. */
    private static final Pattern BOUND = Pattern.compile("\\ble=\"([0-9.E+-]+)\"");

    private final ScrapeClock clock = new ScrapeClock();
    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT, new PrometheusRegistry(), clock);
    private final RequestMeters requests = new RequestMeters(registry);
    private final ClusterMeters cluster = new ClusterMeters(registry);
    private final JvmGcMetrics collections = new JvmGcMetrics();
    private final HttpServer server;
    private final InetSocketAddress address;
    private final ExecutorService threads;
    private final ServerHealth health = new ServerHealth();
    private @Nullable ForwardingMeters forwarding;
    private volatile Optional<Supplier<List<String>>> required = Optional.empty();
    private volatile boolean servesZones;

    private MetricsServer(HttpServer server, ExecutorService threads) {
        this.server = server;
        this.address = server.getAddress();
        this.threads = threads;
        Stream.of(
                        new JvmMemoryMetrics(),
                        new JvmThreadMetrics(),
                        collections,
                        new ProcessorMetrics(),
                        new FileDescriptorMetrics(),
                        new UptimeMetrics())
                .forEach(meters -> meters.bindTo(registry));
        Gauge.builder("k8sdns.build.info", () -> 1)
                .description("1, with the versions of the command and of the JVM.")
                .tag(
                        "version",
                        Optional.ofNullable(MetricsServer.class.getPackage().getImplementationVersion())
                                .orElse("unknown"))
                .tag("java", Runtime.version().toString())
                .register(registry);
        server.createContext("/", this::answer);
    }

    /**
     * Starts to answer; nothing is ready yet.
     *
     * @param address where to; port 0 takes a free one
     * @throws IOException if the address cannot be bound; the message names it
     */
    static MetricsServer start(InetSocketAddress address) throws IOException {
        LIMITS.forEach((name, value) -> {
            if (System.getProperty(name) == null) {
                System.setProperty(name, value);
            }
        });
        HttpServer server;
        try {
            server = HttpServer.create(address, BACKLOG);
        } catch (IOException taken) {
            throw new IOException(
                    "--metrics: cannot listen on " + HostAndPort.text(address) + ": " + taken.getMessage(), taken);
        }
        // Nothing waits for a thread: beyond so many at once connections are closed.
        ThreadPoolExecutor threads =
                new ThreadPoolExecutor(0, MOST_THREADS, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                    Thread one = new Thread(task, "k8sdns-http");
                    one.setDaemon(true);
                    return one;
                });
        server.setExecutor(threads);
        MetricsServer started = new MetricsServer(server, threads);
        server.start();
        return started;
    }

    /** Returns where it answers. */
    InetSocketAddress address() {
        return address;
    }

    @Override
    public Optional<ResponseObserver> responses() {
        return Optional.of(requests);
    }

    @Override
    public ClusterObserver cluster() {
        return cluster;
    }

    @Override
    public void serves(ZoneFeed filling) {
        health.add(filling);
        servesZones = true;
        new ZoneMeters(filling).bindTo(registry);
    }

    @Override
    public void serves(FederatedZone zone) {
        requires(() -> zone.isReady() ? List.of() : List.of("the store has not been read yet"));
        new FederationMeters(zone).bindTo(registry);
    }

    @Override
    public void keeps(ExternalSync zone) {
        // The clock that the command builds it with.
        new ExternalZoneMeters(zone, System::nanoTime).bindTo(registry);
    }

    @Override
    public void receiveBufferDrops(Supplier<OptionalLong> drops) {
        if (drops.get().isPresent()) {
            requests.receiveBufferDrops(() -> drops.get().orElse(0));
        }
    }

    @Override
    public synchronized ForwardingObserver forwarding() {
        if (forwarding == null) {
            forwarding = new ForwardingMeters(registry);
        }
        return forwarding;
    }

    @Override
    public void requires(Supplier<List<String>> missing) {
        required = Optional.of(missing);
    }

    @Override
    public void stopping() {
        health.stopping();
    }

    /** Answers no more. Closing again does nothing. */
    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
        collections.close();
        registry.close();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path =
                    Optional.ofNullable(exchange.getRequestURI().getPath()).orElse("");
            String method = exchange.getRequestMethod();
            if (!method.equals("GET") && !method.equals("HEAD")) {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                send(exchange, 405, TEXT, "only GET and HEAD\n");
                return;
            }
            switch (path) {
                case "/metrics" -> {
                    clock.look();
                    send(exchange, 200, "text/plain; version=0.0.4; charset=utf-8", plainBounds(registry.scrape()));
                }
                case "/health" ->
                    send(exchange, health.isLive() ? 200 : 503, TEXT, health.isLive() ? "alive\n" : "not alive\n");
                case "/ready" -> {
                    List<String> missing = missing();
                    send(
                            exchange,
                            missing.isEmpty() ? 200 : 503,
                            TEXT,
                            missing.isEmpty() ? ready() : "not ready\n" + String.join("\n", missing) + "\n");
                }
                default -> send(exchange, 404, TEXT, "there are /metrics, /health and /ready\n");
            }
        }
    }

    /**
     * Returns a page whose bucket bounds are spelled as CoreDNS spells them: {@code 0.00025} and {@code 16000}, where the
     * registry has {@code 2.5E-4} and {@code 16000.0}. A dashboard selects them as texts.
     */
    static String plainBounds(String page) {
        return BOUND.matcher(page)
                .replaceAll(bound -> "le=\""
                        + new BigDecimal(bound.group(1)).stripTrailingZeros().toPlainString() + "\"");
    }

    private List<String> missing() {
        if (required.isPresent() && health.status() != ServerHealth.Status.STOPPING) {
            List<String> own = required.get().get();
            if (!own.isEmpty() || !servesZones) {
                return own;
            }
        }
        return switch (health.status()) {
            case READY, STALE -> List.of();
            case EXPIRED -> List.of("the records are older than --stale-limit allows");
            case SYNCING -> unread();
            case STOPPING -> List.of("stopping");
        };
    }

    private List<String> unread() {
        List<String> unread = cluster.states().entrySet().stream()
                .filter(kind -> kind.getValue() == SyncState.SYNCING)
                .map(kind -> kind.getKey() + ": not all objects have been read yet")
                .toList();
        return unread.isEmpty() ? List.of("not all objects have been read yet") : unread;
    }

    private String ready() {
        return health.staleSince()
                .map(since -> "ready; not everything could be followed since " + since + "\n")
                .orElse("ready\n");
    }

    /**
     * Time that passes when somebody looks. Meters ask what time it is whenever they record, six times an answer, for nothing but
     * the gauges of the largest values, which nobody sees in between: that would be more than half of what metrics cost.
     */
    private static final class ScrapeClock implements Clock {
        private volatile long wallMillis = System.currentTimeMillis();

        void look() {
            wallMillis = System.currentTimeMillis();
        }

        @Override
        public long wallTime() {
            return wallMillis;
        }

        @Override
        public long monotonicTime() {
            return System.nanoTime();
        }
    }

    private static void send(HttpExchange exchange, int code, String type, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.getResponseHeaders().set("Content-Length", Integer.toString(body.length));
            exchange.sendResponseHeaders(code, -1);
        } else {
            exchange.sendResponseHeaders(code, body.length);
            exchange.getResponseBody().write(body);
        }
    }
}
