package io.k8sdns.sockets;

import io.k8sdns.resolver.FailureObserver;
import io.k8sdns.resolver.Question;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Logs failures as warnings with their cause: each kind of failure at its first occurrence and then at most once a minute, with the
 * number of failures that were not logged. For questions that could not be answered, the kind is the class of the cause. An {@link
 * IOException} or {@link TimeoutException}, for example of a server that does not answer, is logged in one line without its stack
 * trace.
 *
 * <pre>{@code
 * DnsResponder.builder(resolver).failures(new FailureLog("com.example.dns"))
 * }</pre>
 */
public final class FailureLog implements FailureObserver {
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final Supplier<System.Logger> log;
    private final LongSupplier nanos;
    private final Map<String, Kind> kinds = new ConcurrentHashMap<>();

    FailureLog() {
        this(() -> Log.LOG, System::nanoTime);
    }

    /**
     * Creates a log.
     *
     * @param logger the name of a {@link System.Logger}, which is set up at the first failure
     */
    public FailureLog(String logger) {
        this(() -> System.getLogger(logger), System::nanoTime);
        Objects.requireNonNull(logger, "logger");
    }

    /** Creates a log with this logger and this clock of nanoseconds; for tests. */
    FailureLog(Supplier<System.Logger> log, LongSupplier nanos) {
        this.log = log;
        this.nanos = nanos;
    }

    /** Initializes the logger, which takes 20 ms and a file descriptor. */
    void prepare() {
        System.Logger unused = log.get();
    }

    @Override
    public void failed(Question question, Throwable failure) {
        report(
                "question: " + failure.getClass().getName(),
                () -> question.name() + " " + question.type() + " could not be answered",
                failure,
                !(failure instanceof IOException || failure instanceof TimeoutException));
    }

    /**
     * Reports a failure.
     *
     * @param what the kind of failure: one of a few constants, never a text with an address or a name in it
     */
    void report(String what, Throwable failure) {
        report(what, () -> what, failure, true);
    }

    private void report(String kindName, Supplier<String> what, Throwable failure, boolean hasTrace) {
        Kind kind = kinds.computeIfAbsent(kindName, unseen -> new Kind());
        long suppressed;
        synchronized (kind) {
            long now = nanos.getAsLong();
            if (kind.logged && now - kind.loggedAt < MINUTE) {
                kind.suppressed++;
                return;
            }
            suppressed = kind.suppressed;
            kind.logged = true;
            kind.loggedAt = now;
            kind.suppressed = 0;
        }
        String again = suppressed == 0 ? "" : " (and " + suppressed + " more since this was last logged)";
        String line = what.get() + ": " + failure + again;
        if (hasTrace) {
            log.get().log(System.Logger.Level.WARNING, line, failure);
        } else {
            log.get().log(System.Logger.Level.WARNING, line);
        }
    }

    /** Holds the logger, initialized when it is first used. */
    private static final class Log {
        static final System.Logger LOG = System.getLogger("io.k8sdns.sockets");
    }

    private static final class Kind {
        private boolean logged;
        private long loggedAt;
        private long suppressed;
    }
}
