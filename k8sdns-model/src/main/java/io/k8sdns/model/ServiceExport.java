package io.k8sdns.model;

import java.util.Objects;

/**
 * A ServiceExport of the Multi-Cluster Services API ({@code multicluster.x-k8s.io}): it makes the Service of the same
 * namespace and name available in other clusters. No record of the cluster's own zone depends on it.
 *
 * @param metadata namespace, name, UID and labels
 */
public record ServiceExport(Metadata metadata) implements NamespacedObject {
    /** The kind. */
    public static final String KIND = "ServiceExport";

    /** Checks that nothing is null. */
    @Internal
    public ServiceExport {
        Objects.requireNonNull(metadata, "metadata");
    }

    /**
     * Returns the export of a Service, without UID and labels.
     *
     * @throws InvalidFieldException if namespace or name is not what Kubernetes allows
     */
    public static ServiceExport of(String namespace, String name) {
        return new ServiceExport(
                Metadata.of(Objects.requireNonNull(namespace, "namespace"), Objects.requireNonNull(name, "name")));
    }

    /** Returns the Service that is exported; it need not exist. */
    public ObjectRef service() {
        return ObjectRef.of(Service.KIND, namespace(), name());
    }

    @Override
    public ObjectRef ref() {
        return ObjectRef.of(KIND, namespace(), name());
    }
}
