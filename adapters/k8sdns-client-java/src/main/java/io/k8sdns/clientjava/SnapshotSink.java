package io.k8sdns.clientjava;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.ObjectRef;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects the objects that a source delivers. Thread-safe: the source delivers on its own thread. */
final class SnapshotSink implements ClusterSource.Sink {
    private final Map<ObjectRef, ClusterObject> objects = new LinkedHashMap<>();

    @Override
    public synchronized void changed(List<ClusterChange> batch) {
        for (ClusterChange change : batch) {
            if (change instanceof ClusterChange.Put put) {
                objects.put(put.ref(), put.object());
            } else {
                objects.remove(change.ref());
            }
        }
    }

    @Override
    public void stateChanged(SyncState state) {
        // The caller waits for the source instead.
    }

    @Override
    public void diagnosed(Diagnostic diagnostic) {
        // The source logs what it omits.
    }

    /** Returns the objects received so far. */
    synchronized ClusterSnapshot snapshot() {
        return ClusterSnapshot.of(List.copyOf(objects.values()));
    }
}
