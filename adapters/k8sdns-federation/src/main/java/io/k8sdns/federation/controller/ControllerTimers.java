package io.k8sdns.federation.controller;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executor;

/** The clock of the controller's state machine, and the executor of its tasks, one at a time. A simulation has one with virtual time. */
interface ControllerTimers extends Executor {
    /** Returns the time, in nanoseconds from an arbitrary moment on. */
    long nanoTime();

    /** Returns the time of day, only for display. */
    Instant instant();

    /** Runs a task after this time, unless it is cancelled before. */
    Timer after(Duration time, Runnable task);

    /** A scheduled task. */
    interface Timer {
        /** Cancels the task; does nothing if it has run. */
        void cancel();
    }
}
