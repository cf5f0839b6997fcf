package io.k8sdns.completion;

import io.k8sdns.arguments.Copies;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.Internal;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Workload;
import java.util.List;
import java.util.Set;

/**
 * The objects of manifests, perhaps without the fields that an API server would add.
 *
 * <p>{@link Completion} makes a {@link ClusterSnapshot} of it. Of several objects with the same kind, namespace and
 * name, only the last is kept.
 *
 * @param objects the objects that records are derived from
 * @param endpoints legacy Endpoints
 * @param workloads StatefulSets, Deployments and the other makers of Pods
 * @param addressRefused the Services and Pods whose manifest has an invalid address, which was omitted. No address is
 *     chosen for them, because the manifest requests a particular one
 */
@Internal
public record ClusterDraft(
        List<ClusterObject> objects,
        List<Endpoints> endpoints,
        List<Workload> workloads,
        Set<ObjectRef> addressRefused) {
    /** Copies the collections. */
    public ClusterDraft {
        objects = Copies.list("objects", objects);
        endpoints = Copies.list("endpoints", endpoints);
        workloads = Copies.list("workloads", workloads);
        addressRefused = Copies.set("addressRefused", addressRefused);
    }

    /** Makes a draft of objects without invalid addresses. */
    public ClusterDraft(List<ClusterObject> objects, List<Endpoints> endpoints, List<Workload> workloads) {
        this(objects, endpoints, workloads, Set.of());
    }
}
