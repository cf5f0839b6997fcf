package io.k8sdns.clientjava;

import java.time.Duration;

/** Time as a {@link ListWatch} knows it; a simulation has one that passes at once. */
interface Timers {
    /** Returns the time, in nanoseconds from an arbitrary moment on. */
    long nanoTime();

    /** Runs a task after this time, on the thread of the {@link ListWatch}, unless it is cancelled before. */
    Timer after(Duration time, Runnable task);

    /** A task that waits. */
    interface Timer {
        /** Forgets the task; does nothing if it has run. */
        void cancel();
    }
}
