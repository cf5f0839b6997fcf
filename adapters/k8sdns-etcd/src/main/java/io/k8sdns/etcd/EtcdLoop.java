package io.k8sdns.etcd;

import io.k8sdns.timers.DelayedTask;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The event loop of a store: one thread, {@code k8sdns-etcd}, that runs its state machines and their timers. */
final class EtcdLoop implements EtcdTimers, Executor {
    private final ScheduledThreadPoolExecutor executor;
    private final Consumer<Throwable> failures;
    private volatile @Nullable Thread thread;

    /**
     * Creates a loop, whose thread starts with the first task.
     *
     * @param failures receives exceptions of tasks
     */
    EtcdLoop(Consumer<Throwable> failures) {
        this.failures = failures;
        this.executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread created = new Thread(task, "k8sdns-etcd");
            created.setDaemon(true);
            thread = created;
            return created;
        });
        executor.setRemoveOnCancelPolicy(true);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    private void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error failure) {
            failures.accept(failure);
        }
    }

    /** Runs a task after earlier ones; drops it if the loop has ended. */
    @Override
    public void execute(Runnable task) {
        boolean unused = tryExecute(task);
    }

    /** Runs a task after earlier ones; returns false if the loop has ended. */
    boolean tryExecute(Runnable task) {
        try {
            executor.execute(() -> run(task));
            return true;
        } catch (RejectedExecutionException over) {
            return false;
        }
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Timer after(Duration time, Runnable task) {
        return DelayedTask.schedule(executor, time, () -> run(task))::cancel;
    }

    /** Ends the thread after a last task, without running waiting tasks. Waits for the end, unless called on that thread. */
    void end(Runnable last, Duration patience) {
        boolean unused = tryExecute(() -> {
            try {
                last.run();
            } finally {
                executor.shutdownNow();
            }
        });
        if (Thread.currentThread() != thread) {
            try {
                executor.awaitTermination(patience.toNanos(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
