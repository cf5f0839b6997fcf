package io.k8sdns.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Shows on a terminal that work takes longer than two seconds: one line with the seconds, which is erased at the end. Elsewhere, and
 * with messages as JSON or only from level warn on, it prints nothing and starts no thread.
 */
final class Progress implements AutoCloseable {
    private static final Duration DELAY = Duration.ofSeconds(2);

    /** Returns to the start of the line, and erases the line. */
    private static final String ERASE = "\r\u001B[K";

    private final String work;
    private final PrintStream terminal;
    private final @Nullable ScheduledExecutorService timer;
    private final long started = System.nanoTime();
    private boolean isShown;
    private boolean isClosed;

    private Progress(String work, PrintStream terminal, @Nullable ScheduledExecutorService timer) {
        this.work = work;
        this.terminal = terminal;
        this.timer = timer;
    }

    /** Work that may read files or the network. */
    @FunctionalInterface
    interface Work<T> {
        /** Does the work. */
        T done() throws IOException;
    }

    /**
     * Does work, and shows on a terminal that it takes long.
     *
     * @param messages the messages of the command
     */
    static <T> T during(String work, PrintWriter messages, Work<T> body) throws IOException {
        Progress progress = start(work, messages);
        try {
            return body.done();
        } finally {
            progress.close();
        }
    }

    /**
     * Starts to show work on stderr if that is a terminal, until {@link #close}.
     *
     * @param messages the messages of the command
     */
    static Progress start(String work, PrintWriter messages) {
        return isShown(messages, Terminal.isStderr())
                ? start(work, System.err, DELAY)
                : new Progress(work, System.err, null);
    }

    /** Returns whether progress is shown: on a terminal, and where notes are printed as text. */
    static boolean isShown(PrintWriter messages, boolean isTerminal) {
        return isTerminal && PrintableWriter.to(messages).printsNotesAsText();
    }

    /** Starts to show work on a terminal after a delay. */
    static Progress start(String work, PrintStream terminal, Duration delay) {
        ScheduledExecutorService timer = TimerThreads.start("k8sdns-progress");
        Progress progress = new Progress(work, terminal, timer);
        var unused = timer.scheduleAtFixedRate(
                progress::show, delay.toMillis(), TimeUnit.SECONDS.toMillis(1), TimeUnit.MILLISECONDS);
        return progress;
    }

    private synchronized void show() {
        if (!isClosed) {
            isShown = true;
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - started);
            terminal.print(ERASE + "k8sdns: " + work + " ... " + seconds + " s");
            terminal.flush();
        }
    }

    /** Erases the line. */
    @Override
    public synchronized void close() {
        if (timer != null) {
            timer.shutdownNow();
        }
        isClosed = true;
        if (isShown) {
            isShown = false;
            terminal.print(ERASE);
            terminal.flush();
        }
    }
}
