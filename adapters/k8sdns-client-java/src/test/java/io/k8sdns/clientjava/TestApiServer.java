package io.k8sdns.clientjava;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;

/** An API server over HTTP: lists in pages, watches, and whatever fault the test asks for next. */
final class TestApiServer implements AutoCloseable {
    private static final int MOST_A_PAGE = 3;
    private static final String END = "";

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Map<String, TreeMap<String, String>> objects = new HashMap<>();
    private final Map<String, List<BlockingQueue<String>>> watches = new HashMap<>();
    private final Map<String, String> faults = new HashMap<>();
    private final BlockingQueue<String> requests = new LinkedBlockingQueue<>();
    private long revision = 10;

    TestApiServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Returns the requests so far and to come. */
    BlockingQueue<String> requests() {
        return requests;
    }

    /**
     * Adds or changes an object.
     *
     * @param metadata its metadata but for the version, as JSON members
     * @param rest its other members
     */
    synchronized void put(String resource, String name, String metadata, String rest) {
        TreeMap<String, String> all = objects.computeIfAbsent(resource, any -> new TreeMap<>());
        String json = object(name, metadata, rest);
        String before = all.put(name, json);
        tell(resource, before == null ? "ADDED" : "MODIFIED", json);
    }

    private String object(String name, String metadata, String rest) {
        return "{\"metadata\": {\"name\": \"%s\", %s, \"resourceVersion\": \"%d\"}%s}"
                .formatted(name.substring(name.lastIndexOf('/') + 1), metadata, ++revision, rest);
    }

    synchronized void delete(String resource, String name, String metadata) {
        objects.computeIfAbsent(resource, any -> new TreeMap<>()).remove(name);
        tell(resource, "DELETED", object(name, metadata, ""));
    }

    /** Says something to whoever watches. */
    synchronized void tell(String resource, String type, String object) {
        String event = "{\"type\": \"" + type + "\", \"object\": " + object + "}\n";
        watches.getOrDefault(resource, List.of()).forEach(watch -> watch.add(event));
    }

    /** Ends all watches of a kind. */
    synchronized void endWatches(String resource) {
        watches.getOrDefault(resource, List.of()).forEach(watch -> watch.add(END));
    }

    /** Answers requests for a kind with this status and body, until it is taken back by the status 200. */
    synchronized void fail(String resource, int status, String body) {
        faults.put(resource, status + " " + body);
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        String query = String.valueOf(exchange.getRequestURI().getQuery());
        String resource = path.substring(path.lastIndexOf('/') + 1);
        String request = path + "?" + query;
        String fault;
        synchronized (this) {
            fault = faults.getOrDefault(resource, "200 ");
        }
        if (!query.contains("watch=true") || !fault.startsWith("200 ")) {
            requests.add(request);
        }
        if (!fault.startsWith("200 ")) {
            respond(exchange, Integer.parseInt(fault.substring(0, 3)), fault.substring(4));
        } else if (query.contains("watch=true")) {
            watch(exchange, resource, request);
        } else {
            respond(exchange, 200, fault.length() > 4 ? fault.substring(4) : list(resource, query));
        }
    }

    private static void respond(HttpExchange exchange, int status, String body) throws IOException {
        byte[] octets = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, octets.length == 0 ? -1 : octets.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(octets);
        }
    }

    private synchronized String list(String resource, String query) {
        List<String> all =
                new ArrayList<>(objects.getOrDefault(resource, new TreeMap<>()).values());
        int continued = query.indexOf("continue=");
        int from = continued < 0 ? 0 : Integer.parseInt(query.substring(continued + "continue=".length()));
        int to = Math.min(all.size(), from + MOST_A_PAGE);
        String more = to < all.size() ? ", \"continue\": \"" + to + "\"" : "";
        return String.format(
                Locale.ROOT,
                "{\"kind\": \"SomeList\", \"metadata\": {\"resourceVersion\": \"%d\"%s}, \"items\": [%s]}",
                revision,
                more,
                String.join(",", all.subList(from, to)));
    }

    private void watch(HttpExchange exchange, String resource, String request) throws IOException {
        BlockingQueue<String> events = new LinkedBlockingQueue<>();
        synchronized (this) {
            watches.computeIfAbsent(resource, any -> new ArrayList<>()).add(events);
        }
        // Whoever reads it can rely on being heard.
        requests.add(request);
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream out = exchange.getResponseBody()) {
            out.flush();
            for (String event = events.take(); !event.equals(END); event = events.take()) {
                out.write(event.getBytes(StandardCharsets.UTF_8));
                out.flush();
            }
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
        } finally {
            synchronized (this) {
                watches.getOrDefault(resource, List.of()).remove(events);
            }
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
