package io.k8sdns.cluster;

import io.k8sdns.model.Diagnostic;
import java.util.List;

/**
 * A source of the objects of a cluster: manifests, an API server, a program. An extension point.
 *
 * <p>A source calls its sink from one thread at a time, and never after {@link #close} has returned. It delivers
 * objects that are ready to be published: Services with their EndpointSlices. A source that reads legacy Endpoints or
 * selectors converts them to EndpointSlices first.
 */
public interface ClusterSource extends AutoCloseable {
    /**
     * Starts the delivery; may be called once. The source may deliver objects before this method returns, or later from
     * another thread.
     *
     * @param sink receives all changes, states and diagnostics. The first batches put all existing objects, then the
     *     state becomes {@link SyncState#SYNCED}
     * @throws IllegalStateException if the source was started or closed before
     */
    void start(Sink sink);

    /** Stops the delivery and frees the resources of the source; a second call does nothing. */
    @Override
    void close();

    /** Receives the changes, states and diagnostics of a source. */
    interface Sink {
        /**
         * Some objects changed.
         *
         * @param batch the changes in order, to be published together
         */
        void changed(List<ClusterChange> batch);

        /** The state of synchronization changed. */
        void stateChanged(SyncState state);

        /** The source reports a note or a warning about its input. */
        void diagnosed(Diagnostic diagnostic);
    }
}
