package io.k8sdns.model;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What a workload says of the Pods that it makes, as far as DNS can tell them apart.
 *
 * @param labels the labels of every Pod
 * @param hostNetwork whether the Pods share their Node's address
 * @param nodeName the Node that the template names, if it does
 * @param ports the named ports of its containers, then those of its sidecars
 */
public record PodTemplate(Labels labels, boolean hostNetwork, Optional<String> nodeName, List<ContainerPort> ports) {
    /**
     * Checks the node name and copies the list.
     *
     * @throws InvalidFieldException if the node name is no DNS subdomain
     */
    public PodTemplate {
        Objects.requireNonNull(labels, "labels");
        Objects.requireNonNull(nodeName, "nodeName");
        nodeName.ifPresent(text -> KubernetesNames.requireDnsSubdomain("spec.nodeName", text));
        ports = Copies.list("ports", ports);
    }

    /** Returns a template with these labels and nothing else. */
    public static PodTemplate of(Labels labels) {
        return new PodTemplate(labels, false, Optional.empty(), List.of());
    }
}
