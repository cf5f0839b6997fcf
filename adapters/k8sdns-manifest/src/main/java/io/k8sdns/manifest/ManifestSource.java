package io.k8sdns.manifest;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import java.util.Objects;

/** Manifests as a source: everything is delivered once, when the source starts, and nothing changes afterwards. */
public final class ManifestSource implements ClusterSource {
    private final ManifestResult result;
    private boolean over;

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
        if (over) {
            throw new IllegalStateException("a manifest source starts once, before it is closed");
        }
        over = true;
        result.diagnostics().forEach(sink::diagnosed);
        sink.changed(result.snapshot().objects().stream()
                .<ClusterChange>map(ClusterChange.Put::new)
                .toList());
        sink.state(SyncState.SYNCED);
    }

    @Override
    public synchronized void close() {
        over = true;
    }
}
