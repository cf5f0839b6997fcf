package io.k8sdns.clientjava;

import io.k8sdns.cluster.SyncState;
import io.k8sdns.model.Diagnostic;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Tells the log of each state, and of what fails: of the same at most once a minute, and how often it was since. Of what is left
 * out of the objects of one kind a few are named each minute.
 */
final class Failures {
    private static final System.Logger LOG = System.getLogger("io.k8sdns.clientjava");
    private static final Duration PAUSE = Duration.ofMinutes(1);
    private static final int MOST_LEFT_OUT = 10;

    /** More kinds and namespaces than this are counted in a line, not named. */
    private static final int MOST_NAMED = 10;

    private final LongSupplier nanoTime;
    private final Map<Object, Told> told = new HashMap<>();

    /** When something was first told in its minute, how often, and how often it was not since. */
    private record Told(long moment, int lines, long untold) {}

    /** A kind that cannot be had, for this reason. */
    private record Failure(ApiKind kind, ApiFailure.Cause cause) {}

    /** Objects of a kind of which something is left out. */
    private record LeftOut(ApiKind kind) {}

    /** A sink that throws. */
    private record Sink() {}

    /** An observer that throws. */
    private record Observer() {}

    Failures(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * How far objects of one kind are known.
     *
     * @param objects what they are called
     * @param failure why they are not followed; absent if they are, or if nothing has failed yet
     */
    record Following(String objects, SyncState state, Optional<ApiFailure> failure) {
        /** Returns what is wrong, and what it means for the records. */
        private String missing() {
            String why = failure.map(one -> one.cause().word() + ": " + one.text() + "; ")
                    .orElse("");
            return objects + " (" + why + (state == SyncState.SYNCING ? "none are known" : "the last ones are kept")
                    + ")";
        }
    }

    /**
     * Logs a state.
     *
     * @param all the objects that are to be followed, with the state of each
     */
    void state(SyncState state, List<Following> all) {
        List<String> followed = all.stream()
                .filter(one -> one.state() == SyncState.SYNCED)
                .map(Following::objects)
                .toList();
        List<String> missing = all.stream()
                .filter(one -> one.state() != SyncState.SYNCED)
                .map(Following::missing)
                .toList();
        LOG.log(
                System.Logger.Level.INFO,
                "{0}",
                switch (state) {
                    case SYNCING -> "not every kind of object has been listed yet; missing: " + some(missing);
                    case SYNCED ->
                        missing.isEmpty()
                                ? "every kind of object is listed and followed"
                                : "listed and followed: " + some(followed) + "; not followed: " + some(missing);
                    case STALE -> "not every kind of object can be followed; not followed: " + some(missing);
                });
    }

    private static String some(List<String> all) {
        String first = all.stream().limit(MOST_NAMED).collect(Collectors.joining(", "));
        return all.size() > MOST_NAMED ? first + " and " + (all.size() - MOST_NAMED) + " more" : first;
    }

    /** Tells of what the sink did not take. */
    void ofSink(Throwable broken) {
        untold(new Sink())
                .ifPresent(untold -> LOG.log(
                        System.Logger.Level.ERROR,
                        "a change from the API server was not applied" + more(untold),
                        broken));
    }

    /** Tells of an observer that did not take what it was told. */
    void ofObserver(Throwable broken) {
        untold(new Observer())
                .ifPresent(untold -> LOG.log(
                        System.Logger.Level.ERROR, "an observer threw what it must not" + more(untold), broken));
    }

    /** Tells of a kind that cannot be had. */
    void failed(ApiKind kind, ApiFailure failure) {
        untold(new Failure(kind, failure.cause()))
                .ifPresent(untold -> LOG.log(
                        System.Logger.Level.WARNING,
                        "{0}: {1}: {2}{3}{4}",
                        kind.resource(),
                        failure.cause().word(),
                        failure.text(),
                        failure.cause() == ApiFailure.Cause.FORBIDDEN
                                ? " (the role needs list and watch on " + kind.resource() + ")"
                                : "",
                        more(untold)));
    }

    /** Tells of what is left out of one kind. */
    void leftOut(ApiKind kind, Diagnostic diagnostic) {
        untold(new LeftOut(kind), MOST_LEFT_OUT)
                .ifPresent(untold -> LOG.log(System.Logger.Level.WARNING, "skipped: {0}{1}", diagnostic, more(untold)));
    }

    private OptionalLong untold(Object what) {
        return untold(what, 1);
    }

    /** Returns how often this was not told since it was last; nothing if it has been told so often in this minute. */
    private OptionalLong untold(Object what, int most) {
        long now = nanoTime.getAsLong();
        Told last = told.get(what);
        if (last == null || now - last.moment() >= PAUSE.toNanos()) {
            told.put(what, new Told(now, 1, 0));
            return OptionalLong.of(last == null ? 0 : last.untold());
        }
        boolean tells = last.lines() < most;
        told.put(what, new Told(last.moment(), last.lines() + (tells ? 1 : 0), last.untold() + (tells ? 0 : 1)));
        return tells ? OptionalLong.of(0) : OptionalLong.empty();
    }

    private static String more(long untold) {
        return untold == 0 ? "" : " (and " + untold + " more since the last time)";
    }

    /** Objects that may not be seen, and that records can do without. */
    void doesWithout(String objects) {
        LOG.log(
                System.Logger.Level.WARNING,
                "no right to list and watch {0}: what depends on them does not exist until there is one",
                objects);
    }

    /** Logs that an API server does not know a kind. */
    void doesNotKnow(String objects) {
        LOG.log(System.Logger.Level.INFO, "the API server does not know {0}: there are none", objects);
    }

    /** Logs that objects which were not followed are followed again. */
    void hasAgain(String objects) {
        LOG.log(System.Logger.Level.INFO, "{0} are listed and followed now", objects);
    }
}
