package io.k8sdns.model;

import java.util.Objects;
import java.util.Optional;

/**
 * Which Kubernetes object: kind, namespace and name. Ordered by namespace (cluster-scoped objects first), name and kind.
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
        // Most are of one namespace, and of one text for it.
        int order = here.equals(there) ? 0 : here.compareTo(there);
        if (order == 0) {
            order = name.compareTo(other.name);
        }
        return order == 0 ? kind.compareTo(other.kind) : order;
    }

    // Spelled out here and in other keys of a load: what a record has by itself is put together while a program starts,
    // several milliseconds for each.
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
