package io.k8sdns.manifest.following;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.manifest.objects.CombinedFiles;
import java.util.List;

/**
 * The effect of changed files.
 *
 * @param changes one batch; empty if there are only diagnostics
 * @param report the whole cluster, with the new diagnostics only
 */
public record FollowerStep(List<ClusterChange> changes, CombinedFiles.Cluster report) {
    /** Copies the list. */
    public FollowerStep {
        changes = List.copyOf(changes);
    }
}
