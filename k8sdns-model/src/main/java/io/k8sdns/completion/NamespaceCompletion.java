package io.k8sdns.completion;

import io.k8sdns.model.Labels;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.NamespacedObject;
import io.k8sdns.model.ObjectRef;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Adds the Namespaces of the objects and those that every cluster has. */
final class NamespaceCompletion {
    /** The namespaces that every cluster has. */
    private static final List<String> INITIAL_NAMESPACES =
            List.of("default", "kube-node-lease", "kube-public", "kube-system");

    /** The label that holds the name; the API server sets it on every Namespace. */
    private static final String NAMESPACE_NAME_LABEL = "kubernetes.io/metadata.name";

    private final CompletionState state;

    NamespaceCompletion(CompletionState state) {
        this.state = state;
    }

    void complete() {
        Set<String> used = usedNamespaces();
        for (String name : used) {
            if (!state.objects().containsKey(ObjectRef.of(Namespace.KIND, name))
                    && !INITIAL_NAMESPACES.contains(name)) {
                state.note(
                        "completed-namespace", ObjectRef.of(Namespace.KIND, name), "exists because objects are in it");
            }
        }
        used.addAll(INITIAL_NAMESPACES);
        used.forEach(name -> state.add(Namespace.of(name)));
        state.all(Namespace.class).forEach(namespace -> state.put(withNameLabel(namespace)));
    }

    /** Adds the Namespaces of the objects. */
    void addUsed() {
        usedNamespaces().forEach(name -> state.put(withNameLabel(Namespace.of(name))));
    }

    private static Namespace withNameLabel(Namespace namespace) {
        Map<String, String> labels = new TreeMap<>(namespace.labels().values());
        labels.put(NAMESPACE_NAME_LABEL, namespace.name());
        return namespace.withLabels(new Labels(labels));
    }

    private Set<String> usedNamespaces() {
        Set<String> names = new TreeSet<>();
        state.all(NamespacedObject.class).forEach(object -> names.add(object.namespace()));
        state.endpoints().values().forEach(object -> names.add(object.metadata().namespace()));
        state.workloads().forEach(set -> names.add(set.metadata().namespace()));
        return names;
    }
}
