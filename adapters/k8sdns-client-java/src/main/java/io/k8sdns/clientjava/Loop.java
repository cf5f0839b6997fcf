package io.k8sdns.clientjava;

import io.k8sdns.timers.DelayedTask;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The thread that handles all responses of an API server. Runs a callback whenever its queue is empty, so that everything
 * handled until then is published as one batch.
 */
final class Loop implements Timers, Executor {
    /** The maximum number of tasks of reader threads in the queue. When it is reached, nothing more is read from the server. */
    private static final int MAX_WAITING = 1_000;

    private final ScheduledThreadPoolExecutor executor;
    private final AtomicInteger waiting = new AtomicInteger();
    private final Semaphore room = new Semaphore(MAX_WAITING);
    private final Runnable idle;
    private long submittedAt;
    private volatile @Nullable Thread thread;

    /**
     * Starts the thread.
     *
     * @param idle runs on the thread whenever the queue is empty
     */
    Loop(String name, Runnable idle) {
        this.idle = idle;
        this.executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread made = new Thread(task, name);
            made.setDaemon(true);
            thread = made;
            return made;
        });
        executor.setRemoveOnCancelPolicy(true);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Runs a task after those in the queue; ignores it once the loop has ended. */
    @Override
    public void execute(Runnable task) {
        waiting.incrementAndGet();
        long now = System.nanoTime();
        try {
            executor.execute(() -> run(task, now));
        } catch (RejectedExecutionException ended) {
            waiting.decrementAndGet();
        }
    }

    /**
     * Runs a task after those in the queue, as {@link #execute} does, but blocks first while the queue is full; for threads that
     * read a response, which may be endless.
     *
     * @throws InterruptedException if the thread is interrupted because it must end
     */
    void executeInTurn(Runnable task) throws InterruptedException {
        room.acquire();
        execute(() -> {
            room.release();
            task.run();
        });
    }

    private void runNow(Runnable task) {
        waiting.incrementAndGet();
        run(task, System.nanoTime());
    }

    /** Returns when the running task was submitted, in {@link System#nanoTime()}; to be called by that task. */
    long submittedAt() {
        return submittedAt;
    }

    private void run(Runnable task, long since) {
        submittedAt = since;
        try {
            task.run();
        } finally {
            if (waiting.decrementAndGet() == 0) {
                idle.run();
            }
        }
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Timer after(Duration time, Runnable task) {
        // Runs directly and not through the queue, so that a task does not run after it was cancelled.
        return DelayedTask.schedule(executor, time, () -> runNow(task))::cancel;
    }

    /** Ends the thread after a last task, and waits for it at most this long, unless the caller is that thread. */
    void end(Runnable last, Duration timeout) throws InterruptedException {
        execute(() -> {
            last.run();
            executor.shutdownNow();
        });
        if (Thread.currentThread() != thread) {
            boolean unused = executor.awaitTermination(timeout.toNanos(), TimeUnit.NANOSECONDS);
        }
    }
}
