package io.k8sdns.sockets;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A scheduler whose tasks run when the test calls {@link #expireNext}. */
final class HeldTimers extends ScheduledThreadPoolExecutor {
    private final BlockingQueue<Runnable> held = new LinkedBlockingQueue<>();

    HeldTimers() {
        super(1);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        held.add(command);
        return super.schedule(() -> {}, 1, TimeUnit.DAYS);
    }

    /** Returns the task that was scheduled first of those not yet taken; waits for it. */
    Runnable next() throws InterruptedException {
        Runnable task = held.poll(TestZone.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        if (task == null) {
            throw new AssertionError("nothing was scheduled");
        }
        return task;
    }

    void expireNext() throws InterruptedException {
        next().run();
    }
}
