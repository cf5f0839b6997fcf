package io.k8sdns.model;

import java.util.Objects;
import java.util.Optional;

/**
 * A reference to a Kubernetes object: kind, namespace and name. Ordered by namespace (cluster-scoped objects first),
 * name and kind.
 *
 * @param kind the kind, for example {@code Service}
 * @param namespace the namespace; empty for a cluster-scoped kind
 * @param name the name
 */
public record ObjectRef(String kind, Optional<String> namespace, String name) implements Comparable<ObjectRef> {
    /** Checks that nothing is null. */
    @Internal
    public ObjectRef {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(name, "name");
    }

    /** Refers to an object in a namespace. */
    public static ObjectRef of(String kind, String namespace, String name) {
        return new ObjectRef(kind, Optional.of(Objects.requireNonNull(namespace, "namespace")), name);
    }

    /** Refers to a cluster-scoped object. */
    public static ObjectRef of(String kind, String name) {
        return new ObjectRef(kind, Optional.empty(), name);
    }

    @Override
    public int compareTo(ObjectRef other) {
        String here = namespace.orElse("");
        String there = other.namespace.orElse("");
        // Most references share one namespace and the same String of it.
        int order = here.equals(there) ? 0 : here.compareTo(there);
        if (order == 0) {
            order = name.compareTo(other.name);
        }
        return order == 0 ? kind.compareTo(other.kind) : order;
    }

    // Written by hand, as in other keys used at startup: the generated methods of a record are linked on first use,
    // which takes several milliseconds for each class.
    @Override
    public boolean equals(Object other) {
        return other instanceof ObjectRef ref
                && name.equals(ref.name)
                && kind.equals(ref.kind)
                && namespace.equals(ref.namespace);
    }

    @Override
    public int hashCode() {
        return (name.hashCode() * 31 + namespace.hashCode()) * 31 + kind.hashCode();
    }

    /** Returns, for example, {@code Service shop/cart} or {@code Namespace shop}. */
    @Override
    public String toString() {
        return kind + " " + namespace.map(ns -> ns + "/").orElse("") + name;
    }
}
