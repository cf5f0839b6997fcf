package io.k8sdns.clientjava;

import io.k8sdns.cluster.SyncState;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/** Tells the log of each state, and of what fails: the same kind at most once a minute, unless another thing is wrong. */
final class Failures {
    private static final System.Logger LOG = System.getLogger("io.k8sdns.clientjava");
    private static final Duration PAUSE = Duration.ofMinutes(1);

    private final Map<ApiKind, Told> told = new EnumMap<>(ApiKind.class);

    private record Told(ApiFailure.Cause cause, long moment) {}

    void state(SyncState state) {
        LOG.log(
                System.Logger.Level.INFO,
                switch (state) {
                    case SYNCING -> "the cluster is not known yet";
                    case SYNCED -> "every kind of object is listed and followed";
                    case STALE -> "the API server is out of reach; the last objects are kept";
                });
    }

    void ofSink(RuntimeException broken) {
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
                    failure.cause(),
                    failure.text(),
                    failure.cause() == ApiFailure.Cause.FORBIDDEN
                            ? " (the role needs list and watch on " + kind.resource() + ")"
                            : "");
        }
    }
}
