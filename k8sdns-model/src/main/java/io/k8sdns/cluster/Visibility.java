package io.k8sdns.cluster;

import io.k8sdns.model.Labels;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.NamespacedObject;
import io.k8sdns.model.Selector;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which objects are published. A hidden object has no name, no address, no PTR and no glue.
 *
 * <p>{@link Selector} is the usual predicate. Nodes are never published by themselves, so nothing hides them.
 *
 * @param namespaces the names of the namespaces that are published; empty means all
 * @param namespaceLabels what the labels of a published namespace must satisfy
 * @param labels what the labels of a published Service or Pod must satisfy; EndpointSlices follow their Service
 */
public record Visibility(Set<String> namespaces, Predicate<Labels> namespaceLabels, Predicate<Labels> labels) {
    /** Everything is published. */
    public static final Visibility ALL = new Visibility(Set.of(), Selector.EVERYTHING, Selector.EVERYTHING);

    /** Copies the set. */
    public Visibility {
        namespaces = Set.copyOf(namespaces);
        Objects.requireNonNull(namespaceLabels, "namespaceLabels");
        Objects.requireNonNull(labels, "labels");
    }

    /** Returns whether a namespace is published. */
    public boolean shows(Namespace namespace) {
        return (namespaces.isEmpty() || namespaces.contains(namespace.name()))
                && namespaceLabels.test(namespace.labels());
    }

    /** Returns whether a Service or Pod is published, provided that its namespace is. */
    public boolean shows(NamespacedObject object) {
        return labels.test(object.labels());
    }
}
