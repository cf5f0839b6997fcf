package io.k8sdns.federation.controller;

import io.k8sdns.federation.FederationStore;
import io.k8sdns.federation.FederationStore.Entry;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Writes the desired entries of keys to a store, each by compare-and-swap with the entry that was read last.
 *
 * <pre>
 *   idle --entry differs---> writing --answer--> reading --entry--> idle, and compared again
 *                               |                   |
 *                               '---- no answer ----'--> waiting --> reading
 * </pre>
 *
 * <p>The entry that was read last may be outdated. Then a write fails, but never overwrites a newer entry, because it names the version
 * that it replaces. After each write the key is read, so that a lost response and a conflict are handled alike. For the loop's thread.
 */
final class StoreWriter {
    /** The maximum number of concurrent calls, so that a large difference does not fill the store's queues. */
    private static final int MAX_CALLS = 64;

    /** The maximum number of conflicts in a row; then the key waits as after a failure. */
    private static final int MAX_CONFLICTS = 3;

    private final FederationStore store;
    private final ControllerTimers time;
    private final RandomGenerator random;
    private final Duration deadline;
    private final DesiredState desired;
    private final Map<String, Entry> present = new HashMap<>();
    private final Map<String, Work> works = new HashMap<>();
    private final Set<String> queue = new LinkedHashSet<>();
    private int calls;
    private boolean isKnown;
    private boolean isClosed;

    /** The desired entries, which decides about edits and is notified of entries and attempts. */
    interface DesiredState {
        /** Returns the edit that gives a key its desired entry; called immediately before the edit is made. */
        KeyEdit edit(String key, Optional<Entry> present);

        /** Called when these keys were read; their entries may have changed. */
        void entriesRead(Set<String> keys);

        /** Called when the work on a key has ended, or an attempt has failed. */
        void attemptEnded();
    }

    /** An edit of one key. */
    sealed interface KeyEdit {
        /** No change. */
        record Keep() implements KeyEdit {}

        /**
         * A new value.
         *
         * @param value the new value
         * @param sending called when the write is sent
         */
        record Put(String value, Runnable sending) implements KeyEdit {
            Put(String value) {
                this(value, () -> {});
            }
        }

        /** No entry. */
        record Remove() implements KeyEdit {}
    }

    /** A key that is being worked on. */
    private static final class Work {
        private boolean isWaiting;

        /** Whether the watch has reported the key since it was read last. */
        private boolean isDirty;

        private int conflicts;
        private int failures;
        private @Nullable String reason;
        private ControllerTimers.@Nullable Timer timer;
    }

    StoreWriter(
            FederationStore store,
            ControllerTimers time,
            RandomGenerator random,
            Duration deadline,
            DesiredState desired) {
        this.store = store;
        this.time = time;
        this.random = random;
        this.deadline = deadline;
        this.desired = desired;
    }

    /** Starts to follow the store. */
    void start() {
        store.watch(new Follower());
    }

    /** Passes the events of the store to the loop. */
    private final class Follower implements FederationStore.Listener {
        @Override
        public void content(Map<String, Entry> entries) {
            time.execute(() -> {
                Set<String> seen = new LinkedHashSet<>(present.keySet());
                seen.addAll(entries.keySet());
                present.clear();
                present.putAll(entries);
                isKnown = true;
                desired.entriesRead(seen);
            });
        }

        @Override
        public void changed(Map<String, Optional<Entry>> changes) {
            time.execute(() -> {
                changes.forEach((key, entry) -> {
                    see(key, entry);
                    Work work = works.get(key);
                    if (work != null) {
                        work.isDirty = true;
                    }
                });
                desired.entriesRead(changes.keySet());
            });
        }

        @Override
        public void stale() {}

        @Override
        public void upToDate() {
            time.execute(StoreWriter.this::retryNow);
        }
    }

    private void see(String key, Optional<Entry> entry) {
        Entry before = present.get(key);
        if (entry.isEmpty()) {
            present.remove(key);
        } else if (before == null || before.version() < entry.get().version()) {
            present.put(key, entry.get());
        }
    }

    /** Returns whether the content of the store has been read. */
    boolean isKnown() {
        return isKnown;
    }

    /** Returns the entries that were read last. */
    Map<String, Entry> present() {
        return present;
    }

    Optional<Entry> present(String key) {
        return Optional.ofNullable(present.get(key));
    }

