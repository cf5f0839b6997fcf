package io.k8sdns.federation.controller;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.PriorityQueue;

/** Virtual time, which advances only to run the next task. */
final class ControllerVirtualTime {
    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::at).thenComparing(Task::number));
    private long now;
    private long number;

    private record Task(long at, long number, Runnable work) {}

    long now() {
        return now;
    }

    /** Runs a task after this time. */
    ControllerTimers.Timer after(Duration time, Runnable work) {
        Task task = new Task(now + time.toNanos(), number++, work);
        tasks.add(task);
        return () -> tasks.remove(task);
    }

    /** Runs all tasks that are due within this time. */
    void pass(Duration duration) {
        long until = now + duration.toNanos();
        while (!tasks.isEmpty() && tasks.peek().at() <= until) {
            Task next = tasks.remove();
            now = Math.max(now, next.at());
            next.work().run();
        }
        now = until;
    }

    /** The time of one process, which can be killed. Its clock has an arbitrary origin. */
    final class Host implements ControllerTimers {
        private final long offset;
        private boolean isDead;

        Host(long offset) {
            this.offset = offset;
        }

        void kill() {
            isDead = true;
        }

        boolean isDead() {
            return isDead;
        }

        @Override
        public long nanoTime() {
            return now + offset;
        }

        @Override
        public Instant instant() {
            return Instant.EPOCH.plusNanos(nanoTime());
        }

        @Override
        public void execute(Runnable task) {
            var unused = after(Duration.ZERO, task);
        }

        @Override
        public Timer after(Duration time, Runnable task) {
            return ControllerVirtualTime.this.after(time, () -> {
                if (!isDead) {
                    task.run();
                }
            });
        }
    }
}
