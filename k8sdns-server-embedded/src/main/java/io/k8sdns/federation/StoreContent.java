package io.k8sdns.federation;

import io.k8sdns.arguments.Copies;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Question;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/**
 * The parsed content of a {@link FederationStore}, and the reasons of skipped keys. A shard whose value cannot be parsed has no
 * addresses, but its names exist.
 *
 * <p>Thread-safe: {@link #state} needs no lock.
 */
final class StoreContent implements FederationStore.Listener {
    private final FederationFormat format;
    private final BiConsumer<? super String, ? super String> skipped;

    private volatile State state = new State(FederationContent.EMPTY, false, false);

    /** The reasons of skipped keys. Guarded by this. */
    private final Map<String, String> reasons = new HashMap<>();

    /**
     * The content, and the cache of the answers that were made from it.
     *
     * @param isReady whether the store has sent its first content
     * @param isStale whether the content may be out of date because the store does not answer
     * @param answers the cached answers; mutable
     */
    record State(FederationContent content, boolean isReady, boolean isStale, Map<AnswerKey, Answer> answers) {
        State(FederationContent content, boolean isReady, boolean isStale) {
            this(content, isReady, isStale, new ConcurrentHashMap<>());
        }
    }

    /**
     * The key of a cached answer. Names are equal without case: a cached answer has the case of the first question, and the
     * responder writes the case of each client.
     *
     * @param source the client's cluster; empty if it is unknown
     */
    record AnswerKey(Question question, Optional<String> source) {}

    /**
     * Creates a content that is not ready.
     *
     * @param skipped receives the keys and the reasons of skipped keys
     */
    StoreContent(FederationFormat format, BiConsumer<? super String, ? super String> skipped) {
        this.format = format;
        this.skipped = skipped;
    }

    /** Returns the content that is served now. */
    State state() {
        return state;
    }

    /** Returns the skipped keys with the reasons. */
    synchronized Map<String, String> skippedKeys() {
        return Map.copyOf(reasons);
    }

    @Override
    public void content(Map<String, FederationStore.Entry> entries) {
        Map<String, Optional<FederationStore.Entry>> all = new HashMap<>();
        entries.forEach((key, entry) -> all.put(key, Optional.of(entry)));
        Map<String, String> found;
        synchronized (this) {
            Map<String, String> before = Map.copyOf(reasons);
            reasons.clear();
            FederationContent.Builder builder = state.content().givenOnly().toBuilder();
            found = apply(all, builder);
            found.entrySet().removeIf(one -> one.getValue().equals(before.get(one.getKey())));
            state = new State(builder.build(), true, state.isStale());
        }
        report(found);
    }

    @Override
    public void changed(Map<String, Optional<FederationStore.Entry>> changes) {
        Map<String, String> found;
        synchronized (this) {
            FederationContent.Builder builder = state.content().toBuilder();
            found = apply(changes, builder);
            state = new State(builder.build(), state.isReady(), state.isStale());
        }
        report(found);
    }

    @Override
    public synchronized void stale() {
        state = new State(state.content(), state.isReady(), true);
    }

    @Override
    public synchronized void upToDate() {
        state = new State(state.content(), state.isReady(), false);
    }

    /** See {@link FederatedZone#clusters}. */
    synchronized void clusters(Map<String, ClusterLocation> locations) {
        Map<String, ClusterLocation> given = Copies.map("locations", locations);
        given.keySet().forEach(FederationKey::requireClusterName);
        state = new State(state.content().withGivenRegistry(given), state.isReady(), state.isStale());
    }

    /** Applies changes and returns the skipped keys with the reasons. */
    private Map<String, String> apply(
            Map<String, Optional<FederationStore.Entry>> changes, FederationContent.Builder builder) {
        Map<String, String> found = new HashMap<>();
        changes.forEach((key, entry) -> {
            Optional<String> why = apply(key, entry, builder);
            if (why.isPresent()) {
                reasons.put(key, why.get());
                found.put(key, why.get());
            } else {
                reasons.remove(key);
            }
        });
        return found;
    }

    /** Applies one change and returns the reason if the key is skipped, otherwise empty. */
    private Optional<String> apply(
            String text, Optional<FederationStore.Entry> entry, FederationContent.Builder builder) {
        FederationKey key;
        try {
            key = FederationKey.parse(text);
        } catch (IllegalArgumentException invalid) {
            return entry.map(present -> reason(invalid));
        }
        if (key instanceof FederationKey.OfShard shard) {
            return apply(shard, entry, builder);
        }
        if (key instanceof FederationKey.OfCluster cluster) {
            return apply(cluster, entry, builder);
        }
        throw new AssertionError(key);
    }

    private Optional<String> apply(
            FederationKey.OfShard key, Optional<FederationStore.Entry> entry, FederationContent.Builder builder) {
        if (entry.isEmpty()) {
            builder.remove(key);
            return Optional.empty();
        }
        try {
            builder.put(key, Objects.requireNonNull(format.shard(entry.get().value()), "no shard"));
            return Optional.empty();
        } catch (RuntimeException | StackOverflowError invalid) {
            builder.put(key, Shard.UNREACHABLE);
            return Optional.of(reason(invalid));
        }
    }

    private Optional<String> apply(
            FederationKey.OfCluster key, Optional<FederationStore.Entry> entry, FederationContent.Builder builder) {
        builder.remove(key);
        if (entry.isEmpty()) {
            return Optional.empty();
        }
        try {
            builder.put(key, Objects.requireNonNull(format.cluster(entry.get().value()), "no location"));
            return Optional.empty();
        } catch (RuntimeException | StackOverflowError invalid) {
            return Optional.of(reason(invalid));
        }
    }

    private static String reason(Throwable invalid) {
        String message = invalid.getMessage();
        return message == null ? invalid.getClass().getSimpleName() : message;
    }

    /** Reports skipped keys. Called outside the lock, because it calls the host. */
    private void report(Map<String, String> found) {
        List<String> keys = new ArrayList<>(found.keySet());
        keys.sort(null);
        for (String key : keys) {
            try {
                skipped.accept(key, found.get(key));
            } catch (RuntimeException ignored) {
                // The other keys must be reported even if the observer fails.
            }
        }
    }
}