    /** Returns whether there is no work, except on keys with at least this number of failures in a row. */
    boolean isIdle(int failures) {
        return queue.isEmpty() && works.values().stream().allMatch(work -> work.failures >= failures);
    }

    /** Returns whether a key is being written or read at the moment. */
    boolean isBusy(String key) {
        Work work = works.get(key);
        return work != null && !work.isWaiting;
    }

    /** Passes each key whose last attempt has failed, with the reason. */
    void failures(BiConsumer<String, String> each) {
        works.forEach((key, work) -> {
            String reason = work.reason;
            if (reason != null) {
                each.accept(key, reason);
            }
        });
    }

    // ---- work ----

    /** Compares a key with its desired entry, and writes or removes it if they differ. */
    void check(String key) {
        if (works.containsKey(key)) {
            // Compared again when the key has been read.
            return;
        }
        if (!isKnown || isClosed || desired.edit(key, present(key)) instanceof KeyEdit.Keep) {
            queue.remove(key);
            return;
        }
        queue.add(key);
        pump();
    }

    private void pump() {
        while (calls < MAX_CALLS && !queue.isEmpty() && !isClosed) {
            String key = queue.iterator().next();
            queue.remove(key);
            write(key, new Work());
        }
    }

    private void write(String key, Work work) {
        Optional<Entry> entry = present(key);
        KeyEdit edit = desired.edit(key, entry);
        if (edit instanceof KeyEdit.Keep) {
            works.remove(key);
            desired.attemptEnded();
            return;
        }
        works.put(key, work);
        long version = entry.map(Entry::version).orElse(0L);
        Supplier<CompletionStage<Boolean>> call;
        if (edit instanceof KeyEdit.Put put) {
            put.sending().run();
            call = () -> store.compareAndSet(key, version, put.value());
        } else if (version == 0) {
            throw new AssertionError("cannot remove a key without an entry: " + key);
        } else {
            call = () -> store.compareAndRemove(key, version);
        }
        call(call, (done, failure) -> {
            if (failure != null) {
                fail(key, work, failure);
            } else if (Boolean.FALSE.equals(done) && ++work.conflicts > MAX_CONFLICTS) {
                fail(key, work, "another program writes the key again and again");
            } else {
                if (Boolean.TRUE.equals(done)) {
                    work.failures = 0;
                    work.reason = null;
                    work.conflicts = 0;
                }
                read(key, work);
            }
        });
    }

    private void read(String key, Work work) {
        work.isDirty = false;
        call(() -> store.get(key), (entry, failure) -> {
            if (failure != null || entry == null) {
                fail(key, work, String.valueOf(failure));
                return;
            }
            if (work.isDirty) {
                // The watch has reported the key during the read, whose result may be older.
                read(key, work);
                return;
            }
            see(key, entry);
            desired.entriesRead(Set.of(key));
            write(key, work);
            pump();
        });
    }

    private void fail(String key, Work work, String reason) {
        work.failures++;
        work.conflicts = 0;
        work.reason = reason;
        work.isWaiting = true;
        work.timer = time.after(ControllerBackoff.after(work.failures, random), () -> retry(key, work));
        desired.attemptEnded();
        pump();
    }

    private void retry(String key, Work work) {
        if (work.isWaiting && !isClosed) {
            work.isWaiting = false;
            ControllerTimers.Timer timer = work.timer;
            if (timer != null) {
                timer.cancel();
            }
            read(key, work);
        }
    }

    private void retryNow() {
        Map.copyOf(works).forEach(this::retry);
    }

    /** Makes a call that ends by the deadline, and continues in the loop. */
    private <T> void call(Supplier<CompletionStage<T>> call, BiConsumer<@Nullable T, @Nullable String> then) {
        calls++;
        TimedCall.start(time, deadline, call, value -> end(then, value, null), failure -> end(then, null, failure));
    }

    private <T> void end(BiConsumer<@Nullable T, @Nullable String> then, @Nullable T value, @Nullable String failure) {
        calls--;
        if (!isClosed) {
            then.accept(value, failure);
        }
    }

    /** Stops all work. */
    void close() {
        isClosed = true;
        works.values().forEach(work -> {
            ControllerTimers.Timer timer = work.timer;
            if (timer != null) {
                timer.cancel();
            }
        });
        works.clear();
        queue.clear();
    }
}
