package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.SyncState;
import java.time.Duration;
import java.util.function.BiConsumer;

/**
 * Reports the states of kinds, and passes all events on.
 *
 * @param next receives all events
 * @param states receives each kind whose state changed, and the state
 */
record KindStates(ClusterObserver next, BiConsumer<String, SyncState> states) implements ClusterObserver {
    @Override
    public void state(String kind, SyncState state) {
        states.accept(kind, state);
        next.state(kind, state);
    }

    @Override
    public void received(String kind) {
        next.received(kind);
    }

    @Override
    public void objects(String kind, int count) {
        next.objects(kind, count);
    }

    @Override
    public void event(String kind, Event event) {
        next.event(kind, event);
    }

    @Override
    public void listed(String kind, Duration took) {
        next.listed(kind, took);
    }

    @Override
    public void failed(String kind, String reason) {
        next.failed(kind, reason);
    }

    @Override
    public void rejected(String kind) {
        next.rejected(kind);
    }

    @Override
    public void applied(int changes, int names, Duration took) {
        next.applied(changes, names, took);
    }

    @Override
    public void programmed(ServiceKind kind, Since since, Duration latency) {
        next.programmed(kind, since, latency);
    }
}
