package io.k8sdns.slices;

import io.k8sdns.model.Internal;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Selector;
import io.k8sdns.model.Service;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An index of Pods by namespace and label, which finds a Service's Pods without testing every Pod. */
@Internal
public final class PodIndex {
    /** The index of no Pods. */
    public static final PodIndex NONE = new PodIndex(List.of());

    private final Map<List<String>, List<Pod>> pods = new HashMap<>();

    /** Makes an index of these Pods. */
    public PodIndex(Iterable<Pod> pods) {
        for (Pod pod : pods) {
            pod.labels()
                    .values()
                    .forEach((key, value) -> this.pods
                            .computeIfAbsent(List.of(pod.namespace(), key, value), any -> new ArrayList<>())
                            .add(pod));
        }
    }

    /** Returns the Pods that a Service selects; an empty list without a selector. */
    public List<Pod> selectedBy(Service service) {
        Optional<Labels> selector = EndpointSliceRules.selection(service).selector();
        return selector.isPresent() ? matching(service.namespace(), selector.get()) : List.of();
    }

    /** Returns the Pods of a namespace that have these labels. */
    public List<Pod> matching(String namespace, Labels labels) {
        List<Pod> fewest = List.of();
        boolean first = true;
        for (Map.Entry<String, String> label : labels.values().entrySet()) {
            List<Pod> found = pods.getOrDefault(List.of(namespace, label.getKey(), label.getValue()), List.of());
            if (first || found.size() < fewest.size()) {
                fewest = found;
                first = false;
            }
        }
        Selector selector = Selector.ofLabels(labels);
        return fewest.stream().filter(pod -> selector.test(pod.labels())).toList();
    }
}
