package io.k8sdns.schema;

import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.Service;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import java.util.Objects;
import java.util.Optional;

/**
 * The meaning of a name below a cluster's zone: one variant for every form of the specification and of "DNS for
 * Services and Pods", and {@link UnknownName} for all others. The named object need not exist.
 *
 * <p>Names are equal when they have the same meaning: comparisons ignore case and the spelling of an address.
 */
@Internal
public sealed interface ClusterName {
    /** Returns the labels of this name below the zone, with addresses in their canonical spelling. */
    DnsLabels labels();

    /** Returns the name of the Service that this name belongs to: itself, or the one it is below; empty for other names. */
    default Optional<ServiceName> serviceName() {
        return Optional.empty();
    }

    /** The names that every zone has. */
    enum FixedName implements ClusterName {
        /** The zone itself. */
        APEX(DnsLabels.EMPTY),
        /** The owner name of the schema version (specification 2.2). */
        VERSION(DnsLabels.of("dns-version")),
        /** The parent of the name server's name. */
        DNS(DnsLabels.of("dns")),
        /** The zone's name server. */
        NAME_SERVER(DnsLabels.of("ns", "dns")),
        /** The parent of all Services' names. */
        SERVICES(DnsLabels.of(NameSchema.SERVICES)),
        /** The parent of all pod names. */
        PODS(DnsLabels.of(NameSchema.PODS));

        // DnsLabels is immutable, but declaring that to Error Prone would need its annotations as a dependency.
        @SuppressWarnings("ImmutableEnumChecker")
        private final DnsLabels labels;

        FixedName(DnsLabels labels) {
            this.labels = labels;
        }

        /** Returns the fixed name with these labels below the zone; empty if they are not one. */
        public static Optional<FixedName> of(DnsLabels belowZone) {
            for (FixedName name : values()) {
                if (name.labels.equals(belowZone)) {
                    return Optional.of(name);
                }
            }
            return Optional.empty();
        }

        @Override
        public DnsLabels labels() {
            return labels;
        }
    }

    /**
     * The parent of the Services of a namespace: {@code NS.svc}.
     *
     * @param namespace the namespace
     */
    record ServicesName(DnsLabel namespace) implements ClusterName {
        /** Checks that nothing is null. */
        public ServicesName {
            Objects.requireNonNull(namespace, "namespace");
        }

        @Override
        public DnsLabels labels() {
            return NameSchema.services(namespace.toString());
        }
    }

    /**
     * The parent of the pod names of a namespace: {@code NS.pod}.
     *
     * @param namespace the namespace
     */
    record PodsName(DnsLabel namespace) implements ClusterName {
        /** Checks that nothing is null. */
        public PodsName {
            Objects.requireNonNull(namespace, "namespace");
        }

        @Override
        public DnsLabels labels() {
            return NameSchema.pods(namespace.toString());
        }
    }

    /**
     * A Service: {@code SVC.NS.svc}.
     *
     * @param service the Service's name
     * @param namespace its namespace
     */
    record ServiceName(DnsLabel service, DnsLabel namespace) implements ClusterName {
        /** Checks that nothing is null. */
        public ServiceName {
            Objects.requireNonNull(service, "service");
            Objects.requireNonNull(namespace, "namespace");
        }

        @Override
        public DnsLabels labels() {
            return NameSchema.service(service.toString(), namespace.toString());
        }

        @Override
        public Optional<ServiceName> serviceName() {
            return Optional.of(this);
        }

        /** Returns the Service as a Kubernetes object, whose name and namespace are in lower case. */
        public ObjectRef ref() {
            return ObjectRef.of(Service.KIND, namespace.folded(), service.folded());
        }
    }

    /**
     * The parent of the ports of one protocol: {@code _tcp.SVC.NS.svc}.
     *
     * @param protocol the protocol
     * @param service the Service
     */
    record ProtocolName(Protocol protocol, ServiceName service) implements ClusterName {
        /** Checks that nothing is null. */
        public ProtocolName {
            Objects.requireNonNull(protocol, "protocol");
            Objects.requireNonNull(service, "service");
        }

        @Override
        public DnsLabels labels() {
            return service.labels().prepend(protocol.label());
        }

