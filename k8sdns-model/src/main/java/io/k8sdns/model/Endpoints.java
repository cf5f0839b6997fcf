package io.k8sdns.model;

import io.k8sdns.arguments.Copies;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A legacy Endpoints object ({@code v1}), which EndpointSlices replaced (KEP-752, deprecated by KEP-4974).
 *
 * <p>Not a {@link ClusterObject}: it is used only for a Service of its name without a selector, and is converted to slices before
 * records are derived, as the EndpointSlice mirroring controller does.
 *
 * @param metadata namespace, name (that of the Service), UID, labels
 * @param subsets the subsets in the object's order
 * @param leaderLock whether it has the annotation {@value #LEADER_ANNOTATION}
 */
public record Endpoints(Metadata metadata, List<Subset> subsets, boolean leaderLock) {
    /** The kind. */
    public static final String KIND = "Endpoints";

    /** The label of Endpoints that are not converted if its value is {@code true}. */
    public static final String SKIP_MIRROR_LABEL = "endpointslice.kubernetes.io/skip-mirror";

    /** The annotation of Endpoints that are the lock of a leader election, which are not converted. */
    public static final String LEADER_ANNOTATION = "control-plane.alpha.kubernetes.io/leader";

    /** Makes Endpoints that are not the lock of a leader election. */
    public Endpoints(Metadata metadata, List<Subset> subsets) {
        this(metadata, subsets, false);
    }

    /** Copies the list. */
    public Endpoints {
        Objects.requireNonNull(metadata, "metadata");
        subsets = Copies.list("subsets", subsets);
    }

    /** Returns kind, namespace and name. */
    public ObjectRef ref() {
        return ObjectRef.of(KIND, metadata.namespace(), metadata.name());
    }

    /**
     * Addresses that listen at the same ports: every address listens at every port.
     *
     * @param addresses the addresses that are ready
     * @param notReadyAddresses the addresses that are not
     * @param ports the ports of every address; empty means none is known
     */
    public record Subset(List<Address> addresses, List<Address> notReadyAddresses, List<EndpointPort> ports) {
        /**
         * Copies the lists.
         *
         * @throws InvalidFieldException if two ports have the same name, or none, and the same protocol
         */
        public Subset {
            addresses = Copies.list("addresses", addresses);
            notReadyAddresses = Copies.list("notReadyAddresses", notReadyAddresses);
            ports = Copies.list("ports", ports);
            PortKey.requireDistinct("ports", ports, EndpointPort::key);
        }
    }

    /**
     * One address.
     *
     * @param ip the address
     * @param hostname the hostname, a DNS-1123 label, if it has one
     * @param nodeName the Node that it is on
     * @param targetRef the object behind it, usually a Pod
     */
    public record Address(
            IpAddress ip, Optional<String> hostname, Optional<String> nodeName, Optional<ObjectRef> targetRef) {
        /**
         * Checks the names.
         *
         * @throws InvalidFieldException if the hostname is not a DNS label or the node name is not a DNS subdomain
         */
        @Internal
        public Address {
            Objects.requireNonNull(ip, "ip");
            Objects.requireNonNull(hostname, "hostname");
            Objects.requireNonNull(nodeName, "nodeName");
            Objects.requireNonNull(targetRef, "targetRef");
            hostname.ifPresent(text -> FieldChecks.requireDnsLabel("hostname", text));
            nodeName.ifPresent(text -> FieldChecks.requireDnsSubdomain("nodeName", text));
        }

        /** Returns an address with nothing else. */
        public static Address of(IpAddress ip) {
            return new Address(ip, Optional.empty(), Optional.empty(), Optional.empty());
        }

        /**
         * Returns an address with nothing else.
         *
         * @param ip an IP address, for example {@code 192.0.2.10}
         * @throws IllegalArgumentException if it is not an IP address
         */
        public static Address of(String ip) {
            return of(IpAddress.parse(Objects.requireNonNull(ip, "ip")));
        }

        /** Returns a builder of an address. */
        public static Builder builder(IpAddress ip) {
            return new Builder(Objects.requireNonNull(ip, "ip"));
        }

        /**
         * Returns a builder of an address.
         *
         * @param ip an IP address, for example {@code 192.0.2.10}
         * @throws IllegalArgumentException if it is not an IP address
         */
        public static Builder builder(String ip) {
            return builder(IpAddress.parse(Objects.requireNonNull(ip, "ip")));
        }

        /** Returns a builder with everything that this address has. */
        public Builder toBuilder() {
            Builder builder = new Builder(ip);
            builder.hostname = hostname;
            builder.nodeName = nodeName;
            builder.targetRef = targetRef;
            return builder;
        }

        /** Builds an {@link Address}. A field that is not set is absent. Not thread-safe. */
        public static final class Builder {
            private final IpAddress ip;
            private Optional<String> hostname = Optional.empty();
            private Optional<String> nodeName = Optional.empty();
            private Optional<ObjectRef> targetRef = Optional.empty();

            private Builder(IpAddress ip) {
                this.ip = ip;
            }

            /** Sets the hostname, a DNS-1123 label. */
            public Builder hostname(String value) {
                hostname = Optional.of(Objects.requireNonNull(value, "hostname"));
                return this;
            }

            /** Sets the name of the Node that the address is on, a DNS-1123 subdomain. */
            public Builder nodeName(String value) {
                nodeName = Optional.of(Objects.requireNonNull(value, "nodeName"));
                return this;
            }

            /** Sets the object behind the address, usually a Pod. */
            public Builder targetRef(ObjectRef value) {
                targetRef = Optional.of(Objects.requireNonNull(value, "targetRef"));
                return this;
            }

            /**
             * Returns the address.
             *
             * @throws InvalidFieldException if the hostname is not a DNS label or the node name is not a DNS subdomain
             */
            public Address build() {
                return new Address(ip, hostname, nodeName, targetRef);
            }
        }
    }
}
