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
 * Logs failures as warnings with their cause: each kind of failure when it first happens and then at most once a minute,
 * with the number of times that it was not logged. For questions that could not be answered, the kind is the class of the
 * cause; a cause that is an {@link IOException} or {@link TimeoutException}, as of a server that does not answer, is logged in one line,
 * without its stack trace.
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
     * Makes a log.
     *
     * @param logger the name of a {@link System.Logger}, which is set up at the first failure
     */
    public FailureLog(String logger) {
        this(() -> System.getLogger(logger), System::nanoTime);
        Objects.requireNonNull(logger, "logger");
    }

    /** Logs here, on this clock of nanoseconds. */
    FailureLog(Supplier<System.Logger> log, LongSupplier nanos) {
        this.log = log;
        this.nanos = nanos;
    }

    /** Sets up the logging, which takes twenty milliseconds of a start and, later, a file descriptor. */
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
        long unsaid;
        synchronized (kind) {
            long now = nanos.getAsLong();
            if (kind.said && now - kind.saidAt < MINUTE) {
                kind.unsaid++;
                return;
            }
            unsaid = kind.unsaid;
            kind.said = true;
            kind.saidAt = now;
            kind.unsaid = 0;
        }
        String again = unsaid == 0 ? "" : " (and " + unsaid + " more since this was last logged)";
        String line = what.get() + ": " + failure + again;
        if (hasTrace) {
            log.get().log(System.Logger.Level.WARNING, line, failure);
        } else {
            log.get().log(System.Logger.Level.WARNING, line);
        }
    }

    /** Set up when it is first needed. */
    private static final class Log {
        static final System.Logger LOG = System.getLogger("io.k8sdns.sockets");
    }

    private static final class Kind {
        private boolean said;
        private long saidAt;
        private long unsaid;
    }
}
