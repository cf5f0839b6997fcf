package io.k8sdns.federation;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A key-value store that is shared by the clusters of federations. Keys have the format of the design document: {@code
 * /FEDERATION/NAMESPACE/SERVICE/CLUSTER} and {@code /_clusters/CLUSTER}. An extension point; implementations are thread-safe.
 *
 * <p>Keys begin with a slash. An implementation can add a prefix to the keys on its server; callers do not see the prefix.
 */
public interface FederationStore extends AutoCloseable {
    /**
     * Watches all keys until the store is closed: calls the listener with the whole content, and then with each change. A store can
     * have several listeners.
     *
     * @throws IllegalStateException if the store is closed
     */
    void watch(Listener listener);

    /**
     * Returns the entry of one key.
     *
     * @return completes with the entry, or empty if there is none; fails with an {@link java.io.IOException} if the store does not
     *     answer in time
     */
    CompletionStage<Optional<Entry>> get(String key);

    /**
     * Writes one key if its version has not changed.
     *
     * @param version the version of the entry to replace; 0 if the key must not exist
     * @return completes with whether it was written; fails with an {@link java.io.IOException} if the store does not answer in time
     *     or refuses. After a failure the key may have been written, unless the message excludes this
     */
    CompletionStage<Boolean> compareAndSet(String key, long version, String value);

    /**
     * Removes one key if its version has not changed.
     *
     * @param version the version of the entry to remove; more than 0
     * @return completes with whether it was removed; fails like {@link #compareAndSet}
     */
    CompletionStage<Boolean> compareAndRemove(String key, long version);

    /** Stops all calls of listeners and releases the resources of the store. Idempotent. */
    @Override
    void close();

    /**
     * A value and its version.
     *
     * @param value the text; JSON if k8sdns has written it
     * @param version more than 0; increases with each write of the key, unless the store was restored from a backup
     */
    record Entry(String value, long version) {
        /** Checks that the value is not null. */
        public Entry {
            Objects.requireNonNull(value, "value");
        }
    }

    /**
     * Receives the content of a store, on one thread at a time. Implementations return quickly. An exception is logged, and the
     * next calls are made as usual.
     */
    interface Listener {
        /** Receives the whole content: first, and again after changes may have been missed. */
        void content(Map<String, Entry> entries);

        /**
         * Receives changes.
         *
         * @param changes the new entries; empty for a key that was removed
         */
        void changed(Map<String, Optional<Entry>> changes);

        /**
         * Reports that the store does not answer, so that the content may be out of date until {@link #upToDate}. Not called before
         * the first content.
         */
        void stale();

        /**
         * Reports that the content is up to date. Called after the first content, and after each {@link #stale} when the store
         * answers again.
         */
        void upToDate();
    }
}
