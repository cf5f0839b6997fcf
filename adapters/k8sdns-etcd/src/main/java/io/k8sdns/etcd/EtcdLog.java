package io.k8sdns.etcd;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;

/** Logs outages of a store: each new failure, the same failure at most once a minute, and the end of the outage. */
final class EtcdLog {
    private static final Duration REPEAT_INTERVAL = Duration.ofMinutes(1);

    private final Logger logger;

    /** The last logged failure; empty if there is no outage. */
    private Optional<String> logged = Optional.empty();

    private long loggedAt;

    EtcdLog(Logger logger) {
        this.logger = logger;
    }

    /** Reports a failed request of the follower. */
    void failed(EtcdFailure failure, long now) {
        boolean isNew = logged.isEmpty() || !logged.get().equals(failure.text());
        if (isNew || now - loggedAt >= REPEAT_INTERVAL.toNanos()) {
            logger.log(Level.WARNING, "not up to date, retrying: {0}", failure.text());
            logged = Optional.of(failure.text());
            loggedAt = now;
        }
    }

    /** Reports that the content is up to date. */
    void upToDate() {
        if (logged.isPresent()) {
            logger.log(Level.INFO, "up to date again");
            logged = Optional.empty();
        }
    }

    /** Reports an exception of a listener or of this module. */
    void unexpected(Throwable failure) {
        logger.log(Level.ERROR, "unexpected exception of a listener or of the store", failure);
    }
}
