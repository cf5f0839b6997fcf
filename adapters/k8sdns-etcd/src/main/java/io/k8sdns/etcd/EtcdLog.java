package io.k8sdns.etcd;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;

/** The log of a store: an outage when it begins, a failure that goes on at most once a minute, and the end of the outage. */
final class EtcdLog {
    private static final Duration BETWEEN = Duration.ofMinutes(1);

    private final Logger logger;

    /** The failure that was logged last; empty while nothing is wrong. */
    private Optional<String> logged = Optional.empty();

    private long loggedAt;

    EtcdLog(Logger logger) {
        this.logger = logger;
    }

    /** A request of the follower has failed. */
    void failed(EtcdFailure failure, long now) {
        boolean isNew = logged.isEmpty() || !logged.get().equals(failure.text());
        if (isNew || now - loggedAt >= BETWEEN.toNanos()) {
            logger.log(Level.WARNING, "not up to date, trying again: {0}", failure.text());
            logged = Optional.of(failure.text());
            loggedAt = now;
        }
    }

    /** The content is up to date. */
    void answers() {
        if (logged.isPresent()) {
            logger.log(Level.INFO, "up to date again");
            logged = Optional.empty();
        }
    }

    /** A listener has thrown, or this module has a fault. */
    void broken(Throwable failure) {
        logger.log(Level.ERROR, "a listener of the store, or the store itself, has thrown", failure);
    }
}
