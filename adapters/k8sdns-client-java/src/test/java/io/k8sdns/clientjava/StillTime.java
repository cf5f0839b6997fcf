package io.k8sdns.clientjava;

import java.time.Duration;

/** Time in which no wait between two requests ends by itself; the files of the credentials are looked at all the same. */
final class StillTime implements Timers {
    private final Loop loop;

    StillTime(Loop loop) {
        this.loop = loop;
    }

    @Override
    public long nanoTime() {
        return loop.nanoTime();
    }

    @Override
    public Timer after(Duration time, Runnable task) {
        boolean passes = time.equals(ApiClusterSource.BETWEEN_LOOKS_AT_FILES) || time.compareTo(RetryWait.JITTER) < 0;
        return passes ? loop.after(time.dividedBy(10), task) : () -> {};
    }
}
