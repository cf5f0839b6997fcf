package io.k8sdns.forward;

import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The event loop of a forwarder: one thread for all its sockets and timers. Only that thread may call methods other than {@link
 * #execute} and {@link #close}.
 */
final class IoLoop implements Runnable, AutoCloseable {
    private final Selector selector;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean isWoken = new AtomicBoolean();
    private final TreeSet<Timer> timers = new TreeSet<>();
    private final Consumer<Throwable> failures;
    private long scheduled;
    private volatile boolean closed;

    /** Handles the events of a channel. */
    interface Handler {
        void ready(SelectionKey key) throws IOException;

        /** Handles a failure of the channel. */
        void failed(IOException failure);
    }

    /**
     * Creates a loop that a thread must run.
     *
     * @param failures receives exceptions of tasks; the loop continues
     */
    IoLoop(Consumer<Throwable> failures) throws IOException {
        this.selector = Selector.open();
        this.failures = failures;
    }

    /** Runs a task on the loop's thread, after earlier tasks; returns false if the loop is closed. */
    boolean execute(Runnable task) {
        tasks.add(task);
        if (isWoken.compareAndSet(false, true)) {
            selector.wakeup();
        }
        return !closed;
    }

    /** Registers a channel, which becomes non-blocking. */
    SelectionKey register(SelectableChannel channel, int operations, Handler handler) throws IOException {
        channel.configureBlocking(false);
        return channel.register(selector, operations, handler);
    }

    /** Runs a task after a delay, unless its timer is cancelled. */
    Timer schedule(long nanos, Runnable task) {
        Timer timer = new Timer(System.nanoTime() + nanos, scheduled++, task);
        timers.add(timer);
        return timer;
    }

    @Override
    public void run() {
        List<Runnable> due = new ArrayList<>();
        while (!closed) {
            try {
                select();
            } catch (IOException | ClosedSelectorException ended) {
                failures.accept(ended);
                return;
            }
            isWoken.set(false);
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                due.add(task);
            }
            due.forEach(this::runSafely);
            due.clear();
            long now = System.nanoTime();
            while (!timers.isEmpty() && timers.first().at - now <= 0) {
                runSafely(timers.pollFirst().task);
            }
        }
        tasks.forEach(this::runSafely);
        tasks.clear();
    }

    private void select() throws IOException {
        if (!tasks.isEmpty()) {
            selector.selectNow(this::handle);
        } else if (timers.isEmpty()) {
            selector.select(this::handle);
        } else {
            long nanos = timers.first().at - System.nanoTime();
            if (nanos <= 0) {
                selector.selectNow(this::handle);
            } else {
                selector.select(this::handle, TimeUnit.NANOSECONDS.toMillis(nanos) + 1);
            }
        }
    }

    private void handle(SelectionKey key) {
        Handler handler = (Handler) key.attachment();
        try {
            if (key.isValid()) {
                handler.ready(key);
            }
        } catch (IOException failed) {
            runSafely(() -> handler.failed(failed));
        } catch (RuntimeException | Error broken) {
            failures.accept(broken);
            runSafely(() -> handler.failed(new IOException(broken)));
        }
    }

    private void runSafely(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error broken) {
            failures.accept(broken);
        }
    }

    /** Ends the loop after running the earlier tasks. */
    @Override
    public void close() {
        closed = true;
        selector.wakeup();
    }

    /** Closes the selector; called by the thread that ran the loop. */
    void release() throws IOException {
        selector.close();
    }

    /** A scheduled task. Cancelling removes it immediately, because most timers are cancelled long before they are due. */
    final class Timer implements Comparable<Timer> {
        private final long at;
        private final long number;
        private final Runnable task;

        private Timer(long at, long number, Runnable task) {
            this.at = at;
            this.number = number;
            this.task = task;
        }

        void cancel() {
            timers.remove(this);
        }

        @Override
        public int compareTo(Timer other) {
            return at == other.at ? Long.compare(number, other.number) : Long.compare(at - other.at, 0);
        }
    }
}
