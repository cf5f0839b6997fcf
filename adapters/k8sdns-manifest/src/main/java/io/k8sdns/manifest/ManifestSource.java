package io.k8sdns.manifest;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Manifests as a source: everything is delivered once, when the source starts, and nothing changes afterwards. */
public final class ManifestSource implements ClusterSource {
    /** What is to be delivered; null once that is done, so that it is not kept for as long as the source is. */
    private @Nullable ManifestResult result;

    private ManifestSource(ManifestResult result) {
        this.result = result;
    }

    /** Returns a source of what {@link Manifests#read} found. */
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
            throw new IllegalStateException("a manifest source starts once, before it is closed");
        }
        result = null;
        all.diagnostics().forEach(sink::diagnosed);
        sink.changed(all.snapshot().objects().stream()
                .<ClusterChange>map(ClusterChange.Put::new)
                .toList());
        sink.state(SyncState.SYNCED);
    }

    @Override
    public synchronized void close() {
        result = null;
    }
}
