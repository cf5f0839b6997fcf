package io.k8sdns.model;

import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * A port of an EndpointSlice.
 *
 * @param name the name, a DNS-1123 label; empty when unnamed
 * @param protocol the transport protocol
 * @param port the number that the endpoints listen at, 1 to 65535; empty means every port, which makes no SRV record
 */
public record EndpointPort(Optional<String> name, Protocol protocol, OptionalInt port) {
    /**
     * Checks name and number.
     *
     * @throws InvalidFieldException if the name is no DNS label or the number no port number
     */
    public EndpointPort {
        name.ifPresent(text -> KubernetesNames.requireDnsLabel("name", text));
        Objects.requireNonNull(protocol, "protocol");
        port.ifPresent(number -> KubernetesNames.requirePortNumber("port", number));
    }

    /** Ports of one list differ in name or protocol; the API server asks for different names within one slice (T19). */
    static void requireDistinct(List<EndpointPort> ports) {
        if (ports.size() < 2) {
            return;
        }
        Set<List<Object>> seen = new HashSet<>();
        for (int i = 0; i < ports.size(); i++) {
            EndpointPort port = ports.get(i);
            if (!seen.add(List.of(port.name(), port.protocol()))) {
                throw new InvalidFieldException(
                        "ports[" + i + "].name",
                        "a second " + port.protocol() + " port "
                                + port.name()
                                        .map(text -> "named \"" + text + "\"")
                                        .orElse("without a name"));
            }
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof EndpointPort endpoint
                && port.equals(endpoint.port)
                && protocol == endpoint.protocol
                && name.equals(endpoint.name);
    }

    @Override
    public int hashCode() {
        return (name.hashCode() * 31 + protocol.hashCode()) * 31 + port.hashCode();
    }

    /** Returns a named port with a number. */
    public static EndpointPort of(String name, Protocol protocol, int port) {
        return new EndpointPort(Optional.of(name), protocol, OptionalInt.of(port));
    }
}
