package io.k8sdns.clientjava;

import java.time.Duration;

/** The clock and the timers of a {@link ListWatch}; those of a simulation run in virtual time. */
interface Timers {
    /** Returns the time in nanoseconds since an arbitrary moment. */
    long nanoTime();

    /** Runs a task after this time, on the thread of the {@link ListWatch}, unless it is cancelled before. */
    Timer after(Duration time, Runnable task);

    /** A task that is scheduled. */
    interface Timer {
        /** Cancels the task; does nothing if it has run. */
        void cancel();
    }
}
