package io.k8sdns.model;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * An EndpointSlice ({@code discovery.k8s.io/v1}): a part of a Service's endpoints.
 *
 * @param metadata namespace, name, UID, labels
 * @param serviceName the Service that the label {@code kubernetes.io/service-name} names; a slice without it makes no
 *     record
 * @param addressType the family of the addresses; a slice of {@link AddressType#FQDN} has no endpoints here
 * @param endpoints the endpoints
 * @param ports the ports that every endpoint of this slice listens at; empty means none is known
 */
public record EndpointSlice(
        Metadata metadata,
        Optional<String> serviceName,
        AddressType addressType,
        List<Endpoint> endpoints,
        List<EndpointPort> ports)
        implements NamespacedObject {
    /** The kind. */
    public static final String KIND = "EndpointSlice";

    /** The label that names the Service. */
    public static final String SERVICE_NAME_LABEL = "kubernetes.io/service-name";

    /**
     * Copies the lists and checks that addresses are of the slice's family and ports differ.
     *
     * @throws InvalidFieldException if an address is of another family, or two ports have the same name, or none, and the
     *     same protocol
     */
    public EndpointSlice {
        Objects.requireNonNull(metadata, "metadata");
        serviceName = Objects.requireNonNull(serviceName, "serviceName").filter(name -> !name.isEmpty());
        Objects.requireNonNull(addressType, "addressType");
        endpoints = Copies.list("endpoints", endpoints);
        ports = Copies.list("ports", ports);
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

    @Override
    public ObjectRef ref() {
        return ObjectRef.of(KIND, namespace(), name());
    }
}
