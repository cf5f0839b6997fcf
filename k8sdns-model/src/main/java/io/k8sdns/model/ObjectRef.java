package io.k8sdns.model;

import java.util.Comparator;
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
    private static final Comparator<ObjectRef> ORDER = Comparator.comparing(
                    (ObjectRef ref) -> ref.namespace().orElse(""))
            .thenComparing(ObjectRef::name)
            .thenComparing(ObjectRef::kind);

    /** Checks that nothing is null. */
    public ObjectRef {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(name, "name");
    }

    /** Refers to an object in a namespace. */
    public static ObjectRef of(String kind, String namespace, String name) {
        return new ObjectRef(kind, Optional.of(namespace), name);
    }

    /** Refers to a cluster-scoped object. */
    public static ObjectRef of(String kind, String name) {
        return new ObjectRef(kind, Optional.empty(), name);
    }

    @Override
    public int compareTo(ObjectRef other) {
        return ORDER.compare(this, other);
    }

    /** Returns, for example, {@code Service shop/cart} or {@code Namespace shop}. */
    @Override
    public String toString() {
        return kind + " " + namespace.map(ns -> ns + "/").orElse("") + name;
    }
}
