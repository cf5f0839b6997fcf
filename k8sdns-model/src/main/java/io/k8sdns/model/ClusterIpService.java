package io.k8sdns.model;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * A Service with a cluster IP (specification 2.3); of type ClusterIP, NodePort or LoadBalancer, which is one to DNS.
 *
 * @param metadata namespace, name (a DNS-1123 label), UID, labels
 * @param clusterIps the cluster IPs in the object's order, at most one of each family; empty for an object that no API
 *     server has given an address, which makes no record
 * @param ports the ports in the object's order
 * @param selection how its endpoints are found
 * @param publishNotReadyAddresses whether endpoints are published before they are ready
 */
public record ClusterIpService(
        Metadata metadata,
        List<IpAddress> clusterIps,
        List<ServicePort> ports,
        EndpointSelection selection,
        boolean publishNotReadyAddresses)
        implements Service {
    /**
     * Checks name, addresses and ports and copies the lists.
     *
     * @throws InvalidFieldException if the name is no DNS label, two addresses are of one family, or two ports have the
     *     same name, or none, and the same protocol
     */
    public ClusterIpService {
        Objects.requireNonNull(metadata, "metadata");
        KubernetesNames.requireDnsLabel("metadata.name", metadata.name());
        clusterIps = Copies.list("clusterIps", clusterIps);
        if (clusterIps.size() > 1
                && clusterIps.get(0).family() == clusterIps.get(1).family()) {
            throw new InvalidFieldException(
                    "spec.clusterIPs[1]",
                    "a second address of family " + clusterIps.get(1).family() + ": " + clusterIps.get(1));
        }
        if (clusterIps.size() > 2) {
            throw new InvalidFieldException("spec.clusterIPs[2]", "a third address: " + clusterIps.get(2));
        }
        ports = Copies.list("ports", ports);
        PortKey.requireDistinct("spec.ports", ports, ServicePort::key);
        Objects.requireNonNull(selection, "selection");
    }

    /**
     * Returns a Service with one cluster IP and nothing else.
     *
     * @param clusterIp the cluster IP
     * @param ports its ports
     * @throws IllegalArgumentException if it is no IP address
     */
    public static ClusterIpService of(String namespace, String name, String clusterIp, ServicePort... ports) {
        Metadata metadata = Metadata.of(namespace, name);
        List<ServicePort> all = Arrays.asList(Objects.requireNonNull(ports, "ports"));
        IpAddress address = IpAddress.parse(Objects.requireNonNull(clusterIp, "clusterIp"));
        return new ClusterIpService(metadata, List.of(address), all, EndpointSelection.NONE, false);
    }

    /** Returns a Service with these addresses and ports and nothing else. */
    public static ClusterIpService of(
            String namespace, String name, List<IpAddress> clusterIps, List<ServicePort> ports) {
        return new ClusterIpService(Metadata.of(namespace, name), clusterIps, ports, EndpointSelection.NONE, false);
    }
}
