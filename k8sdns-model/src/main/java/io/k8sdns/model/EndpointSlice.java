package io.k8sdns.model;

import io.k8sdns.arguments.Copies;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * An EndpointSlice ({@code discovery.k8s.io/v1}): a part of a Service's endpoints. Immutable.
 *
 * <pre>{@code
 * EndpointSlice slice = EndpointSlice.builder("shop", "db-1")
 *         .service("db")
 *         .endpoints(Endpoint.builder("192.0.2.10").hostname("db-0").build())
 *         .ports(EndpointPort.of("postgres", Protocol.TCP, 5432))
 *         .build();
 * }</pre>
 */
public final class EndpointSlice implements NamespacedObject {
    /** The kind. */
    public static final String KIND = "EndpointSlice";

    /** The label that names the Service. */
    public static final String SERVICE_NAME_LABEL = "kubernetes.io/service-name";

    /** The label that names the controller, or another owner, of the slice. */
    @Internal
    public static final String MANAGED_BY_LABEL = "endpointslice.kubernetes.io/managed-by";

    private final Metadata metadata;
    private final Optional<String> serviceName;
    private final AddressType addressType;
    private final List<Endpoint> endpoints;
    private final List<EndpointPort> ports;

    private EndpointSlice(Builder builder) {
        metadata = builder.metadata;
        serviceName = builder.serviceName;
        endpoints = List.copyOf(builder.endpoints);
        ports = List.copyOf(builder.ports);
        addressType = builder.addressType.orElseGet(() -> typeOf(endpoints));
        PortKey.requireDistinct("ports", ports, EndpointPort::key);
        for (int i = 0; i < endpoints.size(); i++) {
            List<IpAddress> addresses = endpoints.get(i).addresses();
            for (int j = 0; j < addresses.size(); j++) {
                if (AddressType.of(addresses.get(j).family()) != addressType) {
                    throw new InvalidFieldException(
                            "endpoints[" + i + "].addresses[" + j + "]",
                            "not an address of type " + addressType + ": " + addresses.get(j));
                }
            }
        }
    }

    private static AddressType typeOf(List<Endpoint> endpoints) {
        return endpoints.isEmpty()
                ? AddressType.IPV4
                : AddressType.of(endpoints.get(0).addresses().get(0).family());
    }

    /**
     * Returns the slice of a Service's endpoints of one family, without ports. It is named {@code SERVICE-ipv4} or {@code
     * SERVICE-ipv6}, by the family of the first endpoint.
     *
     * @param namespace the namespace of the Service, a DNS-1123 label
     * @param serviceName the name of the Service
     * @param endpoints the endpoints, all of one family; without any the slice is one of IPv4
     * @throws InvalidFieldException if the namespace or the name is not what Kubernetes allows, or endpoints are of
     *     different families
     */
    public static EndpointSlice of(String namespace, String serviceName, Endpoint... endpoints) {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(serviceName, "serviceName");
        List<Endpoint> all = Copies.list("endpoints", Arrays.asList(Objects.requireNonNull(endpoints, "endpoints")));
        String suffix = typeOf(all) == AddressType.IPV4 ? "-ipv4" : "-ipv6";
        return builder(namespace, serviceName + suffix)
                .service(serviceName)
                .endpoints(all)
                .build();
    }

    /**
     * Returns a builder of a slice.
     *
     * @param namespace the namespace, a DNS-1123 label
     * @param name the name of the slice, a DNS-1123 subdomain; it does not name the Service
     * @throws InvalidFieldException if namespace or name is not what Kubernetes allows
     */
    public static Builder builder(String namespace, String name) {
        return new Builder(Metadata.of(namespace, name));
    }

    /** Returns a builder of a slice with this namespace, name, UID and these labels. */
    public static Builder builder(Metadata metadata) {
        return new Builder(Objects.requireNonNull(metadata, "metadata"));
    }

    /** Returns a builder with everything that this slice has, including its address type. */
    public Builder toBuilder() {
        Builder builder = new Builder(metadata);
        builder.serviceName = serviceName;
        builder.addressType = Optional.of(addressType);
        builder.endpoints = endpoints;
        builder.ports = ports;
        return builder;
    }

    @Override
    public Metadata metadata() {
        return metadata;
    }

    /**
     * Returns the Service that the label {@code kubernetes.io/service-name} names; a slice without the label has no
     * record.
     */
    public Optional<String> serviceName() {
        return serviceName;
    }

