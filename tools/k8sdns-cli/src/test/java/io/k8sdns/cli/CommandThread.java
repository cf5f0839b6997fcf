package io.k8sdns.cli;

import java.io.PrintWriter;
import java.io.Writer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs a server command of {@code k8sdns} in a thread of this process. */
final class CommandThread implements AutoCloseable {
    private static final Pattern LISTENING = Pattern.compile("listening on (\\S+) \\(udp, tcp\\)");
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final BlockingQueue<String> printed = new LinkedBlockingQueue<>();
    private final Text err = new Text();
    private final Thread thread;
    private volatile int code = -1;

    /** Starts a command. */
    CommandThread(String command, List<String> arguments) {
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

    /** Waits for the next printed address of the server. */
    HostAndPort nextAddress() throws InterruptedException {
        String line = printed.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
        Matcher listening = LISTENING.matcher(String.valueOf(line));
        if (!listening.matches()) {
            throw new AssertionError("printed " + line + ", and on stderr: " + err);
        }
        return HostAndPort.parse(listening.group(1));
    }

    /** Returns what was printed to stderr so far. */
    String err() {
        return err.toString();
    }

    /** Waits until a text was printed to stderr. */
    void awaitErr(String text) throws InterruptedException {
        err.await(text);
    }

    /** Waits for the end, and returns the exit code. */
    int await() throws InterruptedException {
        thread.join();
        return code;
    }

    /** Stops the command like a signal, and returns its exit code. */
    int stop() throws InterruptedException {
        thread.interrupt();
        return await();
    }

    @Override
    public void close() {
        try {
            int unused = stop();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** A writer that keeps everything. */
    private static final class Text extends Writer {
        private final StringBuilder text = new StringBuilder();

        @Override
        public synchronized void write(char[] characters, int from, int length) {
            text.append(characters, from, length);
            notifyAll();
        }

        synchronized void await(String part) throws InterruptedException {
            long end = System.nanoTime() + LIMIT.toNanos();
            while (text.indexOf(part) < 0) {
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (left <= 0) {
                    throw new AssertionError("no '" + part + "' on stderr: " + text);
                }
                wait(left);
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}

        @Override
        public synchronized String toString() {
            return text.toString();
        }
    }

    /** A writer that queues the flushed lines. */
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
