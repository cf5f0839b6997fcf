package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.model.Diagnostic;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Watches a directory of manifests as the source of a cluster. A missing directory is reported as an unavailable source and not as
 * a cluster without Services, because it is probably not mounted.
 */
final class DirectorySource implements ClusterSource {
    private final Path directory;
    private final ClusterSource manifests;

    DirectorySource(Path directory, ClusterSource manifests) {
        this.directory = directory;
        this.manifests = manifests;
    }

    @Override
    public void start(Sink sink) {
        manifests.start(new Sink() {
            private boolean isMissing;

            @Override
            public void changed(List<ClusterChange> batch) {
                boolean exists = Files.isDirectory(directory);
                if (!exists && !isMissing) {
                    isMissing = true;
                    sink.stateChanged(SyncState.STALE);
                }
                sink.changed(batch);
                if (exists && isMissing) {
                    isMissing = false;
                    sink.stateChanged(SyncState.SYNCED);
                }
            }

            @Override
            public void stateChanged(SyncState state) {
                sink.stateChanged(state);
            }

            @Override
            public void diagnosed(Diagnostic diagnostic) {
                sink.diagnosed(diagnostic);
            }
        });
    }

    @Override
    public void close() {
        manifests.close();
    }
}
