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

/** {@code k8sdns serve} in a thread of this process, at a free port of 127.0.0.1. */
final class RunningServer implements AutoCloseable {
    private final BlockingQueue<String> printed = new LinkedBlockingQueue<>();
    private final StringWriter err = new StringWriter();
    private final Thread thread;
    private final HostAndPort address;
    private volatile int code = -1;

    private RunningServer(List<String> arguments) throws InterruptedException {
        List<String> all = new ArrayList<>(List.of("serve"));
        all.addAll(arguments);
        thread = new Thread(
                () -> {
                    code = Main.commandLine()
                            .setOut(new PrintWriter(new Lines(printed)))
                            .setErr(new PrintWriter(err, true))
                            .execute(all.toArray(String[]::new));
                    printed.add("ended with " + code);
                },
                "serve-in-test");
        thread.start();
        address = HostAndPort.parse(nextAddress());
    }

    /** Starts a server; returns when it answers. */
    static RunningServer with(String... arguments) throws InterruptedException {
        return new RunningServer(List.of(arguments));
    }

    /** Starts a server with these options at a free port; returns when it answers. */
    static RunningServer atFreePort(List<String> options, String... rest) throws InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("--listen", "127.0.0.1:0"));
        arguments.addAll(options);
        arguments.addAll(List.of(rest));
        return new RunningServer(arguments);
    }

    /** Returns the address of the next line that says where the server listens. */
    String nextAddress() throws InterruptedException {
        String line = printed.poll(2, TimeUnit.MINUTES);
        if (line == null || !line.matches("listening on \\S+ \\(udp, tcp\\)")) {
            throw new AssertionError("printed " + line + ", and on stderr: " + err);
        }
        return line.split(" ", 4)[2];
    }

    /** Returns the address that was printed first. */
    String address() {
        return address.toString();
    }

    /** Returns what went to stderr so far. */
    String err() {
        return err.toString();
    }

    /** Returns somebody who asks the server at the address that was printed first. */
    Asker asker() throws IOException {
        return new Asker(address.address());
    }

    /** Waits until the server has ended by itself, and returns its exit code. */
    int awaitEnd() throws InterruptedException {
        thread.join();
        return code;
    }

    /** Ends the server as a signal does, and returns its exit code. */
    int stop() throws InterruptedException {
        thread.interrupt();
        thread.join();
        return code;
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
