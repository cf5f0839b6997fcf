package io.k8sdns.federation.external;

import io.k8sdns.timers.DelayedTask;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps an external zone up to date with the last wanted records, on an executor of the host. A pass of the {@link ExternalSync}
 * starts immediately when the wanted records change, and when the last report requires it. Only one pass runs at a time; records
 * set during a pass are applied by the next one.
 *
 * <p>No pass runs before the first call of {@link #want}. Thread-safe.
 */
public final class ExternalUpdater implements AutoCloseable {
    /** The delay before the next pass after an exception. */
    private static final Duration RETRY_DELAY = Duration.ofSeconds(60);

    private final ExternalSync sync;
    private final ScheduledExecutorService executor;
    private final Consumer<? super ExternalSync.Report> reports;
    private final Consumer<? super RuntimeException> failures;

    // Guarded by this.
    private @Nullable WantedRecords wanted;
    private @Nullable DelayedTask timer;
    private boolean isRunning;
    private boolean mustRunAgain;

    /**
     * Whether a pass is queued without a delay. Such a pass is not queued again, because frequent calls of {@link #want} would
     * delay it forever.
     */
    private boolean isDue;

    private boolean closed;

    private ExternalUpdater(Builder builder) {
        sync = builder.sync;
        executor = builder.executor;
        reports = builder.reports;
        failures = builder.failures;
    }

    /**
     * Returns a builder.
     *
     * @param sync must be used only by this updater
     * @param executor runs the passes, which block during the calls of the zone; not shut down by the updater
     */
    public static Builder builder(ExternalSync sync, ScheduledExecutorService executor) {
        return new Builder(Objects.requireNonNull(sync, "sync"), Objects.requireNonNull(executor, "executor"));
    }

    /**
     * Sets the wanted records. Does not block.
     *
     * @throws IllegalStateException if the updater is closed
     */
    public synchronized void want(WantedRecords records) {
        Objects.requireNonNull(records, "records");
        if (closed) {
            throw new IllegalStateException("the updater is closed");
        }
        wanted = records;
        if (isRunning) {
            mustRunAgain = true;
        } else if (!isDue) {
            schedule(Duration.ZERO);
        }
    }

    private synchronized void schedule(Duration wait) {
        if (timer != null) {
            timer.cancel();
        }
        isDue = wait.isZero();
        timer = closed ? null : DelayedTask.schedule(executor, wait, this::run);
    }

    private void run() {
        WantedRecords now;
        synchronized (this) {
            if (closed || isRunning || wanted == null) {
                return;
            }
            isRunning = true;
            mustRunAgain = false;
            isDue = false;
            now = wanted;
        }
        Duration wait = RETRY_DELAY;
        try {
            ExternalSync.Report report = sync.pass(now);
            wait = report.untilNext();
            reports.accept(report);
        } catch (RuntimeException failed) {
            failures.accept(failed);
        } finally {
            synchronized (this) {
                isRunning = false;
                schedule(mustRunAgain ? Duration.ZERO : wait);
            }
        }
    }

    /** Starts no further pass. A running pass continues until the zone answers or is closed. Idempotent. */
    @Override
    public synchronized void close() {
        closed = true;
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    /** Collects the settings. Not thread-safe. */
    public static final class Builder {
        private final ExternalSync sync;
        private final ScheduledExecutorService executor;
        private Consumer<? super ExternalSync.Report> reports = report -> {};
        private Consumer<? super RuntimeException> failures = failure -> {};

        private Builder(ExternalSync sync, ScheduledExecutorService executor) {
            this.sync = sync;
            this.executor = executor;
        }

        /** Sets the receiver of the report of each pass, called on the executor. Reports are ignored by default. */
        public Builder reports(Consumer<? super ExternalSync.Report> value) {
            reports = Objects.requireNonNull(value, "reports");
            return this;
        }

        /**
         * Sets the receiver of exceptions of the zone and of the receiver of reports. The pass is retried. Exceptions are ignored
         * by default.
         */
        public Builder failures(Consumer<? super RuntimeException> value) {
            failures = Objects.requireNonNull(value, "failures");
            return this;
        }

        /** Returns the updater. */
        public ExternalUpdater build() {
            return new ExternalUpdater(this);
        }
    }
}
