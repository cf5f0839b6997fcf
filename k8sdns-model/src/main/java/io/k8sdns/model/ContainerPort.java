package io.k8sdns.model;

import io.k8sdns.arguments.KubernetesNames;
import java.util.Objects;

/**
 * A named port of a container, to which a Service's named target port can refer.
 *
 * @param name the name, an IANA service name
 * @param protocol the transport protocol
 * @param port the number, 1 to 65535
 */
public record ContainerPort(String name, Protocol protocol, int port) {
    /**
     * Checks name and number.
     *
     * @throws InvalidFieldException if the name is not an IANA service name or the number is not a port number
     */
    public ContainerPort {
        Objects.requireNonNull(name, "name");
        if (!KubernetesNames.isIanaServiceName(name)) {
            throw new InvalidFieldException(
                    "name",
                    "not a port name (a DNS label of at most 15 characters, with at least one letter): \"" + name
                            + "\"");
        }
        Objects.requireNonNull(protocol, "protocol");
        FieldChecks.requirePortNumber("containerPort", port);
    }
}
