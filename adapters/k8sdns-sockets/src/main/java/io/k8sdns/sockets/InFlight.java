package io.k8sdns.sockets;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the queries in flight, so that a listener can wait for their answers before it ends. */
final class InFlight {
    private final AtomicInteger count = new AtomicInteger();
    private final CountDownLatch none = new CountDownLatch(1);
    private volatile boolean awaited;

    void begin() {
        count.incrementAndGet();
    }

    void end() {
        if (count.decrementAndGet() == 0 && awaited) {
            none.countDown();
        }
    }

    /** Returns whether nothing is in flight. */
    boolean isNone() {
        return count.get() == 0;
    }

    /**
     * Waits until nothing is in flight, or {@link #abandon} is called. {@link #begin} must not be called any more.
     *
     * @param deadline when the wait ends, in {@link System#nanoTime()}
     */
    void awaitNone(long deadline) throws InterruptedException {
        awaited = true;
        // An end() that saw awaited still unset has counted down before, so that this reads its zero.
        if (count.get() > 0) {
            none.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        }
    }

    /** Ends {@link #awaitNone}, also if it is called later. */
    void abandon() {
        none.countDown();
    }
}
