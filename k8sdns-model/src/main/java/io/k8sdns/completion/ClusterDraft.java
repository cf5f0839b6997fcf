package io.k8sdns.completion;

import io.k8sdns.arguments.Copies;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.Internal;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.StatefulSet;
import java.util.List;
import java.util.Set;

/**
 * What manifests hold: objects as somebody wrote them, perhaps before any API server has filled in the rest.
 *
 * <p>{@link Completion} makes a {@link ClusterSnapshot} of it. Of two objects with one kind, namespace and name the
 * later one counts.
 *
 * @param objects the objects that records are derived from
 * @param endpoints legacy Endpoints
 * @param statefulSets the StatefulSets
 * @param addressRefused the Services and Pods that name an address which is none and was left out: they stay without
 *     one, for who wrote it did not ask for any
 */
@Internal
public record ClusterDraft(
        List<ClusterObject> objects,
        List<Endpoints> endpoints,
        List<StatefulSet> statefulSets,
        Set<ObjectRef> addressRefused) {
    /** Copies the collections. */
    public ClusterDraft {
        objects = Copies.list("objects", objects);
        endpoints = Copies.list("endpoints", endpoints);
        statefulSets = Copies.list("statefulSets", statefulSets);
        addressRefused = Copies.set("addressRefused", addressRefused);
    }

    /** Holds objects whose addresses are all right, or missing. */
    public ClusterDraft(List<ClusterObject> objects, List<Endpoints> endpoints, List<StatefulSet> statefulSets) {
        this(objects, endpoints, statefulSets, Set.of());
    }
}
