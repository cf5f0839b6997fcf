package io.k8sdns.clientjava;

import io.k8sdns.cluster.SyncState;
import io.k8sdns.model.Diagnostic;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/** Tells the log of each state, and of what fails: the same kind at most once a minute, unless another thing is wrong. */
final class Failures {
    private static final System.Logger LOG = System.getLogger("io.k8sdns.clientjava");
    private static final Duration PAUSE = Duration.ofMinutes(1);

    private final Map<ApiKind, Told> told = new EnumMap<>(ApiKind.class);
    private final Map<ApiKind, LeftOut> leftOut = new EnumMap<>(ApiKind.class);

    private record Told(ApiFailure.Cause cause, long moment) {}

    /** When something of a kind was told to be left out, and how much was not told since. */
    private record LeftOut(long moment, long untold) {}

    void state(SyncState state) {
        LOG.log(
                System.Logger.Level.INFO,
                switch (state) {
                    case SYNCING -> "the cluster is not known yet";
                    case SYNCED -> "every kind of object is listed and followed";
                    case STALE -> "the API server is out of reach; the last objects are kept";
                });
    }

    void ofSink(Throwable broken) {
        LOG.log(System.Logger.Level.ERROR, "what the API server said was not taken in", broken);
    }

    void failed(ApiKind kind, ApiFailure failure) {
        long now = System.nanoTime();
        Told last = told.get(kind);
        if (last == null || last.cause() != failure.cause() || now - last.moment() >= PAUSE.toNanos()) {
            told.put(kind, new Told(failure.cause(), now));
            LOG.log(
                    System.Logger.Level.WARNING,
                    "{0}: {1}: {2}{3}",
                    kind.resource(),
                    failure.cause().word(),
                    failure.text(),
                    failure.cause() == ApiFailure.Cause.FORBIDDEN
                            ? " (the role needs list and watch on " + kind.resource() + ")"
                            : "");
        }
    }

    /** What is left out of one kind is told at most once a minute, and how much it was since. */
    void leftOut(ApiKind kind, Diagnostic diagnostic) {
        long now = System.nanoTime();
        LeftOut last = leftOut.get(kind);
        if (last != null && now - last.moment() < PAUSE.toNanos()) {
            leftOut.put(kind, new LeftOut(last.moment(), last.untold() + 1));
            return;
        }
        leftOut.put(kind, new LeftOut(now, 0));
        LOG.log(
                System.Logger.Level.WARNING,
                "left out: {0}{1}",
                diagnostic,
                last == null || last.untold() == 0 ? "" : " (and " + last.untold() + " more since the last time)");
    }

    /** A kind that may not be seen, and that records can do without. */
    void doesWithout(ApiKind kind) {
        LOG.log(
                System.Logger.Level.WARNING,
                "no right to list {0}: what depends on them does not exist until there is one",
                kind.resource());
    }

    /** A kind that was done without is seen after all. */
    void hasAgain(ApiKind kind) {
        LOG.log(System.Logger.Level.INFO, "{0} are listed now", kind.resource());
    }
}
