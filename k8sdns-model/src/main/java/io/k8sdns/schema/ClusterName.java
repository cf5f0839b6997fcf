package io.k8sdns.schema;

import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Protocol;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import java.util.Objects;

/**
 * What a name below a cluster's zone means: one variant for every form that the specification and "DNS for Services and
 * Pods" know, and {@link UnknownName} for all others. It says nothing about whether the thing exists.
 *
 * <p>Names are equal when they mean the same: case is kept and ignored, an address is its value whatever its spelling.
 */
@Internal
public sealed interface ClusterName {
    /** Returns the labels of this name below the zone; addresses in their one spelling. */
    DnsLabels labels();

    /** The names that every zone has. */
    enum FixedName implements ClusterName {
        /** The zone itself. */
        APEX(DnsLabels.EMPTY),
        /** The owner of the schema version (specification 2.2). */
        VERSION(DnsLabels.of("dns-version")),
        /** What is above the name server. */
        DNS(DnsLabels.of("dns")),
        /** The zone's name server. */
        NAME_SERVER(DnsLabels.of("ns", "dns")),
        /** What is above all Services. */
        SERVICES(DnsLabels.of("svc")),
        /** What is above all pod names. */
        PODS(DnsLabels.of("pod"));

        // DnsLabels does not change; only Error Prone's annotation, a dependency, could tell it so.
        @SuppressWarnings("ImmutableEnumChecker")
        private final DnsLabels labels;

        FixedName(DnsLabels labels) {
            this.labels = labels;
        }

        @Override
        public DnsLabels labels() {
            return labels;
        }
    }

    /**
     * What is above the Services of a namespace: {@code NS.svc}.
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
            return DnsLabels.of(namespace.toString(), "svc");
        }
    }

    /**
     * What is above the pod names of a namespace: {@code NS.pod}.
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
            return DnsLabels.of(namespace.toString(), "pod");
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
            return DnsLabels.of(service.toString(), namespace.toString(), "svc");
        }
    }

    /**
     * What is above the ports of one protocol: {@code _tcp.SVC.NS.svc}.
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
    }

    /**
     * A named port of a Service: {@code _http._tcp.SVC.NS.svc}.
     *
     * @param port the port's name, at most 62 characters, since its label begins with an underscore
     * @param protocol its protocol
     * @param service the Service
     */
    record PortName(DnsLabel port, Protocol protocol, ServiceName service) implements ClusterName {
        /**
         * Checks that the port's name leaves room for the underscore.
         *
         * @throws InvalidNameException if it does not
         */
        public PortName {
            Objects.requireNonNull(port, "port");
            Objects.requireNonNull(protocol, "protocol");
            Objects.requireNonNull(service, "service");
            if (port.length() > 62) {
                throw new InvalidNameException("a port's name is at most 62 characters in DNS: " + port);
            }
        }

        @Override
        public DnsLabels labels() {
            return service.labels().prepend(protocol.label()).prepend("_" + port);
        }
    }

    /**
     * An endpoint of a Service by its hostname: {@code HOST.SVC.NS.svc}.
     *
     * @param hostname the hostname; one that spells an address is an {@link EndpointAddressName}
     * @param service the Service
     */
    record EndpointName(DnsLabel hostname, ServiceName service) implements ClusterName {
        /**
         * Checks that the hostname spells no address.
         *
         * @throws InvalidNameException if it does
         */
        public EndpointName {
            Objects.requireNonNull(hostname, "hostname");
            Objects.requireNonNull(service, "service");
            if (AddressLabels.parseEndpointLabel(hostname.toString()).isPresent()) {
                throw new InvalidNameException("spells an address: " + hostname);
            }
        }

        @Override
        public DnsLabels labels() {
            return service.labels().prepend(hostname.toString());
        }
    }

    /**
     * An endpoint of a Service by its address with dashes: {@code 172-17-0-3.SVC.NS.svc}. A hostname may be spelled the
     * same, so both may be meant.
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
            return DnsLabels.of(AddressLabels.of(address), namespace.toString(), "pod");
        }
    }

    /**
     * A name of no known form. Nothing is there.
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
