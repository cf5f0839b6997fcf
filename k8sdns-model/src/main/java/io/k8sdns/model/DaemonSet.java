package io.k8sdns.model;

import java.util.Objects;

/**
 * A DaemonSet ({@code apps/v1}): one Pod on each Node that the template allows.
 *
 * @param metadata namespace, name, UID, labels
 * @param selector the labels of its Pods
 * @param template the template of its Pods
 * @param placement which Nodes the template's tolerations and Node affinity allow
 */
public record DaemonSet(Metadata metadata, Labels selector, PodTemplate template, NodePlacement placement)
        implements Workload {
    /** The kind. */
    public static final String KIND = "DaemonSet";

    /** Checks that no component is null. */
    @Internal
    public DaemonSet {
        Objects.requireNonNull(metadata, "metadata");
        Objects.requireNonNull(selector, "selector");
        Objects.requireNonNull(template, "template");
        Objects.requireNonNull(placement, "placement");
    }

    @Override
    public ObjectRef ref() {
        return ObjectRef.of(KIND, metadata.namespace(), metadata.name());
    }
}
