package io.k8sdns.etcd;

import io.k8sdns.federation.FederationStore;
import io.k8sdns.federation.FederationStore.Entry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Records the events of a store, and waits for a state. */
final class RecordingListener implements FederationStore.Listener {
    private static final long PATIENCE_SECONDS = 60;

    private final Map<String, Entry> content = new HashMap<>();
    private final List<String> calls = new ArrayList<>();
    private boolean upToDate;

    /** The state of the listener at one moment. */
    record State(Map<String, String> values, boolean upToDate, List<String> calls) {
        long count(String call) {
            return calls.stream().filter(call::equals).count();
        }
    }

    @Override
    public synchronized void content(Map<String, Entry> entries) {
        content.clear();
        content.putAll(entries);
        report("content");
    }

    @Override
    public synchronized void changed(Map<String, Optional<Entry>> changes) {
        changes.forEach((key, entry) -> entry.ifPresentOrElse(one -> content.put(key, one), () -> content.remove(key)));
        report("changed");
    }

    @Override
    public synchronized void stale() {
        upToDate = false;
        report("stale");
    }

    @Override
    public synchronized void upToDate() {
        upToDate = true;
        report("upToDate");
    }

    private void report(String call) {
        calls.add(call);
        notifyAll();
    }

    synchronized State state() {
        Map<String, String> values = new HashMap<>();
        content.forEach((key, entry) -> values.put(key, entry.value()));
        return new State(values, upToDate, List.copyOf(calls));
    }

    /** Waits for a matching state; fails after a minute. */
    synchronized State await(String what, Predicate<State> like) throws InterruptedException {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!like.test(state())) {
            long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
            if (left <= 0) {
                throw new AssertionError("never " + what + ": " + state());
            }
            wait(left);
        }
        return state();
    }

    /** Waits until the store is up to date and has these values. */
    State awaitUpToDate(Map<String, String> values) throws InterruptedException {
        return await(
                "up to date with " + values,
                state -> state.upToDate() && state.values().equals(values));
    }
}
