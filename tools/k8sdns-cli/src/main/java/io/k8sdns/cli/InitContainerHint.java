package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.explain.Explanation;
import io.k8sdns.explain.Explanation.Source;
import io.k8sdns.manifest.HostUses;
import io.k8sdns.manifest.ManifestInput;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.name.DnsLabels;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The hint at an init container that has a name whose records are those of its own Pods. If it waits for the name, the Pods never become
 * ready, and a headless Service has no records of Pods that are not ready.
 */
record InitContainerHint(
        ClusterSnapshot cluster, List<DnsLabels> zones, List<ManifestInput> inputs, String defaultNamespace) {
    /**
     * Returns the hint for a name that resolves; empty if no init container has it.
     *
     * @throws IOException if a manifest cannot be read
     */
    Optional<String> of(Explanation explained) throws IOException {
        Set<Optional<ObjectRef>> owners =
                explained.sources().stream().map(this::owner).collect(Collectors.toSet());
        Optional<HeadlessService> service = new NamesOfServices(cluster, zones).headless(explained.name());
        if (owners.size() != 1 || service.isEmpty() || service.get().publishNotReadyAddresses()) {
            return Optional.empty();
        }
        Optional<ObjectRef> owner = owners.iterator().next();
        SearchedNames names = new SearchedNames(zones);
        return HostUses.in(
                        inputs,
                        defaultNamespace,
                        (namespace, word) -> names.of(word, namespace).anyMatch(explained.name()::equals))
                .stream()
                .filter(use -> Optional.of(use.object()).equals(owner)
                        && use.field().contains("initContainers[")
                        && names.of(use.host(), use.namespace()).anyMatch(explained.name()::equals))
                .findFirst()
                .map(use -> "note: " + use.position() + ": " + use.object() + ", " + use.field() + " has " + use.host()
                        + ": if the init container waits for this name, its Pods never become ready, so that a cluster has no"
                        + " records; spec.publishNotReadyAddresses of "
                        + service.get().ref() + " publishes them");
    }

    /** Returns the workload of the Pod that makes a record, or the Pod if it has none; empty for other records. */
    private Optional<ObjectRef> owner(Source source) {
        return source.object()
                .map(object -> cluster.get(object)
                        .filter(Pod.class::isInstance)
                        .flatMap(pod -> ((Pod) pod).workload())
                        .orElse(object));
    }
}
