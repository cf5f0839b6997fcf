package io.k8sdns.clientjava;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;

/** Timers that shorten the waits between requests, and run watchdogs when the test lets time pass. */
final class AcceleratedTimers implements Timers {
    private static final int HASTE = 100;

    private final Loop loop;
    private final LongSupplier clock;
    private final Queue<Duration> waits = new ConcurrentLinkedQueue<>();
    private final List<Watchdog> watchdogs = new ArrayList<>();
    private volatile long passed;

    private static final class Watchdog {
        private final long at;
        private final Runnable task;

        /** Read and written on the loop's thread. */
        private boolean done;

        Watchdog(long at, Runnable task) {
            this.at = at;
            this.task = task;
        }

        void run() {
            if (!done) {
                done = true;
                task.run();
            }
        }
    }

    AcceleratedTimers(Loop loop) {
        this(loop, System::nanoTime);
    }

    private AcceleratedTimers(Loop loop, LongSupplier clock) {
        this.loop = loop;
        this.clock = clock;
    }

    /** Returns timers whose clock advances only when the test lets time pass. */
    static AcceleratedTimers stopped(Loop loop) {
        return new AcceleratedTimers(loop, () -> 0);
    }

    @Override
    public long nanoTime() {
        return clock.getAsLong() + passed;
    }

    @Override
    public synchronized Timer after(Duration time, Runnable task) {
        if (time.compareTo(ListWatch.RESPONSE_SILENCE) < 0) {
            waits.add(time);
            return loop.after(time.dividedBy(HASTE), task);
        }
        Watchdog watchdog = new Watchdog(nanoTime() + time.toNanos(), task);
        watchdogs.add(watchdog);
        notifyAll();
        return () -> watchdog.done = true;
    }

    /** Returns the waits with their original lengths. */
    Queue<Duration> waits() {
        return waits;
    }

    /** Waits until there are this many watchdogs. */
    synchronized void awaitWatchdogs(int many) throws InterruptedException {
        while (watchdogs.size() < many) {
            wait();
        }
    }

    /** Lets time pass for the watchdogs. */
    synchronized void pass(Duration time) {
        passed += time.toNanos();
        for (Watchdog watchdog : List.copyOf(watchdogs)) {
            if (watchdog.at <= nanoTime()) {
                watchdogs.remove(watchdog);
                loop.execute(watchdog::run);
            }
        }
    }
}
