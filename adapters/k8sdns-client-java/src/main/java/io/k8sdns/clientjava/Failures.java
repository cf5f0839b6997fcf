package io.k8sdns.clientjava;

import io.k8sdns.cluster.SyncState;
import io.k8sdns.model.Diagnostic;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Logs each state and each failure. Failures of one sort are logged once a minute, together with the number of suppressed ones. At
 * most ten skipped objects of a kind are logged in a minute.
 */
final class Failures {
    private static final System.Logger LOG = System.getLogger("io.k8sdns.clientjava");
    private static final Duration PERIOD = Duration.ofMinutes(1);
    private static final int MAX_SKIPPED = 10;

    /** The maximum number of kinds and namespaces that a line names; the others are counted. */
    private static final int MAX_NAMED = 10;

    private final LongSupplier nanoTime;
    private final boolean isSnapshot;
    private final Map<Object, Logged> logged = new HashMap<>();

    /** The lines of one sort in a period: its beginning, the lines logged, and those suppressed. */
    private record Logged(long begunAt, int lines, long suppressed) {}

    /** Failed requests for a kind, with one cause. */
    private record Failure(ApiKind kind, ApiFailure.Cause cause) {}

    /** Skipped objects of a kind. */
    private record Skipped(ApiKind kind) {}

    /** A sink that throws. */
    private record Sink() {}

    /** An observer that throws. */
    private record Observer() {}

    /**
     * Creates a log.
     *
     * @param isSnapshot whether the objects are listed once: the caller then receives them, or the failure as an exception, so that
     *     states, and failures without an accepted request, are logged only at level debug
     */
    Failures(LongSupplier nanoTime, boolean isSnapshot) {
        this.nanoTime = nanoTime;
        this.isSnapshot = isSnapshot;
    }

    /**
     * The state of the objects of one kind.
     *
     * @param objects their description
     * @param failure why they are not watched; empty if they are, or if no request has failed yet
     */
    record ObjectState(String objects, SyncState state, Optional<ApiFailure> failure) {
        /** Returns the failure, and what it means for the records. */
        private String missing() {
            String why = failure.map(one -> one.cause().word() + ": " + one.text() + "; ")
                    .orElse("");
            return objects + " (" + why + (state == SyncState.SYNCING ? "none are listed" : "the last ones are kept")
                    + ")";
        }
    }

    /**
     * Logs a state.
     *
     * @param all the objects that are to be watched, with the state of each
     */
    void state(SyncState state, List<ObjectState> all) {
        List<String> watched = all.stream()
                .filter(one -> one.state() == SyncState.SYNCED)
                .map(ObjectState::objects)
                .toList();
        List<String> missing = all.stream()
                .filter(one -> one.state() != SyncState.SYNCED)
                .map(ObjectState::missing)
                .toList();
        LOG.log(
                isSnapshot ? System.Logger.Level.DEBUG : System.Logger.Level.INFO,
                "{0}",
                switch (state) {
                    case SYNCING -> "not all objects are listed yet; missing: " + some(missing);
                    case SYNCED ->
                        missing.isEmpty()
                                ? "all objects are listed and watched"
                                : "listed and watched: " + some(watched) + "; not watched: " + some(missing);
                    case STALE -> "some objects are not watched: " + some(missing);
                });
    }

    private static String some(List<String> all) {
        String first = all.stream().limit(MAX_NAMED).collect(Collectors.joining(", "));
        return all.size() > MAX_NAMED ? first + " and " + (all.size() - MAX_NAMED) + " more" : first;
    }

    /** Logs that the sink threw. */
    void ofSink(Throwable broken) {
        logLimited(
                new Sink(),
                1,
                more -> LOG.log(
                        System.Logger.Level.ERROR, "a change from the API server was not applied" + more, broken));
    }

    /** Logs that an observer threw. */
    void ofObserver(Throwable broken) {
        logLimited(
                new Observer(),
                1,
                more -> LOG.log(
                        System.Logger.Level.ERROR, "an observer threw, which observers must not" + more, broken));
    }

    /** Logs a failed request for a kind. */
    void failed(ApiKind kind, ApiFailure failure) {
        boolean endsSnapshot =
                isSnapshot && (failure.cause().isAbsence() || failure.cause().isOfCredentials());
        logLimited(
                new Failure(kind, failure.cause()),
                1,
                more -> LOG.log(
                        endsSnapshot ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING,
                        "{0}: {1}: {2}{3}{4}",
                        kind.resource(),
                        failure.cause().word(),
                        failure.text(),
                        failure.cause() == ApiFailure.Cause.FORBIDDEN
                                ? " (the role needs list and watch on " + kind.resource() + ")"
                                : "",
                        more));
    }

    /** Logs a skipped object of a kind. */
    void skipped(ApiKind kind, Diagnostic diagnostic) {
        logLimited(
                new Skipped(kind),
                MAX_SKIPPED,
                more -> LOG.log(System.Logger.Level.WARNING, "skipped: {0}{1}", diagnostic, more));
    }

    /**
     * Logs a line, unless the limit of this sort is reached in this period.
     *
     * @param max the maximum number of lines of the sort in a period
     * @param line logs the line; its argument is a text that counts the lines that were suppressed before, to be appended
     */
    private void logLimited(Object sort, int max, Consumer<String> line) {
        long now = nanoTime.getAsLong();
        Logged last = logged.getOrDefault(sort, new Logged(now - PERIOD.toNanos(), 0, 0));
        if (now - last.begunAt() >= PERIOD.toNanos()) {
            logged.put(sort, new Logged(now, 1, 0));
            line.accept(more(last.suppressed()));
        } else if (last.lines() < max) {
            logged.put(sort, new Logged(last.begunAt(), last.lines() + 1, last.suppressed()));
            line.accept("");
        } else {
            logged.put(sort, new Logged(last.begunAt(), last.lines(), last.suppressed() + 1));
        }
    }

    private static String more(long suppressed) {
        return suppressed == 0 ? "" : " (and " + suppressed + " more since the last time)";
    }

    /** Logs that optional objects are forbidden and the source continues without them. */
    void forbidden(String objects) {
        LOG.log(
                System.Logger.Level.WARNING,
                "no permission to list and watch {0}: names that depend on them do not exist until it is granted",
                objects);
    }

    /** Logs that a namespace may not be listed and the source continues as if it exists. */
    void assumed(String namespace) {
        LOG.log(System.Logger.Level.WARNING, "no permission to list {0}: it is assumed to exist", namespace);
    }

    /** Logs that an API server does not know a kind. */
    void unknownKind(String objects) {
        LOG.log(
                System.Logger.Level.INFO,
                "the API server does not have the kind {0}; continuing without these objects",
                objects);
    }

    /** Logs that objects which were not watched are watched again. */
    void followsAgain(String objects) {
        LOG.log(System.Logger.Level.INFO, "{0} are listed and watched now", objects);
    }
}
