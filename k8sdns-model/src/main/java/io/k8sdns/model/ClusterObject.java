package io.k8sdns.model;

import java.util.Optional;

/** A Kubernetes object that DNS records of this cluster or of other clusters can depend on. */
public sealed interface ClusterObject permits Namespace, Node, NamespacedObject {
    /** Returns kind, namespace and name: the key of this object in its cluster. */
    ObjectRef ref();

    /** Returns the object's name. */
    String name();

    /** Returns the UID that the API server assigned; empty for an object that was never stored in an API server. */
    Optional<String> uid();

    /** Returns the object's labels. */
    Labels labels();
}
