package io.k8sdns.etcd;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;

/** Virtual time, which advances only by running tasks. */
final class EtcdVirtualTime implements EtcdTimers {
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

    /** Advances the time and runs the due tasks. */
    void pass(Duration duration) {
        long until = now + duration.toNanos();
        while (!tasks.isEmpty() && tasks.peek().at() <= until) {
            Task next = tasks.remove();
            now = Math.max(now, next.at());
            next.work().run();
        }
        now = until;
    }
}
