package io.k8sdns.cli;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs {@code k8sdns node-cache} in a thread of this process. */
final class NodeCacheRun implements AutoCloseable {
    private static final Pattern METRICS = Pattern.compile("metrics: http://(\\S+)/metrics");

    private final CommandThread command;

    private NodeCacheRun(List<String> arguments) {
        command = new CommandThread("node-cache", arguments);
    }

    /** Starts a cache with these options. */
    static NodeCacheRun with(String... arguments) {
        return new NodeCacheRun(List.of(arguments));
    }

    /** Starts a cache with these options at a free port of 127.0.0.1. */
    static NodeCacheRun atFreePort(String... arguments) {
        List<String> all = new ArrayList<>(List.of("--listen", "127.0.0.1:0"));
        all.addAll(List.of(arguments));
        return new NodeCacheRun(all);
    }

    /** Waits for the next printed address of the cache. */
    HostAndPort nextAddress() throws InterruptedException {
        return command.nextAddress();
    }

    /** Returns a client of the next printed address of the cache. */
    TestClient client() throws IOException, InterruptedException {
        return new TestClient(nextAddress().address());
    }

    /** Returns the address of the metrics; must be called after an address was printed. */
    HostAndPort metrics() {
        Matcher metrics = METRICS.matcher(err());
        if (!metrics.find()) {
            throw new AssertionError("no metrics: " + err());
        }
        return HostAndPort.parse(metrics.group(1));
    }

    /** Returns the response of the address of the metrics; must be called after that address was printed. */
    HttpResponse<String> http(String path) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://" + metrics() + path)).build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    /** Returns what was printed to stderr so far. */
    String err() {
        return command.err();
    }

    /** Waits until the cache has printed a text to stderr. */
    void awaitErr(String text) throws InterruptedException {
        command.awaitErr(text);
    }

    /** Waits for the end, and returns the exit code. */
    int await() throws InterruptedException {
        return command.await();
    }

    /** Stops the cache like a signal, and returns its exit code. */
    int stop() throws InterruptedException {
        return command.stop();
    }

    @Override
    public void close() {
        command.close();
    }
}
