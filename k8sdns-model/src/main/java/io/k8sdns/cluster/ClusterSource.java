package io.k8sdns.cluster;

import io.k8sdns.model.Diagnostic;
import java.util.List;

/**
 * Where the objects of a cluster come from: manifests, an API server, a program. An extension point.
 *
 * <p>A source delivers changes from one thread at a time. Closing it stops the delivery and frees what it owns.
 */
public interface ClusterSource extends AutoCloseable {
    /**
     * Starts the delivery; may be called once.
     *
     * @param sink takes everything that the source has to say; the first batches put all objects that there are
     */
    void start(Sink sink);

    /** Stops the delivery. */
    @Override
    void close();

    /** What a source tells. */
    interface Sink {
        /** Some objects changed, all at once. */
        void changed(List<ClusterChange> batch);

        /** The state of synchronisation is now this. */
        void state(SyncState state);

        /** Something was found in the input. */
        void diagnosed(Diagnostic diagnostic);
    }
}
