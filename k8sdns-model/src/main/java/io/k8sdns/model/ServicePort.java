package io.k8sdns.model;

import java.util.Objects;
import java.util.Optional;

/**
 * A port of a Service.
 *
 * @param name the name, a DNS-1123 label; empty if the port has none
 * @param protocol the transport protocol
 * @param port the number that clients connect to, 1 to 65535
 * @param targetPort the port that receives the traffic; by default the same number
 */
public record ServicePort(Optional<String> name, Protocol protocol, int port, TargetPort targetPort) {
    /**
     * Checks name and number.
     *
     * @throws InvalidFieldException if the name is not a DNS label or the number is not a port number
     */
    @Internal
    public ServicePort {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(protocol, "protocol");
        Objects.requireNonNull(targetPort, "targetPort");
        name.ifPresent(text -> FieldChecks.requireDnsLabel("name", text));
        FieldChecks.requirePortNumber("port", port);
    }

    /** Returns what identifies this port among those of its Service. */
    @Internal
    public PortKey key() {
        return new PortKey(name, protocol);
    }

    /**
     * Returns a named port whose target port is the same number.
     *
     * @throws InvalidFieldException if the name is not a DNS label or the number is not a port number
     */
    public static ServicePort of(String name, Protocol protocol, int port) {
        Objects.requireNonNull(name, "name");
        FieldChecks.requirePortNumber("port", port);
        return new ServicePort(Optional.of(name), protocol, port, new TargetPort.Numbered(port));
    }

    /**
     * Returns an unnamed port whose target port is the same number.
     *
     * @throws InvalidFieldException if the number is not a port number
     */
    public static ServicePort unnamed(Protocol protocol, int port) {
        FieldChecks.requirePortNumber("port", port);
        return new ServicePort(Optional.empty(), protocol, port, new TargetPort.Numbered(port));
    }

    /**
     * Returns the same port with this number as its target port.
     *
     * @throws InvalidFieldException if it is not a port number
     */
    public ServicePort withTargetPort(int newTargetPort) {
        return withTargetPort(new TargetPort.Numbered(newTargetPort));
    }

    /**
     * Returns the same port with this port of a container as its target port.
     *
     * @param newTargetPort the name of the container port, an IANA service name
     * @throws InvalidFieldException if it is not an IANA service name
     */
    public ServicePort withTargetPort(String newTargetPort) {
        return withTargetPort(new TargetPort.Named(Objects.requireNonNull(newTargetPort, "newTargetPort")));
    }

    /** Returns the same port with this target port. */
    public ServicePort withTargetPort(TargetPort newTargetPort) {
        Objects.requireNonNull(newTargetPort, "newTargetPort");
        return new ServicePort(name, protocol, port, newTargetPort);
    }
}
