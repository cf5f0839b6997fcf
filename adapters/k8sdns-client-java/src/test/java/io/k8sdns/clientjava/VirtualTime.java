package io.k8sdns.clientjava;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;

/** Virtual time, which advances only when the next task runs. */
final class VirtualTime implements Timers {
    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::at).thenComparing(Task::number));
    private long now;
    private long number;

    private record Task(long at, long number, Runnable work) {}

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public Timer after(Duration time, Runnable work) {
        Task task = new Task(now + time.toNanos(), number++, work);
        tasks.add(task);
        return () -> tasks.remove(task);
    }

    /** Runs the next task, unless it is later than this; returns whether there was one. */
    boolean step(long until) {
        Task next = tasks.peek();
        if (next == null || next.at() > until) {
            now = Math.max(now, until);
            return false;
        }
        tasks.remove();
        now = Math.max(now, next.at());
        next.work().run();
        return true;
    }

    int waiting() {
        return tasks.size();
    }
}
