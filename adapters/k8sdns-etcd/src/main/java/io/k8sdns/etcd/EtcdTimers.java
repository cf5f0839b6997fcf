package io.k8sdns.etcd;

import java.time.Duration;

/** The clock and timers of the state machines; a simulation replaces them with virtual time. */
interface EtcdTimers {
    /** Returns the time in nanoseconds, from an arbitrary origin. */
    long nanoTime();

    /** Runs a task after a delay, on the thread of the state machines, unless it is cancelled before. */
    Timer after(Duration time, Runnable task);

    /** A scheduled task. */
    interface Timer {
        /** Cancels the task; does nothing if it has run. */
        void cancel();
    }
}
