package io.k8sdns.etcd;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The one thread of a store, {@code k8sdns-etcd}: runs its state machines and their timers. */
final class EtcdLoop implements EtcdTimers, Executor {
    private final ScheduledThreadPoolExecutor executor;
    private final Consumer<Throwable> failures;
    private volatile @Nullable Thread thread;

    /**
     * Starts the thread when it is needed.
     *
     * @param failures receives what tasks throw
     */
    EtcdLoop(Consumer<Throwable> failures) {
        this.failures = failures;
        this.executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread made = new Thread(task, "k8sdns-etcd");
            made.setDaemon(true);
            thread = made;
            return made;
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

    /** Runs a task after those that wait; never, once the loop has ended. */
    @Override
    public void execute(Runnable task) {
        boolean unused = tryExecute(task);
    }

    /** Runs a task after those that wait; returns false if the loop has ended. */
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
        try {
            Future<?> future = executor.schedule(() -> run(task), time.toNanos(), TimeUnit.NANOSECONDS);
            return () -> {
                boolean unused = future.cancel(false);
            };
        } catch (RejectedExecutionException over) {
            return () -> {};
        }
    }

    /** Ends the thread with a last task. Waits for it, unless the caller is that thread; tasks that wait are not run. */
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
            } catch (InterruptedException hurried) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
