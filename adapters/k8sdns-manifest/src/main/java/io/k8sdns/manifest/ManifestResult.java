package io.k8sdns.manifest;

import io.k8sdns.arguments.Copies;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.model.Diagnostic;
import java.util.List;
import java.util.Objects;

/**
 * What manifests hold.
 *
 * @param snapshot the objects
 * @param diagnostics everything worth saying about the input, in the order of the input, then of completion
 * @param summary one line for a person: what was read, what was completed, what yields no record and why
 */
public record ManifestResult(ClusterSnapshot snapshot, List<Diagnostic> diagnostics, String summary) {
    /** Copies the list. */
    public ManifestResult {
        Objects.requireNonNull(snapshot, "snapshot");
        diagnostics = Copies.list("diagnostics", diagnostics);
        Objects.requireNonNull(summary, "summary");
    }
}
