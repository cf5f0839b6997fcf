package io.k8sdns.federation;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;

/**
 * The part of a federated Service in one cluster: the parsed value of a key {@code /FEDERATION/NAMESPACE/SERVICE/CLUSTER}.
 * Immutable.
 */
public final class Shard {
    /** A shard without addresses, for values that cannot be parsed. */
    public static final Shard UNREACHABLE = builder().build();

    private final List<IpAddress> externalAddresses;
    private final List<IpAddress> clusterAddresses;
    private final List<DnsLabels> hostNames;
    private final List<ServicePort> ports;
    private final List<Endpoint> endpoints;
    private final ClusterLocation location;

    private Shard(Builder builder) {
        this.externalAddresses = builder.externalAddresses;
        this.clusterAddresses = builder.clusterAddresses;
        this.hostNames = builder.hostNames;
        this.ports = builder.ports;
        this.endpoints = builder.endpoints;
        this.location = builder.location;
    }

    /** Returns a builder of a shard without addresses. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the IPv4 and IPv6 addresses of the load balancer, for clients of other clusters. */
    public List<IpAddress> externalAddresses() {
        return externalAddresses;
    }

    /** Returns the IPv4 and IPv6 cluster IPs, for clients of the same cluster; none for a headless Service. */
    public List<IpAddress> clusterAddresses() {
        return clusterAddresses;
    }

    /** Returns the host names of the load balancer. Their addresses are external addresses, too. */
    public List<DnsLabels> hostNames() {
        return hostNames;
    }

    /** Returns the ports. Named ports have SRV records. */
    public List<ServicePort> ports() {
        return ports;
    }

    /** Returns the endpoints of a headless Service, for clients of the same cluster. */
    public List<Endpoint> endpoints() {
        return endpoints;
    }

    /** Returns the location of the cluster in the value of the shard. A location in the registry of clusters takes precedence. */
    public ClusterLocation location() {
        return location;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Shard that
                && externalAddresses.equals(that.externalAddresses)
                && clusterAddresses.equals(that.clusterAddresses)
                && hostNames.equals(that.hostNames)
                && ports.equals(that.ports)
                && endpoints.equals(that.endpoints)
                && location.equals(that.location);
    }

    @Override
    public int hashCode() {
        return Objects.hash(externalAddresses, clusterAddresses, hostNames, ports, endpoints, location);
    }

    /** Returns all parts for logs. */
    @Override
    public String toString() {
        return "Shard[external=" + externalAddresses + ", cluster=" + clusterAddresses + ", hostNames=" + hostNames
                + ", ports=" + ports + ", endpoints=" + endpoints + ", location=" + location + "]";
    }

    /** Collects the parts of a shard. Not thread-safe. */
    public static final class Builder {
        private List<IpAddress> externalAddresses = List.of();
        private List<IpAddress> clusterAddresses = List.of();
        private List<DnsLabels> hostNames = List.of();
        private List<ServicePort> ports = List.of();
        private List<Endpoint> endpoints = List.of();
        private ClusterLocation location = ClusterLocation.UNKNOWN;

        private Builder() {}

        /** Sets the external addresses; none unless set. */
        public Builder externalAddresses(List<IpAddress> value) {
            externalAddresses = distinct(Copies.list("externalAddresses", value));
            return this;
        }

        /** Sets the cluster IPs; none unless set. */
        public Builder clusterAddresses(List<IpAddress> value) {
            clusterAddresses = distinct(Copies.list("clusterAddresses", value));
            return this;
        }

        /**
         * Sets the host names of the load balancer; none unless set.
         *
         * @param value absolute names
         */
        public Builder hostNames(List<DnsLabels> value) {
            hostNames = distinct(Copies.list("hostNames", value));
            return this;
        }

        /** Sets the ports; none unless set. */
        public Builder ports(List<ServicePort> value) {
            ports = distinct(Copies.list("ports", value));
            return this;
        }

        /** Sets the endpoints of a headless Service; none unless set. */
        public Builder endpoints(List<Endpoint> value) {
            endpoints = Copies.list("endpoints", value);
            return this;
        }

        /** Sets the location of the cluster; unknown unless set. */
        public Builder location(ClusterLocation value) {
            location = Objects.requireNonNull(value, "location");
            return this;
        }

        private static <T> List<T> distinct(List<T> values) {
            return List.copyOf(new LinkedHashSet<>(values));
        }

        /** Returns the shard. */
        public Shard build() {
            return new Shard(this);
        }
    }
}
