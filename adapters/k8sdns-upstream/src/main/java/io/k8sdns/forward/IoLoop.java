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
 * One thread for all sockets and timers of a forwarder. Everything but {@link #execute} and {@link #close} belongs to that
 * thread.
 */
final class IoLoop implements Runnable, AutoCloseable {
    private final Selector selector;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean isWoken = new AtomicBoolean();
    private final TreeSet<Timer> timers = new TreeSet<>();
    private final Consumer<Throwable> failures;
    private long scheduled;
    private volatile boolean closed;

    /** Takes what a channel is ready for. */
    interface Handler {
        void ready(SelectionKey key) throws IOException;

        /** The channel has failed. */
        void failed(IOException failure);
    }

    /**
     * Makes a loop that a thread is to run.
     *
     * @param failures takes what a task throws; the loop goes on
     */
    IoLoop(Consumer<Throwable> failures) throws IOException {
        this.selector = Selector.open();
        this.failures = failures;
    }

    /** Runs a task on the loop's thread, after those that were given before; returns false if the loop is closed. */
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

    /** Runs a task after a time; a timer that is cancelled does nothing. */
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
            due.forEach(this::guarded);
            due.clear();
            long now = System.nanoTime();
            while (!timers.isEmpty() && timers.first().at - now <= 0) {
                guarded(timers.pollFirst().task);
            }
        }
        tasks.forEach(this::guarded);
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
            guarded(() -> handler.failed(failed));
        } catch (RuntimeException | Error broken) {
            failures.accept(broken);
            guarded(() -> handler.failed(new IOException(broken)));
        }
    }

    private void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error broken) {
            failures.accept(broken);
        }
    }

    /** Ends the loop; tasks that were given before are run. */
    @Override
    public void close() {
        closed = true;
        selector.wakeup();
    }

    /** Frees the selector; for the thread that ran the loop. */
    void release() throws IOException {
        selector.close();
    }

    /** A task for later. A timer that is cancelled is gone: most are, long before their time. */
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
