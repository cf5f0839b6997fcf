package io.k8sdns.model;

import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

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
     * @throws InvalidFieldException if the name is not a DNS label or the number is not a port number
     */
    @Internal
    public EndpointPort {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(protocol, "protocol");
        Objects.requireNonNull(port, "port");
        name.ifPresent(text -> FieldChecks.requireDnsLabel("name", text));
        port.ifPresent(number -> FieldChecks.requirePortNumber("port", number));
    }

    /** Returns what identifies this port among those of its slice or subset. */
    @Internal
    public PortKey key() {
        return new PortKey(name, protocol);
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
        Objects.requireNonNull(name, "name");
        return new EndpointPort(Optional.of(name), protocol, OptionalInt.of(port));
    }

    /**
     * Returns an unnamed port with a number.
     *
     * @throws InvalidFieldException if the number is not a port number
     */
    public static EndpointPort unnamed(Protocol protocol, int port) {
        return new EndpointPort(Optional.empty(), protocol, OptionalInt.of(port));
    }

    /**
     * Returns a named entry that means every port of the endpoints; it makes no SRV record.
     *
     * @throws InvalidFieldException if the name is not a DNS label
     */
    public static EndpointPort everyPort(String name, Protocol protocol) {
        Objects.requireNonNull(name, "name");
        return new EndpointPort(Optional.of(name), protocol, OptionalInt.empty());
    }

    /** Returns an unnamed entry that means every port of the endpoints; it makes no SRV record. */
    public static EndpointPort everyPort(Protocol protocol) {
        return new EndpointPort(Optional.empty(), protocol, OptionalInt.empty());
    }
}
