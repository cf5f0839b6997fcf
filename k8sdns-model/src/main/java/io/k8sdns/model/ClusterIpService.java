package io.k8sdns.model;

import io.k8sdns.arguments.Copies;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * A Service with a cluster IP (specification 2.3); of type ClusterIP, NodePort or LoadBalancer, which have the same
 * records.
 *
 * <pre>{@code
 * ClusterIpService cart = ClusterIpService.builder("shop", "cart")
 *         .clusterIp("10.96.0.20")
 *         .port(ServicePort.of("http", Protocol.TCP, 80))
 *         .selector("app=cart")
 *         .build();
 * }</pre>
 *
 * @param metadata namespace, name (a DNS-1123 label), UID, labels
 * @param clusterIps the cluster IPs in the object's order, at most one of each family; empty if no API server has
 *     assigned an address yet; such a Service has no record
 * @param ports the ports in the object's order
 * @param selection how its endpoints are found
 * @param publishNotReadyAddresses whether endpoints are published before they are ready
 * @param loadBalancer where its load balancer accepts traffic; it has no record in the cluster
 */
public record ClusterIpService(
        Metadata metadata,
        List<IpAddress> clusterIps,
        List<ServicePort> ports,
        EndpointSelection selection,
        boolean publishNotReadyAddresses,
        LoadBalancerIngress loadBalancer)
        implements Service {
    /**
     * Checks name, addresses and ports and copies the lists.
     *
     * @throws InvalidFieldException if the name is not a DNS label, two addresses are of one family, or two ports have the
     *     same name, or none, and the same protocol
     */
    @Internal
    public ClusterIpService {
        Objects.requireNonNull(metadata, "metadata");
        FieldChecks.requireDnsLabel("metadata.name", metadata.name());
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
        Objects.requireNonNull(loadBalancer, "loadBalancer");
    }

    /**
     * Makes a Service without a load balancer.
     *
     * @throws InvalidFieldException if the name is not a DNS label, two addresses are of one family, or two ports have the
     *     same name, or none, and the same protocol
     */
    @Internal
    public ClusterIpService(
            Metadata metadata,
            List<IpAddress> clusterIps,
            List<ServicePort> ports,
            EndpointSelection selection,
            boolean publishNotReadyAddresses) {
        this(metadata, clusterIps, ports, selection, publishNotReadyAddresses, LoadBalancerIngress.NONE);
    }

    /**
     * Returns a Service with one cluster IP and nothing else.
     *
     * @param clusterIp the cluster IP
     * @param ports its ports
     * @throws IllegalArgumentException if it is not an IP address
     */
    public static ClusterIpService of(String namespace, String name, String clusterIp, ServicePort... ports) {
        Metadata metadata = Metadata.of(namespace, name);
        List<ServicePort> all = Arrays.asList(Objects.requireNonNull(ports, "ports"));
        IpAddress address = IpAddress.tryParse(Objects.requireNonNull(clusterIp, "clusterIp"))
                .orElseThrow(() -> new InvalidFieldException("spec.clusterIP", "not an IP address: " + clusterIp));
        return new ClusterIpService(metadata, List.of(address), all, EndpointSelection.NONE, false);
    }

    /** Returns a Service with these addresses and ports and nothing else. */
    public static ClusterIpService of(
            String namespace, String name, List<IpAddress> clusterIps, List<ServicePort> ports) {
        return new ClusterIpService(Metadata.of(namespace, name), clusterIps, ports, EndpointSelection.NONE, false);
    }

    /**
     * Returns a builder of a Service.
     *
     * @param namespace the namespace, a DNS-1123 label
     * @param name the name, a DNS-1123 label
     * @throws InvalidFieldException if namespace or name is not what Kubernetes allows
     */
    public static Builder builder(String namespace, String name) {
        return new Builder(Metadata.of(namespace, name));
    }

    /** Returns a builder of a Service with this namespace, name, UID and these labels. */
    public static Builder builder(Metadata metadata) {
        return new Builder(Objects.requireNonNull(metadata, "metadata"));
    }

    /** Returns a builder with everything that this Service has. */
    public Builder toBuilder() {
        Builder builder = new Builder(metadata);
        builder.clusterIps = clusterIps;
        builder.ports = ports;
        builder.selection = selection;
        builder.publishNotReadyAddresses = publishNotReadyAddresses;
        builder.loadBalancer = loadBalancer;
        return builder;
    }

    /** Builds a {@link ClusterIpService}. A field that is not set is absent. Not thread-safe. */
    public static final class Builder extends ServiceBuilder<Builder> {
        private List<IpAddress> clusterIps = List.of();
        private LoadBalancerIngress loadBalancer = LoadBalancerIngress.NONE;

        private Builder(Metadata metadata) {
            super(metadata);
        }

        @Override
        Builder self() {
            return this;
        }

        /**
         * Adds a cluster IP. A Service has at most one of each family.
         *
         * @param address an IP address, for example {@code 10.96.0.20}
         * @throws IllegalArgumentException if it is not an IP address
         */
        public Builder clusterIp(String address) {
            return clusterIp(IpAddress.parse(Objects.requireNonNull(address, "clusterIp")));
        }

        /** Adds a cluster IP. A Service has at most one of each family. */
        public Builder clusterIp(IpAddress address) {
            clusterIps = Copies.added(clusterIps, Objects.requireNonNull(address, "clusterIp"));
            return this;
        }

        /**
         * Sets the cluster IPs, in place of those set or added before.
         *
         * @param addresses at most one of each family; copied
         */
        public Builder clusterIps(List<IpAddress> addresses) {
            clusterIps = Copies.list("clusterIps", addresses);
            return this;
        }

        /**
         * Sets the cluster IPs, in place of those set or added before.
         *
         * @param addresses IP addresses, at most one of each family
         * @throws IllegalArgumentException if one is not an IP address
         */
        public Builder clusterIps(String... addresses) {
            clusterIps = IpAddress.parseAll("clusterIps", addresses);
            return this;
        }

        /** Sets where its load balancer accepts traffic; by default there is no load balancer. */
        public Builder loadBalancer(LoadBalancerIngress value) {
            loadBalancer = Objects.requireNonNull(value, "loadBalancer");
            return this;
        }

        /**
         * Returns the Service.
         *
         * @throws InvalidFieldException if the name is not a DNS label, two addresses are of one family, or two ports have
         *     the same name, or none, and the same protocol
         */
        public ClusterIpService build() {
            return new ClusterIpService(metadata, clusterIps, ports, selection, publishNotReadyAddresses, loadBalancer);
        }
    }
}
