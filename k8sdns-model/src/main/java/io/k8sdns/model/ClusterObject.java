package io.k8sdns.model;

import java.util.Optional;

/** A Kubernetes object that DNS records can depend on, those of other clusters included. */
public sealed interface ClusterObject permits Namespace, Node, NamespacedObject {
    /** Returns kind, namespace and name: the key of this object in its cluster. */
    ObjectRef ref();

    /** Returns the object's name. */
    String name();

    /** Returns the UID that the API server gave; empty for an object that no API server has seen. */
    Optional<String> uid();

    /** Returns the object's labels. */
    Labels labels();
}
