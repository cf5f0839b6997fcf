package io.k8sdns.manifest;

import io.k8sdns.arguments.Copies;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.manifest.objects.CombinedFiles;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The result of reading manifests.
 *
 * @param snapshot the objects
 * @param inventedAddresses the addresses in the snapshot that no manifest holds; a real cluster chooses others
 * @param diagnostics the notes and warnings, in the order of the input, then of completion
 * @param summaryLines the summary, in parts of one line each: the files and objects that were read, the completed objects, the
 *     skipped ones, and those without a record with the reasons
 * @param kubeDnsData the data of the ConfigMap {@code kube-dns} in the namespace {@code kube-system}, by key, for
 *     {@link io.k8sdns.kubedns}; empty if there is no such ConfigMap, or an API server would refuse it
 */
public record ManifestResult(
        ClusterSnapshot snapshot,
        Set<IpAddress> inventedAddresses,
        List<Diagnostic> diagnostics,
        List<String> summaryLines,
        Optional<Map<String, String>> kubeDnsData) {
    /** Copies the collections. */
    @Internal
    public ManifestResult {
        Objects.requireNonNull(snapshot, "snapshot");
        inventedAddresses = Copies.set("inventedAddresses", inventedAddresses);
        diagnostics = Copies.list("diagnostics", diagnostics);
        summaryLines = Copies.list("summaryLines", summaryLines);
        Objects.requireNonNull(kubeDnsData, "kubeDnsData");
        kubeDnsData = kubeDnsData.map(data -> Copies.map("kubeDnsData", data));
    }

    /**
     * Returns the result of combined files.
     *
     * @throws ManifestException if they are refused
     */
    static ManifestResult of(CombinedFiles combined) {
        if (combined instanceof CombinedFiles.Cluster cluster) {
            return new ManifestResult(
                    cluster.snapshot(),
                    cluster.invented(),
                    cluster.diagnostics(),
                    cluster.summaryLines(),
                    cluster.kubeDnsData());
        }
        throw new ManifestException(((CombinedFiles.Refused) combined).problems());
    }

    /** Makes a result of manifests without invented addresses and without a ConfigMap of kube-dns. */
    public ManifestResult(ClusterSnapshot snapshot, List<Diagnostic> diagnostics, String summary) {
        this(snapshot, Set.of(), diagnostics, List.of(Objects.requireNonNull(summary, "summary")), Optional.empty());
    }

    /** Returns the summary in one line of text. */
    public String summary() {
        return String.join("; ", summaryLines);
    }
}
