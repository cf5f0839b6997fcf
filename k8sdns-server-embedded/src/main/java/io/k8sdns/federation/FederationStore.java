package io.k8sdns.federation;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The store that the clusters of federations share: keys and values, as the federation document lays them out
 * ({@code /FEDERATION/NAMESPACE/SERVICE/CLUSTER}, and {@code /_clusters/CLUSTER}). An extension point. Thread-safe.
 *
 * <p>Keys begin with a slash. What a store puts in front of them to share a server with others is its own matter.
 */
public interface FederationStore extends AutoCloseable {
    /**
     * Follows all keys until the store is closed: calls the listener with the whole content, and then with every change. A store
     * may be followed more than once.
     *
     * @throws IllegalStateException if the store is closed
     */
    void follow(Listener listener);

    /**
     * Reads one key.
     *
     * @return completes with the entry, or empty if there is none; fails with an {@link java.io.IOException} if the store does not
     *     answer in time
     */
    CompletionStage<Optional<Entry>> get(String key);

    /**
     * Writes one key, if it still has the version that the caller has seen.
     *
     * @param version the version of the entry that is replaced; 0 if there must be none
     * @return completes with whether it was written; fails with an {@link java.io.IOException} if the store does not answer in
     *     time or refuses, which leaves open whether it was written unless the message says otherwise
     */
    CompletionStage<Boolean> compareAndSet(String key, long version, String value);

    /**
     * Removes one key, if it still has the version that the caller has seen.
     *
     * @param version the version of the entry that is removed; more than 0
     * @return completes with whether it was removed; fails as {@link #compareAndSet} does
     */
    CompletionStage<Boolean> compareAndRemove(String key, long version);

    /** Ends all listeners and frees what the store uses. Closing again does nothing. */
    @Override
    void close();

    /**
     * A value and its version.
     *
     * @param value the text; JSON, unless another program has written it
     * @param version more than 0; a larger one after each write of the key, unless the store was restored from a backup
     */
    record Entry(String value, long version) {
        /** Checks that the value is not null. */
        public Entry {
            Objects.requireNonNull(value, "value");
        }
    }

    /**
     * Receives the content of a store, on one thread at a time. Must return soon. An exception that it throws is logged, and costs
     * it the call alone.
     */
    interface Listener {
        /** The whole content: at first, and again when changes may have been missed. */
        void content(Map<String, Entry> entries);

        /**
         * Keys have changed.
         *
         * @param changes the new entries; empty for a key that was removed
         */
        void changed(Map<String, Optional<Entry>> changes);

        /** The store does not answer: the content may be out of date until {@link #upToDate}. Not called before the first content. */
        void stale();

        /** The content is what the store has. Called after the first content, and after each {@link #stale}. */
        void upToDate();
    }
}
