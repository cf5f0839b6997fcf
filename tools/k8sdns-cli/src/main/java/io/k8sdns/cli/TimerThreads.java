package io.k8sdns.cli;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** Creates the timers of the server commands. */
final class TimerThreads {
    private TimerThreads() {}

    /**
     * Returns a timer with one daemon thread, which the caller shuts down.
     *
     * @param name the name of the thread
     */
    static ScheduledExecutorService start(String name) {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
        // Frees the memory of deadlines immediately, because nearly all of them are cancelled.
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }
}
