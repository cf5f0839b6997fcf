package io.k8sdns.cluster;

import io.k8sdns.model.Diagnostic;
import java.util.List;

/**
 * Where the objects of a cluster come from: manifests, an API server, a program. An extension point.
 *
 * <p>A source calls its sink from one thread at a time, and never after {@link #close} has returned. It delivers
 * objects that are ready to be published: Services with their EndpointSlices, wherever those come from, never legacy
 * Endpoints or selectors still to be followed.
 */
public interface ClusterSource extends AutoCloseable {
    /**
     * Starts the delivery; may be called once. Objects may come before this returns, or later from another thread.
     *
     * @param sink takes everything that the source has to say; the first batches put all objects that there are, then
     *     comes {@link SyncState#SYNCED}
     * @throws IllegalStateException if the source was started or closed before
     */
    void start(Sink sink);

    /** Stops the delivery and frees what the source owns; once closed, does nothing. */
    @Override
    void close();

    /** What a source tells. */
    interface Sink {
        /**
         * Some objects changed.
         *
         * @param batch the changes in order, to be published together
         */
        void changed(List<ClusterChange> batch);

        /** The state of synchronisation is now this. */
        void state(SyncState state);

        /** Something was found in the input. */
        void diagnosed(Diagnostic diagnostic);
    }
}
