package io.k8sdns.federation.controller;

import io.k8sdns.timers.DelayedTask;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;

/** Runs tasks on the host's executor, one at a time and in order. Exceptions of tasks are logged. */
final class ControllerLoop implements ControllerTimers {
    private static final System.Logger LOG = System.getLogger("io.k8sdns.federation.controller");

    private final ScheduledExecutorService executor;

    /** The waiting tasks; guarded by itself, as is {@link #isRunning}. */
    private final Queue<Runnable> tasks = new ArrayDeque<>();

    private boolean isRunning;

    ControllerLoop(ScheduledExecutorService executor) {
        this.executor = executor;
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Instant instant() {
        return Instant.now();
    }

    @Override
    public void execute(Runnable task) {
        synchronized (tasks) {
            tasks.add(task);
            if (isRunning) {
                return;
            }
            isRunning = true;
        }
        try {
            executor.execute(this::run);
        } catch (RejectedExecutionException over) {
            synchronized (tasks) {
                tasks.clear();
                isRunning = false;
            }
        }
    }

    private void run() {
        while (true) {
            Runnable next;
            synchronized (tasks) {
                next = tasks.poll();
                if (next == null) {
                    isRunning = false;
                    return;
                }
            }
            try {
                next.run();
            } catch (RuntimeException | Error failure) {
                LOG.log(Level.ERROR, "the controller of a federation has a fault", failure);
            }
        }
    }

    @Override
    public Timer after(Duration time, Runnable task) {
        return DelayedTask.schedule(executor, time, () -> execute(task))::cancel;
    }
}
