package io.k8sdns.clientjava;

import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.SyncState;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Tells another observer, and goes on when that throws: what is served does not depend on who looks on.
 *
 * @param to who is told
 * @param broken takes what it throws
 */
record GuardedObserver(ClusterObserver to, Consumer<Throwable> broken) implements ClusterObserver {
    /** Guards an observer, unless it takes no notice anyway. */
    static ClusterObserver of(ClusterObserver to, Consumer<Throwable> broken) {
        return to == NONE ? NONE : new GuardedObserver(to, broken);
    }

    private void tell(Runnable what) {
        try {
            what.run();
        } catch (RuntimeException | Error thrown) {
            broken.accept(thrown);
        }
    }

    @Override
    public void state(String kind, SyncState state) {
        tell(() -> to.state(kind, state));
    }

    @Override
    public void heard(String kind) {
        tell(() -> to.heard(kind));
    }

    @Override
    public void objects(String kind, int count) {
        tell(() -> to.objects(kind, count));
    }

    @Override
    public void event(String kind, Event event) {
        tell(() -> to.event(kind, event));
    }

    @Override
    public void listed(String kind, Duration took) {
        tell(() -> to.listed(kind, took));
    }

    @Override
    public void failed(String kind, String reason) {
        tell(() -> to.failed(kind, reason));
    }

    @Override
    public void rejected(String kind) {
        tell(() -> to.rejected(kind));
    }

    @Override
    public void applied(int changes, int names, Duration took) {
        tell(() -> to.applied(changes, names, took));
    }

    @Override
    public void programmed(ServiceKind kind, Since since, Duration latency) {
        tell(() -> to.programmed(kind, since, latency));
    }
}
