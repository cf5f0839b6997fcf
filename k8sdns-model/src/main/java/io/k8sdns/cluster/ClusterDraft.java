package io.k8sdns.cluster;

import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.StatefulSet;
import java.util.List;

/**
 * What manifests hold: objects as somebody wrote them, perhaps before any API server has filled in the rest.
 *
 * <p>{@link Completion} makes a {@link ClusterSnapshot} of it. Of two objects with one kind, namespace and name the
 * later one counts.
 *
 * @param objects the objects that records are derived from
 * @param endpoints legacy Endpoints
 * @param statefulSets the StatefulSets
 */
public record ClusterDraft(List<ClusterObject> objects, List<Endpoints> endpoints, List<StatefulSet> statefulSets) {
    /** Copies the lists. */
    public ClusterDraft {
        objects = List.copyOf(objects);
        endpoints = List.copyOf(endpoints);
        statefulSets = List.copyOf(statefulSets);
    }
}
