package io.k8sdns.clientjava;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;

/** Waits between requests are over soon; who looks whether there is life, does when the test says that time has passed. */
final class HastyTime implements Timers {
    private static final int HASTE = 100;

    private final Loop loop;
    private final LongSupplier clock;
    private final Queue<Duration> waits = new ConcurrentLinkedQueue<>();
    private final List<Look> looks = new ArrayList<>();
    private volatile long passed;

    private static final class Look {
        private final long at;
        private final Runnable task;

        /** On the loop's thread. */
        private boolean over;

        Look(long at, Runnable task) {
            this.at = at;
            this.task = task;
        }

        void run() {
            if (!over) {
                over = true;
                task.run();
            }
        }
    }

    HastyTime(Loop loop) {
        this(loop, System::nanoTime);
    }

    private HastyTime(Loop loop, LongSupplier clock) {
        this.loop = loop;
        this.clock = clock;
    }

    /** Returns time whose clock shows only what the test has let pass, however long anything takes. */
    static HastyTime stopped(Loop loop) {
        return new HastyTime(loop, () -> 0);
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
        Look look = new Look(nanoTime() + time.toNanos(), task);
        looks.add(look);
        notifyAll();
        return () -> look.over = true;
    }

    /** Returns how long was waited, and would have been if time were not so hasty. */
    Queue<Duration> waits() {
        return waits;
    }

    /** Waits until so many look. */
    synchronized void awaitLooks(int many) throws InterruptedException {
        while (looks.size() < many) {
            wait();
        }
    }

    /** Lets time pass, as far as those are concerned who look whether there is life. */
    synchronized void pass(Duration time) {
        passed += time.toNanos();
        for (Look look : List.copyOf(looks)) {
            if (look.at <= nanoTime()) {
                looks.remove(look);
                loop.execute(look::run);
            }
        }
    }
}
