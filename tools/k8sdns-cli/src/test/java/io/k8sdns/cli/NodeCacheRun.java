package io.k8sdns.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server command, {@code k8sdns node-cache} unless said otherwise, in a thread of this process. */
final class NodeCacheRun implements AutoCloseable {
    private static final Pattern LISTENING = Pattern.compile("listening on (\\S+) \\(udp, tcp\\)");
    private static final Pattern METRICS = Pattern.compile("metrics: http://(\\S+)/metrics");

    private final BlockingQueue<String> printed = new LinkedBlockingQueue<>();
    private final StringWriter err = new StringWriter();
    private final Thread thread;
    private volatile int code = -1;

    private NodeCacheRun(String command, List<String> arguments) {
        List<String> all = new ArrayList<>(List.of(command));
        all.addAll(arguments);
        thread = new Thread(
                () -> {
                    code = Main.commandLine()
                            .setOut(new PrintWriter(new Lines(printed)))
                            .setErr(new PrintWriter(err, true))
                            .execute(all.toArray(String[]::new));
                    printed.add("ended with " + code);
                },
                command + "-in-test");
        thread.start();
    }

    /** Starts another server command with these options. */
    static NodeCacheRun ofCommand(String command, String... arguments) {
        return new NodeCacheRun(command, List.of(arguments));
    }

    /** Starts a cache with these options. */
    static NodeCacheRun with(String... arguments) {
        return new NodeCacheRun("node-cache", List.of(arguments));
    }

    /** Starts a cache with these options at a free port of 127.0.0.1. */
    static NodeCacheRun atFreePort(String... arguments) {
        List<String> all = new ArrayList<>(List.of("--listen", "127.0.0.1:0"));
        all.addAll(List.of(arguments));
        return new NodeCacheRun("node-cache", all);
    }

    /** Waits for the next address that the cache answers at. */
    HostAndPort nextAddress() throws InterruptedException {
        String line = printed.poll(2, TimeUnit.MINUTES);
        Matcher listening = LISTENING.matcher(String.valueOf(line));
        if (!listening.matches()) {
            throw new AssertionError("printed " + line + ", and on stderr: " + err);
        }
        return HostAndPort.parse(listening.group(1));
    }

    /** Returns a client of the next address that the cache answers at. */
    Asker asker() throws IOException, InterruptedException {
        return new Asker(nextAddress().address());
    }

    /** Returns where the metrics are; after an address was printed. */
    HostAndPort metrics() {
        Matcher metrics = METRICS.matcher(err.toString());
        if (!metrics.find()) {
            throw new AssertionError("no metrics: " + err);
        }
        return HostAndPort.parse(metrics.group(1));
    }

    /** Returns what was printed to stderr so far. */
    String err() {
        return err.toString();
    }

    /** Waits until the cache has printed a text to stderr. */
    void awaitErr(String text) {
        while (!err.toString().contains(text)) {
            Thread.onSpinWait();
        }
    }

    /** Waits for the end, and returns the exit code. */
    int await() throws InterruptedException {
        thread.join();
        return code;
    }

    /** Ends the cache as a signal does, and returns its exit code. */
    int stop() throws InterruptedException {
        thread.interrupt();
        return await();
    }

    @Override
    public void close() {
        try {
            stop();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Hands over what is flushed, line by line. */
    private static final class Lines extends Writer {
        private final BlockingQueue<String> lines;
        private final StringBuilder pending = new StringBuilder();

        Lines(BlockingQueue<String> lines) {
            this.lines = lines;
        }

        @Override
        public void write(char[] text, int from, int length) {
            pending.append(text, from, length);
        }

        @Override
        public void flush() {
            pending.toString().lines().forEach(lines::add);
            pending.setLength(0);
        }

        @Override
        public void close() {
            flush();
        }
    }
}
