package io.k8sdns.manifest;

import io.k8sdns.arguments.Copies;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.manifest.objects.CombinedFiles;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Position;
import io.k8sdns.model.StatefulSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The result of reading manifests.
 *
 * @param snapshot the objects
 * @param inventedAddresses the addresses in the snapshot that no manifest holds; a real cluster chooses others
 * @param workloads the workload of each Pod in the snapshot that was made from a template
 * @param positions where the manifests hold the objects and the idle workloads of the snapshot; of a Pod that its workload makes, the
 *     workload. Objects that completion adds, for example EndpointSlices, are missing
 * @param diagnostics the notes and warnings, in the order of the input, then of completion
 * @param refusals those of them because of which an API server would refuse an object of the snapshot; the object is there without the
 *     invalid parts
 * @param summaryLines the summary, in parts of one line each: the files and objects that were read, the completed objects, the
 *     skipped ones, and those without a record with the reasons
 * @param kubeDnsData the data of the ConfigMap {@code kube-dns} in the namespace {@code kube-system}, by key, for
 *     {@link io.k8sdns.kubedns}; empty if there is no such ConfigMap, or an API server would refuse it
 */
public record ManifestResult(
        ClusterSnapshot snapshot,
        Set<IpAddress> inventedAddresses,
        Map<ObjectRef, ObjectRef> workloads,
        Map<ObjectRef, Position> positions,
        List<Diagnostic> diagnostics,
        List<Diagnostic> refusals,
        List<String> summaryLines,
        Optional<Map<String, String>> kubeDnsData) {
    /** Copies the collections. */
    @Internal
    public ManifestResult {
        Objects.requireNonNull(snapshot, "snapshot");
        inventedAddresses = Copies.set("inventedAddresses", inventedAddresses);
        workloads = Copies.map("workloads", workloads);
        positions = Copies.map("positions", positions);
        diagnostics = Copies.list("diagnostics", diagnostics);
        refusals = Copies.list("refusals", refusals);
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
                    cluster.workloads(),
                    cluster.positions(),
                    cluster.diagnostics(),
                    cluster.refusals(),
                    cluster.summaryLines(),
                    cluster.kubeDnsData());
        }
        CombinedFiles.Refused refused = (CombinedFiles.Refused) combined;
        throw new ManifestException(refused.problems(), refused.invented(), inventedPods(refused.workloads()));
    }

    /** Makes a result of manifests without invented addresses and without a ConfigMap of kube-dns. */
    public ManifestResult(ClusterSnapshot snapshot, List<Diagnostic> diagnostics, String summary) {
        this(
                snapshot,
                Set.of(),
                Map.of(),
                Map.of(),
                diagnostics,
                List.of(),
                List.of(Objects.requireNonNull(summary, "summary")),
                Optional.empty());
    }

    /**
     * Returns the Pods in the snapshot whose names no manifest determines, because their controllers choose them at random; a
     * StatefulSet numbers its Pods.
     */
    public Set<ObjectRef> inventedPods() {
        return inventedPods(workloads);
    }

    private static Set<ObjectRef> inventedPods(Map<ObjectRef, ObjectRef> workloads) {
        return workloads.entrySet().stream()
                .filter(one -> !one.getValue().kind().equals(StatefulSet.KIND))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /** Returns the position of an object if the manifests hold it, or the workload of a Pod, otherwise empty. */
    public Optional<Position> position(ObjectRef object) {
        return Optional.ofNullable(positions.get(Objects.requireNonNull(object, "object")));
    }

    /** Returns the summary in one line of text. */
    public String summary() {
        return String.join("; ", summaryLines);
    }
}
