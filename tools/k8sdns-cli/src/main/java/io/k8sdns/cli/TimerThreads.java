package io.k8sdns.cli;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** Makes the timers of the commands that run until they are stopped. */
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
        // Nearly all deadlines are cancelled long before their time.
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }
}
