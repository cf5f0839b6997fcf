package io.k8sdns.federation.controller;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executor;

/** The clock and the one thread at a time of the controller's state machine; a simulation has one in which time passes at once. */
interface ControllerTimers extends Executor {
    /** Returns the time, in nanoseconds from an arbitrary moment on. */
    long nanoTime();

    /** Returns the time of day, for people. */
    Instant instant();

    /** Runs a task after this time, unless it is cancelled before. */
    Timer after(Duration time, Runnable task);

    /** A task that waits. */
    interface Timer {
        /** Forgets the task; does nothing if it has run. */
        void cancel();
    }
}
