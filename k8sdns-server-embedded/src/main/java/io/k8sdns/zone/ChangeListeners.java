package io.k8sdns.zone;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * The listeners of a zone. They receive one change after another, also if a listener applies further changes.
 *
 * <p>{@link #add} is thread-safe; the caller of {@link #accept} holds the zone's lock.
 */
final class ChangeListeners {
    private final List<Listening> listeners = new CopyOnWriteArrayList<>();

    /** The changes that have not been passed to the listeners yet. */
    private final Queue<ZoneChange> unnotified = new ArrayDeque<>();

    private boolean isNotifying;

    /** Adds a listener. One that is added twice has two subscriptions. */
    ClusterZone.Subscription add(Consumer<ZoneChange> listener) {
        Listening listening = new Listening(listener);
        listeners.add(listening);
        return listening;
    }

    /**
     * Passes a change to all listeners. A change that a listener makes is queued after the current one.
     *
     * @param failures receives each exception and error of a listener, and throws none
     */
    void accept(ZoneChange change, Consumer<? super Throwable> failures) {
        unnotified.add(change);
        if (isNotifying) {
            return;
        }
        isNotifying = true;
        try {
            for (ZoneChange next = unnotified.poll(); next != null; next = unnotified.poll()) {
                for (Listening listening : listeners) {
                    try {
                        listening.listener.accept(next);
                    } catch (RuntimeException | Error thrown) {
                        failures.accept(thrown);
                    }
                }
            }
        } finally {
            isNotifying = false;
        }
    }

    /** Throws the first of the exceptions and errors of listeners, with the others suppressed, if there is one. */
    static void throwFirst(List<Throwable> failures) {
        if (failures.isEmpty()) {
            return;
        }
        Throwable first = failures.get(0);
        failures.stream().filter(other -> other != first).forEach(first::addSuppressed);
        if (first instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) first;
    }

    /** The subscription of one listener. */
    private final class Listening implements ClusterZone.Subscription {
        private final Consumer<ZoneChange> listener;

        Listening(Consumer<ZoneChange> listener) {
            this.listener = listener;
        }

        @Override
        public void close() {
            listeners.remove(this);
        }
    }
}
