package io.k8sdns.resolver;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** A scheduler whose time advances only in {@link #pass}. Single-threaded. */
public final class VirtualScheduler extends AbstractExecutorService implements ScheduledExecutorService {
    private final List<Task> tasks = new ArrayList<>();
    private long now;
    private boolean shutDown;

    /** Creates a scheduler at time zero. */
    public VirtualScheduler() {}

    /** Advances the time, and runs the tasks that are due. */
    public void pass(Duration time) {
        now += time.toNanos();
        for (Task task : List.copyOf(tasks)) {
            if (task.at <= now) {
                tasks.remove(task);
                task.run();
            }
        }
    }

    /** Returns the number of scheduled tasks. */
    public int waiting() {
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
