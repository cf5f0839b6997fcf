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
import io.k8sdns.name.DnsLabels;
import io.k8sdns.sockets.DnsListeners;
import io.k8sdns.sockets.ListenersObserver;
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
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP server of {@code --metrics}: {@code /metrics} for Prometheus, {@code /health} and {@code /ready} for the kubelet.
 *
 * <p>Only this class and {@link ForwardingMeters} use Micrometer, so that its classes are loaded only with {@code --metrics}.
 *
 * <p>{@code /health} is 200 as long as the process answers and {@link #isHealthyWithout} has no reason. {@code /ready} is 200, or 503 with the reasons, from {@link
 * ServerHealth} and {@link #requires}.
 */
final class MetricsServer implements Monitoring {
    /**
     * The largest number of threads, equal to that of connections: idle clients occupy a thread until their timeout, and probes
     * must find a free one.
     */
    private static final int MAX_THREADS = 128;

    private static final int BACKLOG = 64;

    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(1);

    /** The limits of the JDK's server, in seconds and numbers. System properties of the command line take precedence. */
    private static final Map<String, String> LIMITS = Map.of(
            "sun.net.httpserver.maxReqTime", "5",
            "sun.net.httpserver.maxRspTime", "30",
            "sun.net.httpserver.idleInterval", "30",
            "sun.net.httpserver.maxIdleConnections", "32",
            "jdk.httpserver.maxConnections", "128");

    private static final String TEXT = "text/plain; charset=utf-8";

    /** Matches a numeric bucket bound. Quotes inside other labels are escaped, so they cannot match. */
    private static final Pattern BOUND = Pattern.compile("\\ble=\"([0-9.E+-]+)\"");

    private final ScrapeClock clock = new ScrapeClock();
    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT, new PrometheusRegistry(), clock);
    private final ClusterMeters cluster = new ClusterMeters(registry);
    private final JvmGcMetrics collections = new JvmGcMetrics();
    private final HttpServer server;
    private final ExecutorService threads;
    private final Binder binder;
    private final ScheduledExecutorService timer;
    private final ServerHealth health = new ServerHealth();
    private @Nullable RequestMeters requests;
    private @Nullable ForwardingMeters forwarding;
    private volatile Optional<Supplier<List<String>>> required = Optional.empty();
    private volatile Supplier<List<String>> failures = List::of;
    private volatile boolean servesZones;
    private @Nullable HealthFiles files;

    /** The bound address; null while the server waits for it. */
    private volatile @Nullable InetSocketAddress bound;

    // Guarded by this.
    private boolean isClosed;
    private String reported = "";

    /** Binds the HTTP server to an address. */
    @FunctionalInterface
    interface Binder {
        void bind(HttpServer server, InetSocketAddress address) throws IOException;
    }

    private MetricsServer(HttpServer server, Binder binder, ScheduledExecutorService timer) {
        this.server = server;
        this.binder = binder;
        this.timer = timer;
        // No queue: connections without a free thread are closed.
        this.threads = new ThreadPoolExecutor(0, MAX_THREADS, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
            Thread one = new Thread(task, "k8sdns-http");
            one.setDaemon(true);
            return one;
        });
        server.setExecutor(threads);
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
     * Starts the server. {@code /ready} is 503 until the zones are ready.
     *
     * @param address the address to listen on; port 0 for a free port
     * @throws IOException if the address cannot be bound; the message contains it
     */
    static MetricsServer start(InetSocketAddress address) throws IOException {
        MetricsServer server = create();
        try {
            server.listen(address);
            return server;
        } catch (IOException | RuntimeException failed) {
            server.close();
            throw failed;
        }
    }

    /**
     * Returns a server that does not listen before {@link #listenWhenPossible}.
     *
     * @throws IOException if no file descriptor is available
     */
    static MetricsServer create() throws IOException {
        return create((server, address) -> server.bind(address, BACKLOG), TimerThreads.start("k8sdns-bind-metrics"));
    }

    /**
     * Returns a server that does not listen yet.
     *
     * @param timer runs the attempts to bind; the server shuts it down
     */
    static MetricsServer create(Binder binder, ScheduledExecutorService timer) throws IOException {
        LIMITS.forEach((name, value) -> {
            if (System.getProperty(name) == null) {
                System.setProperty(name, value);
            }
        });
        return new MetricsServer(HttpServer.create(), binder, timer);
    }

    /**
     * Starts to listen. An address that does not exist yet, like the addresses of {@link DnsListeners}, or is in use, as by the
     * previous version during an upgrade, is tried again every second.
     *
     * @param address the address; port 0 for a free port
     * @param observer receives the events of the address
     * @throws IOException if the address cannot be bound for another reason; the message contains it
     */
    synchronized void listenWhenPossible(InetSocketAddress address, ListenersObserver observer) throws IOException {
        try {
            listen(address);
        } catch (IOException failed) {
            if (DnsListeners.doesNotExist(failed)) {
                observer.waiting(address, failed);
            } else if (isInUse(failed)) {
                reported = String.valueOf(failed.getMessage());
                observer.failed(address, failed);
            } else {
                throw failed;
            }
            var unused = timer.scheduleWithFixedDelay(
                    () -> listenAgain(address, observer),
                    BETWEEN_TRIES.toMillis(),
                    BETWEEN_TRIES.toMillis(),
                    TimeUnit.MILLISECONDS);
            return;
        }
        observer.listening(address());
    }

    /** Returns whether an address could not be bound because another program has it, by the message of the system. */
    private static boolean isInUse(IOException failed) {
        return String.valueOf(failed.getMessage()).toLowerCase(Locale.ROOT).contains("in use");
    }

    private synchronized void listenAgain(InetSocketAddress address, ListenersObserver observer) {
        if (isClosed || bound != null) {
            return;
        }
        try {
            listen(address);
        } catch (IOException failed) {
            String why = String.valueOf(failed.getMessage());
            if (!DnsListeners.doesNotExist(failed) && !why.equals(reported)) {
                reported = why;
                observer.failed(address, failed);
            }
            return;
        }
        timer.shutdown();
        observer.listening(address());
    }

    private synchronized void listen(InetSocketAddress address) throws IOException {
        try {
            bind(address);
        } catch (IOException failed) {
            throw new IOException(
                    "--metrics: cannot listen on " + HostAndPort.text(address) + ": " + failed.getMessage(), failed);
        }
        server.start();
        bound = server.getAddress();
    }

    /** Binds the address. {@code [::]} means all addresses, which are those of IPv4 on a host without IPv6. */
    private void bind(InetSocketAddress address) throws IOException {
        try {
            binder.bind(server, address);
        } catch (IOException failed) {
            if (!address.getAddress().isAnyLocalAddress() || !isWithoutIpv6(failed)) {
                throw failed;
            }
            binder.bind(server, new InetSocketAddress(address.getPort()));
        }
    }

    /** Returns whether an address could not be bound because the host has no IPv6, by the message of the JDK. */
    private static boolean isWithoutIpv6(IOException failed) {
        return "Unsupported address type".equals(failed.getMessage());
    }

    /**
     * Keeps the files {@code alive}, {@code health} and {@code ready} in a directory, also if the server does not listen.
     *
     * @param notes receives failures
     * @throws IOException if the directory does not exist, or cannot be written to
     */
    synchronized void keepFiles(Path directory, Consumer<String> notes) throws IOException {
        files = HealthFiles.keep(
                directory,
                () -> failures.get().isEmpty(),
                () -> missing().isEmpty(),
                TimerThreads.start("k8sdns-health"),
                notes);
    }

    /** Returns the bound address. Called only after it was bound. */
    InetSocketAddress address() {
        return Objects.requireNonNull(bound, "the address is not bound");
    }

    @Override
    public Optional<ResponseObserver> responses() {
        return Optional.of(requests());
    }

    private synchronized RequestMeters requests() {
        if (requests == null) {
            requests = new RequestMeters(registry);
        }
        return requests;
    }

    @Override
    public synchronized void countsZones(List<DnsLabels> zones) {
        if (requests == null) {
            requests = new RequestMeters(registry, zones);
        } else {
            requests.replaceZones(zones);
        }
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
    public void updates(ExternalSync zone) {
        // The same clock as of the sync.
        new ExternalZoneMeters(zone, System::nanoTime).bindTo(registry);
    }

    @Override
    public void receiveBufferDrops(Supplier<OptionalLong> drops) {
        if (drops.get().isPresent()) {
            requests().receiveBufferDrops(() -> drops.get().orElse(0));
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

    /**
     * Sets the condition of {@code /health}; without one, a process that answers is healthy.
     *
     * @param reasons returns the reasons why the process does not serve, one line each; empty if it does. Called by the threads
     *     of the HTTP server
     */
    void isHealthyWithout(Supplier<List<String>> reasons) {
        failures = reasons;
    }

    @Override
    public void markStopping() {
        health.markStopping();
        files().ifPresent(HealthFiles::update);
    }

    @Override
    public void markStopped() {
        files().ifPresent(HealthFiles::close);
    }

    private synchronized Optional<HealthFiles> files() {
        return Optional.ofNullable(files);
    }

    /** Stops the server, or stops waiting for its address. Idempotent. */
    @Override
    public void close() {
        synchronized (this) {
            isClosed = true;
            timer.shutdownNow();
            if (files != null) {
                files.close();
            }
        }
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
                    clock.update();
                    send(exchange, 200, "text/plain; version=0.0.4; charset=utf-8", plainBounds(registry.scrape()));
                }
                case "/health" -> sendState(exchange, failures.get(), "alive\n", "not serving\n");
                case "/ready" -> sendState(exchange, missing(), ready(), "not ready\n");
                default -> send(exchange, 404, TEXT, "there are /metrics, /health and /ready\n");
            }
        }
    }

    /**
     * Returns the page with bucket bounds in the format of CoreDNS, {@code 0.00025} and {@code 16000}, instead of {@code 2.5E-4}
     * and {@code 16000.0}, because dashboards select them as text.
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
                .map(since -> "ready; not everything could be watched since " + since + "\n")
                .orElse("ready\n");
    }

    /**
     * A clock whose wall time changes only at a scrape. Meters read the wall time six times per DNS answer, only to expire the
     * gauges of maxima, which would be more than half of the cost of metrics.
     */
    private static final class ScrapeClock implements Clock {
        private volatile long wallMillis = System.currentTimeMillis();

        void update() {
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

    private static void sendState(HttpExchange exchange, List<String> reasons, String good, String bad)
            throws IOException {
        if (reasons.isEmpty()) {
            send(exchange, 200, TEXT, good);
        } else {
            send(exchange, 503, TEXT, bad + String.join("\n", reasons) + "\n");
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
