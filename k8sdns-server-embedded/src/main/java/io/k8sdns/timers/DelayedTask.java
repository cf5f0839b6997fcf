package io.k8sdns.timers;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A task that runs once after a delay. It does not run if its executor is shut down, which is not a failure: its owner is closed. */
public final class DelayedTask {
    /** Empty if the executor was shut down before. */
    private final Optional<Future<?>> future;

    private DelayedTask(Optional<Future<?>> future) {
        this.future = future;
    }

    /**
     * Schedules a task.
     *
     * @param executor runs the task
     * @param delay the time until the task runs
     * @param task the task
     */
    public static DelayedTask schedule(ScheduledExecutorService executor, Duration delay, Runnable task) {
        try {
            return new DelayedTask(Optional.of(executor.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS)));
        } catch (RejectedExecutionException shutDown) {
            return new DelayedTask(Optional.empty());
        }
    }

    /** Cancels the task; does nothing if it has started. */
    public void cancel() {
        future.ifPresent(task -> {
            boolean unused = task.cancel(false);
        });
    }
}
