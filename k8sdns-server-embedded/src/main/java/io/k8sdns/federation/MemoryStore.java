package io.k8sdns.federation;

import io.k8sdns.arguments.Copies;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A store in memory, for tests and for federations whose content is in a file. Thread-safe. Starts no thread: the threads that call
 * {@link #watch} or write call the listeners, each listener on one thread at a time.
 */
public final class MemoryStore implements FederationStore {
    // Guarded by this.
    private final Map<String, Entry> entries = new HashMap<>();
    private final List<Follower> followers = new ArrayList<>();
    private long lastVersion;
    private boolean closed;

    private final Consumer<? super RuntimeException> failures;

    /** Creates a store without keys that ignores exceptions of listeners. */
    public MemoryStore() {
        this(failure -> {});
    }

    /**
     * Creates a store without keys.
     *
     * @param failures receives the exceptions of listeners, on the thread that called the listener; the listener receives the next
     *     events as usual
     */
    public MemoryStore(Consumer<? super RuntimeException> failures) {
        this.failures = Objects.requireNonNull(failures, "failures");
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalStateException if the store is closed
     */
    @Override
    public void watch(Listener listener) {
        Follower follower = new Follower(Objects.requireNonNull(listener, "listener"));
        synchronized (this) {
            if (closed) {
                throw new IllegalStateException("the store is closed");
            }
            Map<String, Entry> content = Map.copyOf(entries);
            followers.add(follower);
            follower.events.add(to -> to.content(content));
            follower.events.add(Listener::upToDate);
        }
        deliver(follower);
    }

    @Override
    public synchronized CompletionStage<Optional<Entry>> get(String key) {
        Objects.requireNonNull(key, "key");
        return closed
                ? CompletableFuture.failedFuture(new IOException("the store is closed"))
                : CompletableFuture.completedFuture(Optional.ofNullable(entries.get(key)));
    }

    @Override
    public CompletionStage<Boolean> compareAndSet(String key, long version, String value) {
        Objects.requireNonNull(key, "key");
        return write(key, version, Optional.of(Objects.requireNonNull(value, "value")));
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalArgumentException if the version is not more than 0
     */
    @Override
    public CompletionStage<Boolean> compareAndRemove(String key, long version) {
        Objects.requireNonNull(key, "key");
        if (version < 1) {
            throw new IllegalArgumentException("not the version of an entry: " + version);
        }
        return write(key, version, Optional.empty());
    }

    private CompletionStage<Boolean> write(String key, long version, Optional<String> value) {
        synchronized (this) {
            if (closed) {
                return CompletableFuture.failedFuture(new IOException("the store is closed"));
            }
            Entry present = entries.get(key);
            if ((present == null ? 0 : present.version()) != version) {
                return CompletableFuture.completedFuture(false);
            }
            Map<String, Optional<Entry>> changes = new HashMap<>();
            set(key, value, changes);
            publish(changes);
        }
        deliver();
        return CompletableFuture.completedFuture(true);
    }

    /**
     * Replaces the whole content; listeners receive the differences as one batch. Entries with unchanged values keep their
     * versions.
     *
     * @param values the values by their keys
     * @throws IllegalStateException if the store is closed
     */
    public void replaceAll(Map<String, String> values) {
        Map<String, String> wanted = Copies.map("values", values);
        synchronized (this) {
            if (closed) {
                throw new IllegalStateException("the store is closed");
            }
            Map<String, Optional<Entry>> changes = new HashMap<>();
            Set<String> removed = new HashSet<>(entries.keySet());
            removed.removeAll(wanted.keySet());
            removed.forEach(key -> set(key, Optional.empty(), changes));
            wanted.forEach((key, value) -> {
                Entry present = entries.get(key);
                if (present == null || !present.value().equals(value)) {
                    set(key, Optional.of(value), changes);
                }
            });
            publish(changes);
        }
        deliver();
    }

    private void set(String key, Optional<String> value, Map<String, Optional<Entry>> changes) {
        Optional<Entry> entry = value.map(text -> new Entry(text, ++lastVersion));
        entries.remove(key);
        entry.ifPresent(one -> entries.put(key, one));
        changes.put(key, entry);
    }

    private void publish(Map<String, Optional<Entry>> changes) {
        if (!changes.isEmpty()) {
            Map<String, Optional<Entry>> batch = Map.copyOf(changes);
            followers.forEach(follower -> follower.events.add(to -> to.changed(batch)));
        }
    }

    private void deliver() {
        List<Follower> all;
        synchronized (this) {
            all = List.copyOf(followers);
        }
        all.forEach(this::deliver);
    }

    /**
     * Calls a listener with its waiting events. If another thread is calling this listener, that thread delivers these events, too.
     */
    private void deliver(Follower follower) {
        synchronized (this) {
            if (follower.isBusy) {
                return;
            }
            follower.isBusy = true;
        }
        for (Consumer<Listener> event = next(follower); event != null; event = next(follower)) {
            try {
                event.accept(follower.listener);
            } catch (RuntimeException failed) {
                failures.accept(failed);
            }
        }
    }

    private synchronized @Nullable Consumer<Listener> next(Follower follower) {
        Consumer<Listener> event = closed ? null : follower.events.poll();
        if (event == null) {
            follower.isBusy = false;
        }
        return event;
    }

    @Override
    public synchronized void close() {
        closed = true;
        followers.clear();
    }

    /** A listener and the events that it has not received. */
    private static final class Follower {
        private final Listener listener;
        private final Queue<Consumer<Listener>> events = new ArrayDeque<>();
        private boolean isBusy;

        Follower(Listener listener) {
            this.listener = listener;
        }
    }
}
