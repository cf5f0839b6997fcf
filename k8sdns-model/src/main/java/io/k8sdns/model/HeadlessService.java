package io.k8sdns.model;

import java.util.List;
import java.util.Objects;

/**
 * A headless Service (specification 2.4): its names resolve to its published endpoints.
 *
 * @param metadata namespace, name (a DNS-1123 label), UID, labels
 * @param ports the ports in the object's order
 * @param selection how its endpoints are found
 * @param publishNotReadyAddresses whether endpoints are published before they are ready
 */
public record HeadlessService(
        Metadata metadata, List<ServicePort> ports, EndpointSelection selection, boolean publishNotReadyAddresses)
        implements Service {
    /**
     * Checks the name and the ports and copies the list.
     *
     * @throws InvalidFieldException if the name is no DNS label, or two ports have the same name, or none, and the same
     *     protocol
     */
    public HeadlessService {
        Objects.requireNonNull(metadata, "metadata");
        KubernetesNames.requireDnsLabel("metadata.name", metadata.name());
        ports = Copies.list("ports", ports);
        PortKey.requireDistinct("spec.ports", ports, ServicePort::key);
        Objects.requireNonNull(selection, "selection");
    }

    /** Returns a Service with these ports and nothing else. */
    public static HeadlessService of(String namespace, String name, List<ServicePort> ports) {
        return new HeadlessService(Metadata.of(namespace, name), ports, EndpointSelection.NONE, false);
    }
}