        @Override
        public Optional<ServiceName> serviceName() {
            return Optional.of(service);
        }
    }

    /**
     * A named port of a Service: {@code _http._tcp.SVC.NS.svc}.
     *
     * @param port the port's name, at most 62 characters, since its label begins with an underscore
     * @param protocol its protocol
     * @param service the Service
     */
    record PortName(DnsLabel port, Protocol protocol, ServiceName service) implements ClusterName {
        private static final String UNDERSCORE = "_";

        /**
         * Checks that the port's name and the underscore fit into a label.
         *
         * @throws InvalidNameException if they do not
         */
        public PortName {
            Objects.requireNonNull(port, "port");
            Objects.requireNonNull(protocol, "protocol");
            Objects.requireNonNull(service, "service");
            if (!fits(port.toString())) {
                throw new InvalidNameException("a port's name is at most 62 characters in DNS: " + port);
            }
        }

        @Override
        public DnsLabels labels() {
            return service.labels().prepend(protocol.label()).prepend(label(port.toString()));
        }

        @Override
        public Optional<ServiceName> serviceName() {
            return Optional.of(service);
        }

        /** Returns whether a port's name and the underscore before it fit into a label. */
        public static boolean fits(String port) {
            return port.length() < 63;
        }

        /** Returns the label of a port: its name with an underscore. */
        public static String label(String port) {
            return UNDERSCORE + port;
        }

        /**
         * Returns whether a label is one of a port or of a protocol: it begins with an underscore, which the name of an
         * endpoint cannot (RFC 2782).
         */
        public static boolean isLabel(String label) {
            return label.startsWith(UNDERSCORE);
        }
    }

    /**
     * An endpoint of a Service by its hostname: {@code HOST.SVC.NS.svc}.
     *
     * @param hostname the hostname; a hostname in the form of an address is an {@link EndpointAddressName}
     * @param service the Service
     */
    record EndpointName(DnsLabel hostname, ServiceName service) implements ClusterName {
        /**
         * Checks that the hostname does not have the form of an address.
         *
         * @throws InvalidNameException if it does
         */
        public EndpointName {
            Objects.requireNonNull(hostname, "hostname");
            Objects.requireNonNull(service, "service");
            if (AddressLabels.parseEndpointLabel(hostname.toString()).isPresent()) {
                throw new InvalidNameException("has the form of an address: " + hostname);
            }
        }

        @Override
        public DnsLabels labels() {
            return service.labels().prepend(hostname.toString());
        }

        @Override
        public Optional<ServiceName> serviceName() {
            return Optional.of(service);
        }
    }

    /**
     * An endpoint of a Service by its address with dashes: {@code 172-17-0-3.SVC.NS.svc}. The hostname of another
     * endpoint may be the same label.
     *
     * @param address the address
     * @param service the Service
     */
    record EndpointAddressName(IpAddress address, ServiceName service) implements ClusterName {
        /** Checks that nothing is null. */
        public EndpointAddressName {
            Objects.requireNonNull(address, "address");
            Objects.requireNonNull(service, "service");
        }

        @Override
        public DnsLabels labels() {
            return service.labels().prepend(AddressLabels.of(address));
        }

        @Override
        public Optional<ServiceName> serviceName() {
            return Optional.of(service);
        }
    }

    /**
     * A Pod by its address with dashes: {@code 172-17-0-3.NS.pod}.
     *
     * @param address the address
     * @param namespace the Pod's namespace
     */
    record PodName(IpAddress address, DnsLabel namespace) implements ClusterName {
        /** Checks that nothing is null. */
        public PodName {
            Objects.requireNonNull(address, "address");
            Objects.requireNonNull(namespace, "namespace");
        }

        @Override
        public DnsLabels labels() {
            return NameSchema.pods(namespace.toString()).prepend(AddressLabels.of(address));
        }
    }

    /**
     * A name of no known form; it never has a record.
     *
     * @param labels the labels below the zone
     */
    record UnknownName(DnsLabels labels) implements ClusterName {
        /** Checks that nothing is null. */
        public UnknownName {
            Objects.requireNonNull(labels, "labels");
        }
    }
}
