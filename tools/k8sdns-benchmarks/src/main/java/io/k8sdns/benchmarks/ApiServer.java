package io.k8sdns.benchmarks;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;

/**
 * As much of an API server as CoreDNS needs: lists of a cluster that never changes, and watches that stay open, JSON over
 * plain HTTP on the loopback address. A real one sends protobuf, which is cheaper to read.
 *
 * <p>{@code ApiServer PORT SERVICES HEADLESS} serves the cluster of {@link SampleManifests} until it is ended.
 */
final class ApiServer implements AutoCloseable {
    private final SampleManifests cluster;
    private final HttpServer server;
    private final CountDownLatch closed = new CountDownLatch(1);

    /**
     * Begins to serve.
     *
     * @param port where, or 0 for a free one
     */
    ApiServer(SampleManifests cluster, int port) throws IOException {
        this.cluster = cluster;
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.setExecutor(Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "api-server");
            thread.setDaemon(true);
            return thread;
        }));
        for (SampleManifests.Kind kind : SampleManifests.Kind.values()) {
            server.createContext(path(kind), exchange -> serve(kind, exchange));
        }
        server.createContext(
                "/version",
                exchange -> send(exchange, "{\"major\": \"1\", \"minor\": \"33\", \"gitVersion\": \"v1.33.0\"}"));
        server.start();
    }

    /** Serves until the process is ended. */
    public static void main(String[] args) throws IOException, InterruptedException {
        try (ApiServer api = new ApiServer(
                new SampleManifests(Integer.parseInt(args[1]), Integer.parseInt(args[2])), Integer.parseInt(args[0]))) {
            System.out.println("listening on " + api.port());
            api.closed.await();
        }
    }

    int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
    }

    private static String path(SampleManifests.Kind kind) {
        return switch (kind) {
            case NAMESPACE -> "/api/v1/namespaces";
            case SERVICE -> "/api/v1/services";
            case ENDPOINT_SLICE -> "/apis/discovery.k8s.io/v1/endpointslices";
        };
    }

    private void serve(SampleManifests.Kind kind, HttpExchange exchange) throws IOException {
        String query = String.valueOf(exchange.getRequestURI().getQuery());
        if (query.contains("watch=true") || query.contains("watch=1")) {
            watch(kind, exchange, query.contains("sendInitialEvents=true"));
            return;
        }
        StringBuilder list = new StringBuilder("{\"apiVersion\": \"" + kind.apiVersion() + "\", \"kind\": \""
                + kind.word() + "List\", \"metadata\": {\"resourceVersion\": \"1\"}, \"items\": [");
        int empty = list.length();
        cluster.forEach(
                kind, object -> list.append(list.length() == empty ? "" : ",\n").append(object));
        send(exchange, list.append("]}").toString());
    }

    private static void send(HttpExchange exchange, String json) throws IOException {
        byte[] octets = json.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, octets.length);
        try (OutputStream body = exchange.getResponseBody()) {
            body.write(octets);
        }
    }

    /** A watch: what there is, if that is asked for, the mark after it, and nothing more until the end. */
    private void watch(SampleManifests.Kind kind, HttpExchange exchange, boolean initialEvents) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream body = exchange.getResponseBody()) {
            StringBuilder events = new StringBuilder();
            if (initialEvents) {
                cluster.forEach(
                        kind,
                        object -> events.append("{\"type\": \"ADDED\", \"object\": ")
                                .append(object)
                                .append("}\n"));
                events.append("{\"type\": \"BOOKMARK\", \"object\": {\"apiVersion\": \"" + kind.apiVersion()
                        + "\", \"kind\": \"" + kind.word() + "\", \"metadata\": {\"resourceVersion\": \"1\", "
                        + "\"annotations\": {\"k8s.io/initial-events-end\": \"true\"}}}}\n");
            }
            body.write(events.toString().getBytes(StandardCharsets.UTF_8));
            body.flush();
            closed.await();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }
}
