package io.k8sdns.etcd;

import java.time.Duration;

/** The clock of the state machines; a simulation has one in which time passes at once. */
interface EtcdTimers {
    /** Returns the time, in nanoseconds from an arbitrary moment on. */
    long nanoTime();

    /** Runs a task after this time, on the thread of the state machines, unless it is cancelled before. */
    Timer after(Duration time, Runnable task);

    /** A task that waits. */
    interface Timer {
        /** Forgets the task; does nothing if it has run. */
        void cancel();
    }
}