    /** Returns the Service that the slice names, which need not exist; empty without the label. */
    public Optional<ObjectRef> serviceRef() {
        return serviceName.map(name -> ObjectRef.of(Service.KIND, namespace(), name));
    }

    /** Returns whether the slice belongs to a Service: it names the Service and is in the Service's namespace. */
    public boolean belongsTo(Service service) {
        return namespace().equals(service.namespace())
                && serviceName.filter(service.name()::equals).isPresent();
    }

    /** Returns the family of the addresses; a slice of {@link AddressType#FQDN} has no endpoints here. */
    public AddressType addressType() {
        return addressType;
    }

    /** Returns the endpoints, in the object's order. */
    public List<Endpoint> endpoints() {
        return endpoints;
    }

    /** Returns the ports that every endpoint of this slice listens at; empty means none is known. */
    public List<EndpointPort> ports() {
        return ports;
    }

    @Override
    public ObjectRef ref() {
        return ObjectRef.of(KIND, namespace(), name());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof EndpointSlice slice
                && metadata.equals(slice.metadata)
                && serviceName.equals(slice.serviceName)
                && addressType == slice.addressType
                && endpoints.equals(slice.endpoints)
                && ports.equals(slice.ports);
    }

    @Override
    public int hashCode() {
        int hash = metadata.hashCode();
        hash = hash * 31 + serviceName.hashCode();
        hash = hash * 31 + addressType.hashCode();
        hash = hash * 31 + endpoints.hashCode();
        return hash * 31 + ports.hashCode();
    }

    /** Returns all fields; the service name is omitted if the slice has none. */
    @Override
    public String toString() {
        return "EndpointSlice[metadata=" + metadata
                + serviceName.map(service -> ", serviceName=" + service).orElse("")
                + ", addressType=" + addressType
                + ", endpoints=" + endpoints
                + ", ports=" + ports + "]";
    }

    /** Builds an {@link EndpointSlice}. A field that is not set is absent. Not thread-safe. */
    public static final class Builder extends ObjectBuilder<Builder> {
        private Optional<String> serviceName = Optional.empty();
        private Optional<AddressType> addressType = Optional.empty();
        private List<Endpoint> endpoints = List.of();
        private List<EndpointPort> ports = List.of();

        private Builder(Metadata metadata) {
            super(metadata);
        }

        @Override
        Builder self() {
            return this;
        }

        /**
         * Sets the name of the Service that the endpoints belong to: the value of the label {@code
         * kubernetes.io/service-name}. The empty name counts as absent. The labels of the metadata stay as they are.
         */
        public Builder service(String name) {
            Objects.requireNonNull(name, "service");
            serviceName = name.isEmpty() ? Optional.empty() : Optional.of(name);
            return this;
        }

        /**
         * Sets the address type. If it is not set, it is the family of the first endpoint's first address, and IPv4 if
         * there is no endpoint.
         */
        public Builder addressType(AddressType type) {
            addressType = Optional.of(Objects.requireNonNull(type, "addressType"));
            return this;
        }

        /** Sets the endpoints, in place of those set or added before. */
        public Builder endpoints(Endpoint... all) {
            return endpoints(Arrays.asList(Objects.requireNonNull(all, "endpoints")));
        }

        /**
         * Sets the endpoints, in place of those set or added before.
         *
         * @param all the endpoints; copied
         */
        public Builder endpoints(List<Endpoint> all) {
            endpoints = Copies.list("endpoints", all);
            return this;
        }

        /** Adds an endpoint. */
        public Builder endpoint(Endpoint endpoint) {
            endpoints = Copies.added(endpoints, Objects.requireNonNull(endpoint, "endpoint"));
            return this;
        }

        /** Sets the ports, in place of those set or added before. */
        public Builder ports(EndpointPort... all) {
            return ports(Arrays.asList(Objects.requireNonNull(all, "ports")));
        }

        /**
         * Sets the ports, in place of those set or added before.
         *
         * @param all the ports; copied
         */
        public Builder ports(List<EndpointPort> all) {
            ports = Copies.list("ports", all);
            return this;
        }

        /** Adds a port. */
        public Builder port(EndpointPort port) {
            ports = Copies.added(ports, Objects.requireNonNull(port, "port"));
            return this;
        }

        /**
         * Returns the slice.
         *
         * @throws InvalidFieldException if an address is of another family, or two ports have the same name, or none, and
         *     the same protocol
         */
        public EndpointSlice build() {
            return new EndpointSlice(this);
        }
    }
}
