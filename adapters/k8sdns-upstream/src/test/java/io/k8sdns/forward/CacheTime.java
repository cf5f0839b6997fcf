package io.k8sdns.forward;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A virtual clock with a scheduler. Single-threaded. */
final class CacheTime extends AbstractExecutorService implements ScheduledExecutorService, LongSupplier {
    private final List<Task> tasks = new ArrayList<>();
    private long now;
    private boolean shutDown;

    /** Starts shortly before the clock overflows. */
    CacheTime() {
        this(Long.MAX_VALUE - Duration.ofHours(1).toNanos());
    }

    CacheTime(long start) {
        now = start;
    }

    @Override
    public long getAsLong() {
        return now;
    }

    /** Advances the time and runs the due tasks, each at its time. */
    void pass(Duration time) {
        long end = now + time.toNanos();
        for (Optional<Task> next = next(end); next.isPresent(); next = next(end)) {
            Task task = next.orElseThrow();
            tasks.remove(task);
            now = task.at;
            task.run();
        }
        now = end;
    }

    private Optional<Task> next(long end) {
        long from = now;
        return tasks.stream().filter(task -> task.at - end <= 0).min(Comparator.comparingLong(task -> task.at - from));
    }

    /** Returns the number of scheduled tasks. */
    int waiting() {
        return (int) tasks.stream().filter(task -> !task.isCancelled()).count();
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        if (shutDown) {
            throw new RejectedExecutionException("shut down");
        }
        Task task = new Task(command, now + unit.toNanos(delay));
        tasks.add(task);
        return task;
    }

    @Override
    public void shutdown() {
        shutDown = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isShutdown() {
        return shutDown;
    }

    @Override
    public boolean isTerminated() {
        return shutDown;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void execute(Runnable command) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initialDelay, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    private static final class Task extends FutureTask<Void> implements ScheduledFuture<Void> {
        private final long at;

        Task(Runnable command, long at) {
            super(command, null);
            this.at = at;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int compareTo(Delayed other) {
            throw new UnsupportedOperationException();
        }
    }
}
