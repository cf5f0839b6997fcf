package io.k8sdns.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An API server of two Services that never change, over plain HTTP; who has the wrong token is sent away. */
final class StubApi implements AutoCloseable {
    private static final Map<String, String> ITEMS =
            Map.of("namespaces", """
            {"metadata": {"name": "shop", "uid": "n1", "resourceVersion": "1"}}""", "services", """
            {"metadata": {"name": "cart", "namespace": "shop", "uid": "s1", "resourceVersion": "2"},
             "spec": {"clusterIP": "10.96.0.20", "ports": [{"name": "http", "port": 80}]}},
            {"metadata": {"name": "db", "namespace": "shop", "uid": "s2", "resourceVersion": "3"},
             "spec": {"clusterIP": "None"}}""", "endpointslices", """
            {"metadata": {"name": "db-1", "namespace": "shop", "uid": "e1", "resourceVersion": "4",
                          "labels": {"kubernetes.io/service-name": "db"}},
             "addressType": "IPv4", "endpoints": [{"addresses": ["10.244.0.9"]}]}""", "pods", """
            {"metadata": {"name": "db-0", "namespace": "shop", "uid": "p1", "resourceVersion": "5"},
             "status": {"phase": "Running", "podIPs": [{"ip": "10.244.0.9"}]}}""");

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch over = new CountDownLatch(1);
    private final CountDownLatch open;
    private final Queue<String> tokens = new ConcurrentLinkedQueue<>();
    private volatile String token = "secret";

    /** Starts to answer. */
    static StubApi answering() throws IOException {
        return new StubApi(new CountDownLatch(0));
    }

    /** Starts, and leaves every request waiting until it is opened. */
    static StubApi waiting() throws IOException {
        return new StubApi(new CountDownLatch(1));
    }

    private StubApi(CountDownLatch open) throws IOException {
        this.open = open;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    void open() {
        open.countDown();
    }

    /** Takes another token from now on. */
    void token(String value) {
        token = value;
    }

    /** Returns the tokens that were shown. */
    Queue<String> tokens() {
        return tokens;
    }

    /** Writes a kubeconfig whose current context leads here with these credentials, and whose other one nowhere. */
    Path kubeconfig(Path folder, String user) throws IOException {
        return Files.writeString(folder.resolve("config"), """
                apiVersion: v1
                kind: Config
                current-context: here
                contexts:
                - {name: here, context: {cluster: here, user: me}}
                - {name: nowhere, context: {cluster: nowhere, user: me}}
                clusters:
                - {name: here, cluster: {server: "%s"}}
                - {name: nowhere, cluster: {server: "http://127.0.0.1:1"}}
                users:
                - {name: me, user: %s}
                """.formatted(url(), user));
    }

    private void answer(HttpExchange exchange) throws IOException {
        String shown = String.valueOf(exchange.getRequestHeaders().getFirst("Authorization"));
        tokens.add(shown);
        try {
            open.await();
            if (!shown.equals("Bearer " + token)) {
                send(exchange, 401, "{\"kind\": \"Status\", \"code\": 401, \"reason\": \"Unauthorized\"}");
            } else if (String.valueOf(exchange.getRequestURI().getQuery()).contains("watch=true")) {
                exchange.sendResponseHeaders(200, 0);
                exchange.getResponseBody().flush();
                over.await();
            } else {
                String path = exchange.getRequestURI().getPath();
                String items = ITEMS.getOrDefault(path.substring(path.lastIndexOf('/') + 1), "");
                send(exchange, 200, """
                        {"kind": "SomeList", "metadata": {"resourceVersion": "9"}, "items": [%s]}""".formatted(items));
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        } finally {
            exchange.close();
        }
    }

    private static void send(HttpExchange exchange, int status, String body) throws IOException {
        byte[] octets = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, octets.length);
        exchange.getResponseBody().write(octets);
    }

    @Override
    public void close() {
        over.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
