package io.k8sdns.clientjava;

import java.time.Duration;

/** Timers that check the credential files, and in which no wait between two requests ends by itself. */
final class StoppedTimers implements Timers {
    private final Loop loop;

    StoppedTimers(Loop loop) {
        this.loop = loop;
    }

    @Override
    public long nanoTime() {
        return loop.nanoTime();
    }

    @Override
    public Timer after(Duration time, Runnable task) {
        boolean passes = time.equals(ApiClusterSource.BETWEEN_FILE_CHECKS) || time.compareTo(RetryWait.JITTER) < 0;
        return passes ? loop.after(time.dividedBy(10), task) : () -> {};
    }
}
