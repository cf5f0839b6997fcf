package io.k8sdns.model;

import java.util.Optional;

/** A Kubernetes object in a namespace. */
public sealed interface NamespacedObject extends ClusterObject permits Service, EndpointSlice, Pod, ServiceExport {
    /** Returns the object's namespace, name, UID and labels. */
    Metadata metadata();

    /** Returns the namespace of the object. */
    default String namespace() {
        return metadata().namespace();
    }

    @Override
    default String name() {
        return metadata().name();
    }

    @Override
    default Optional<String> uid() {
        return metadata().uid();
    }

    @Override
    default Labels labels() {
        return metadata().labels();
    }
}
