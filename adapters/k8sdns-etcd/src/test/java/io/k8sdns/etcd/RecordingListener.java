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

/** Keeps what a store reports, and waits for it. */
final class RecordingListener implements FederationStore.Listener {
    private static final long PATIENCE_SECONDS = 60;

    private final Map<String, Entry> content = new HashMap<>();
    private final List<String> calls = new ArrayList<>();
    private boolean upToDate;

    /** What is known at one moment. */
    record Known(Map<String, String> values, boolean upToDate, List<String> calls) {
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

    synchronized Known known() {
        Map<String, String> values = new HashMap<>();
        content.forEach((key, entry) -> values.put(key, entry.value()));
        return new Known(values, upToDate, List.copyOf(calls));
    }

    /** Waits until what is known is like this; fails after a minute. */
    synchronized Known await(String what, Predicate<Known> like) throws InterruptedException {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!like.test(known())) {
            long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
            if (left <= 0) {
                throw new AssertionError("never " + what + ": " + known());
            }
            wait(left);
        }
        return known();
    }

    /** Waits until the store is up to date and has these values. */
    Known awaitUpToDate(Map<String, String> values) throws InterruptedException {
        return await(
                "up to date with " + values,
                known -> known.upToDate() && known.values().equals(values));
    }
}
