package io.k8sdns.cli;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/** Creates the timers of the server commands. */
final class TimerThreads {
    private TimerThreads() {}

    /**
     * Returns a timer with one daemon thread, which the caller shuts down.
     *
     * @param name the name of the thread
     */
    static ScheduledExecutorService start(String name) {
        ScheduledThreadPoolExecutor timer = new Timer(task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
        // Frees the memory of deadlines immediately, because nearly all of them are cancelled.
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }

    /**
     * A timer whose thread ends with an error of a task, such as an {@link OutOfMemoryError}. Its superclass would store the error in the
     * future of the task, and a periodic task would stop unnoticed.
     */
    private static final class Timer extends ScheduledThreadPoolExecutor {
        Timer(ThreadFactory threads) {
            super(1, threads);
        }

        @Override
        protected void afterExecute(Runnable task, @Nullable Throwable thrown) {
            super.afterExecute(task, thrown);
            if (!(task instanceof Future<?> future) || !future.isDone() || future.isCancelled()) {
                return;
            }
            try {
                future.get();
            } catch (ExecutionException failed) {
                if (failed.getCause() instanceof Error error) {
                    throw error;
                }
            } catch (InterruptedException closing) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
