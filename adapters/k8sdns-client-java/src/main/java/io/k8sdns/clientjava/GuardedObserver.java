package io.k8sdns.clientjava;

import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.SyncState;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Calls another observer and catches what it throws, so that an observer cannot stop the source.
 *
 * @param to the observer that is called
 * @param broken receives its exceptions
 */
record GuardedObserver(ClusterObserver to, Consumer<Throwable> broken) implements ClusterObserver {
    /** Returns a guarded observer; {@link ClusterObserver#NONE} needs no guard. */
    static ClusterObserver of(ClusterObserver to, Consumer<Throwable> broken) {
        return to == NONE ? NONE : new GuardedObserver(to, broken);
    }

    private void guard(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException | Error thrown) {
            broken.accept(thrown);
        }
    }

    @Override
    public void state(String kind, SyncState state) {
        guard(() -> to.state(kind, state));
    }

    @Override
    public void received(String kind) {
        guard(() -> to.received(kind));
    }

    @Override
    public void objects(String kind, int count) {
        guard(() -> to.objects(kind, count));
    }

    @Override
    public void event(String kind, Event event) {
        guard(() -> to.event(kind, event));
    }

    @Override
    public void listed(String kind, Duration took) {
        guard(() -> to.listed(kind, took));
    }

    @Override
    public void failed(String kind, String reason) {
        guard(() -> to.failed(kind, reason));
    }

    @Override
    public void rejected(String kind) {
        guard(() -> to.rejected(kind));
    }

    @Override
    public void applied(int changes, int names, Duration took) {
        guard(() -> to.applied(changes, names, took));
    }

    @Override
    public void programmed(ServiceKind kind, Since since, Duration latency) {
        guard(() -> to.programmed(kind, since, latency));
    }
}
