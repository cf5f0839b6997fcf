package io.k8sdns.manifest;

import io.k8sdns.arguments.Copies;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Internal;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The result of reading manifests.
 *
 * @param snapshot the objects
 * @param diagnostics the notes and warnings, in the order of the input, then of completion
 * @param summary one line of text: the objects that were read, that were completed, and that have no record, with the
 *     reasons
 * @param kubeDnsData the data of the ConfigMap {@code kube-dns} in the namespace {@code kube-system}, by key, for
 *     {@link io.k8sdns.kubedns}; empty if there is no such ConfigMap, or an API server would refuse it
 */
public record ManifestResult(
        ClusterSnapshot snapshot,
        List<Diagnostic> diagnostics,
        String summary,
        Optional<Map<String, String>> kubeDnsData) {
    /** Copies the list and the data. */
    @Internal
    public ManifestResult {
        Objects.requireNonNull(snapshot, "snapshot");
        diagnostics = Copies.list("diagnostics", diagnostics);
        Objects.requireNonNull(summary, "summary");
        Objects.requireNonNull(kubeDnsData, "kubeDnsData");
        kubeDnsData = kubeDnsData.map(data -> Copies.map("kubeDnsData", data));
    }

    /** Makes a result of manifests without a ConfigMap of kube-dns. */
    public ManifestResult(ClusterSnapshot snapshot, List<Diagnostic> diagnostics, String summary) {
        this(snapshot, diagnostics, summary, Optional.empty());
    }
}
