package io.k8sdns.manifest;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A source of the objects of manifests, which delivers all objects once, when it starts, and no changes afterwards. */
public final class ManifestSource implements ClusterSource {
    /** The result to deliver; null after the delivery, to release its memory. */
    private @Nullable ManifestResult result;

    private ManifestSource(ManifestResult result) {
        this.result = result;
    }

    /** Returns a source of a result of {@link Manifests#read}. */
    public static ManifestSource of(ManifestResult result) {
        return new ManifestSource(Objects.requireNonNull(result, "result"));
    }

    /**
     * Delivers the diagnostics, all objects as one batch, and {@link SyncState#SYNCED}, before it returns.
     *
     * @throws IllegalStateException if the source was started or closed before
     */
    @Override
    public synchronized void start(Sink sink) {
        ManifestResult all = result;
        if (all == null) {
            throw new IllegalStateException("the source was started or closed before; create a new one");
        }
        result = null;
        all.diagnostics().forEach(sink::diagnosed);
        sink.changed(all.snapshot().objects().stream()
                .<ClusterChange>map(ClusterChange.Put::new)
                .toList());
        sink.stateChanged(SyncState.SYNCED);
    }

    @Override
    public synchronized void close() {
        result = null;
    }
}
