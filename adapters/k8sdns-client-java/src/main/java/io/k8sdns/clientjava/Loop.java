package io.k8sdns.clientjava;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The one thread on which everything that an API server says is taken in. When nothing more waits it says so: what was
 * taken in until then is one change.
 */
final class Loop implements Timers, Executor {
    /** More than is taken in at once is not read from the server. */
    private static final int MOST_WAITING = 1_000;

    private final ScheduledThreadPoolExecutor executor;
    private final AtomicInteger waiting = new AtomicInteger();
    private final Semaphore room = new Semaphore(MOST_WAITING);
    private final Runnable idle;
    private long givenAt;
    private volatile @Nullable Thread thread;

    /**
     * Starts the thread.
     *
     * @param idle run on the thread whenever nothing waits
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

    /** Runs a task after those that wait; never, once the loop has ended. */
    @Override
    public void execute(Runnable task) {
        waiting.incrementAndGet();
        long now = System.nanoTime();
        try {
            executor.execute(() -> run(task, now));
        } catch (RejectedExecutionException over) {
            waiting.decrementAndGet();
        }
    }

    /**
     * Runs a task after those that wait, as {@link #execute} does, but waits first while they are many; for threads that read
     * what may be without end.
     *
     * @throws InterruptedException if the thread is to end
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

    /** Returns when the task that runs was handed in; for that task itself. */
    long givenAt() {
        return givenAt;
    }

    private void run(Runnable task, long since) {
        givenAt = since;
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
        try {
            // On the thread itself, so that one which was cancelled does not run afterwards.
            Future<?> future = executor.schedule(() -> runNow(task), time.toNanos(), TimeUnit.NANOSECONDS);
            return () -> {
                boolean unused = future.cancel(false);
            };
        } catch (RejectedExecutionException over) {
            return () -> {};
        }
    }

    /**
     * Ends the thread with a last task. Unless the caller is that thread, waits for it, but no longer than this.
     */
    void end(Runnable last, Duration patience) throws InterruptedException {
        execute(() -> {
            last.run();
            executor.shutdownNow();
        });
        if (Thread.currentThread() != thread) {
            boolean unused = executor.awaitTermination(patience.toNanos(), TimeUnit.NANOSECONDS);
        }
    }
}
