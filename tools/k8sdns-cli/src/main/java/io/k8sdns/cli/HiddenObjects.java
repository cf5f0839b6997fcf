package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.NamespacedObject;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Service;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The Services and Pods that filters such as {@code --namespace} hide. */
final class HiddenObjects {
    private final ClusterSnapshot snapshot;
    private final Set<ObjectRef> hidden;
    private final List<String> filters;

    /**
     * Finds the hidden objects.
     *
     * @param filters the options that hide objects
     */
    HiddenObjects(ClusterSnapshot snapshot, Visibility visibility, List<String> filters) {
        this.snapshot = snapshot;
        this.filters = List.copyOf(filters);
        Set<String> namespaces = snapshot.objects(Namespace.class)
                .filter(visibility::shows)
                .map(Namespace::name)
                .collect(Collectors.toSet());
        this.hidden = snapshot.objects(NamespacedObject.class)
                .filter(HiddenObjects::hasLabels)
                .filter(object -> !namespaces.contains(object.namespace()) || !visibility.shows(object))
                .map(ClusterObject::ref)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** Returns whether filters by labels apply to the kind of an object. */
    private static boolean hasLabels(NamespacedObject object) {
        return object instanceof Service || object instanceof Pod;
    }

    /** Returns whether no Service and no Pod is left. */
    boolean areAllHidden() {
        return snapshot.objects(NamespacedObject.class)
                .filter(HiddenObjects::hasLabels)
                .map(ClusterObject::ref)
                .allMatch(hidden::contains);
    }

    /** Returns whether a Service or Pod is hidden. */
    boolean contains(ObjectRef object) {
        return hidden.contains(object);
    }

    /** Returns a line with the numbers of hidden objects; empty if none is hidden. */
    Optional<String> counted() {
        List<String> counts = new ArrayList<>();
        for (String kind : List.of(Service.KIND, Pod.KIND)) {
            long ofKind = hidden.stream().filter(ref -> ref.kind().equals(kind)).count();
            if (ofKind > 0) {
                long all = snapshot.objects().stream()
                        .filter(object -> object.ref().kind().equals(kind))
                        .count();
                counts.add(ofKind + " of " + all + " " + kind + (all == 1 ? "" : "s"));
            }
        }
        return counts.isEmpty() || filters.isEmpty()
                ? Optional.empty()
                : Optional.of("note: " + String.join(" and ", counts) + (hidden.size() == 1 ? " is" : " are")
                        + " hidden by " + String.join(", ", filters));
    }

    /** Returns a line that names those of some objects that are hidden; empty if none is. */
    Optional<String> named(Set<ObjectRef> objects) {
        List<String> found = objects.stream()
                .filter(hidden::contains)
                .map(this::described)
                .distinct()
                .toList();
        if (found.isEmpty() || filters.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of("note: hidden by " + String.join(", ", filters) + ": " + PlanTable.first(found));
    }

    /** Returns an object; of the Pods that a workload makes, whose names may be invented, the workload. */
    private String described(ObjectRef object) {
        return snapshot.get(object)
                .filter(Pod.class::isInstance)
                .flatMap(pod -> ((Pod) pod).workload())
                .map(workload -> "the Pods of " + workload)
                .orElseGet(object::toString);
    }
}
