package io.k8sdns.federation.external;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps an external zone at the records that were wanted last, on an executor of the host: a pass begins at once when something else is
 * wanted, and again whenever the last report says so. One pass at a time; what is wanted while one runs is the matter of the next.
 *
 * <p>Nothing is done before the first call of {@link #want}. Thread-safe.
 */
public final class ExternalUpdater implements AutoCloseable {
    /** When a pass is tried again that has thrown. */
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(60);

    private final ExternalSync sync;
    private final ScheduledExecutorService executor;
    private final Consumer<? super ExternalSync.Report> reports;
    private final Consumer<? super RuntimeException> failures;

    // Guarded by this.
    private @Nullable WantedRecords wanted;
    private @Nullable Future<?> timer;
    private boolean isRunning;
    private boolean isAgain;

    /** Whether a pass is due at once. It keeps its turn on the executor: otherwise a host that wants something all the time starves it. */
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
     * @param sync used by this updater alone
     * @param executor runs the passes, which block while the zone does; the host's, and not closed by the updater
     */
    public static Builder builder(ExternalSync sync, ScheduledExecutorService executor) {
        return new Builder(Objects.requireNonNull(sync, "sync"), Objects.requireNonNull(executor, "executor"));
    }

    /**
     * Sets what the zone shall have. Returns at once.
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
            isAgain = true;
        } else if (!isDue) {
            schedule(Duration.ZERO);
        }
    }

    private synchronized void schedule(Duration wait) {
        if (timer != null) {
            boolean unused = timer.cancel(false);
        }
        isDue = wait.isZero();
        try {
            timer = closed ? null : executor.schedule(this::run, wait.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException over) {
            // The host has shut its executor down.
            timer = null;
        }
    }

    private void run() {
        WantedRecords now;
        synchronized (this) {
            if (closed || isRunning || wanted == null) {
                return;
            }
            isRunning = true;
            isAgain = false;
            isDue = false;
            now = wanted;
        }
        Duration wait = AFTER_FAILURE;
        try {
            ExternalSync.Report report = sync.pass(now);
            wait = report.untilNext();
            reports.accept(report);
        } catch (RuntimeException failed) {
            failures.accept(failed);
        } finally {
            synchronized (this) {
                isRunning = false;
                schedule(isAgain ? Duration.ZERO : wait);
            }
        }
    }

    /** Begins no other pass. One that runs goes on until the zone is closed or answers. Closing again does nothing. */
    @Override
    public synchronized void close() {
        closed = true;
        if (timer != null) {
            boolean unused = timer.cancel(false);
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

        /** Sets what receives the report of each pass, on the thread of the executor. Ignored unless set. */
        public Builder reports(Consumer<? super ExternalSync.Report> value) {
            reports = Objects.requireNonNull(value, "reports");
            return this;
        }

        /** Sets what receives exceptions of the zone, or of the receiver of reports; the pass is tried again. Ignored unless set. */
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
