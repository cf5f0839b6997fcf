package io.k8sdns.model;

import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A port of a Service.
 *
 * @param name the name, a DNS-1123 label; empty for the only port of a Service
 * @param protocol the transport protocol
 * @param port the number that clients connect to, 1 to 65535
 * @param targetPort where the traffic goes; the port number itself unless the Service says otherwise
 */
public record ServicePort(Optional<String> name, Protocol protocol, int port, TargetPort targetPort) {
    /**
     * Checks name and number.
     *
     * @throws InvalidFieldException if the name is no DNS label or the number no port number
     */
    public ServicePort {
        name.ifPresent(text -> KubernetesNames.requireDnsLabel("name", text));
        Objects.requireNonNull(protocol, "protocol");
        KubernetesNames.requirePortNumber("port", port);
        Objects.requireNonNull(targetPort, "targetPort");
    }

    /** Ports of one Service differ in name; at most one has none. */
    static void requireDistinct(List<ServicePort> ports) {
        if (ports.size() < 2) {
            return;
        }
        Set<Optional<String>> seen = new HashSet<>();
        for (int i = 0; i < ports.size(); i++) {
            Optional<String> name = ports.get(i).name();
            if (!seen.add(name)) {
                throw new InvalidFieldException(
                        "spec.ports[" + i + "].name",
                        name.map(text -> "a second port named \"" + text + "\"")
                                .orElse("a second port without a name"));
            }
        }
    }

    /**
     * Returns a named port whose target port is the same number.
     *
     * @throws InvalidFieldException if the name is no DNS label or the number no port number
     */
    public static ServicePort of(String name, Protocol protocol, int port) {
        KubernetesNames.requirePortNumber("port", port);
        return new ServicePort(Optional.of(name), protocol, port, new TargetPort.Numbered(port));
    }

    /**
     * Returns an unnamed port whose target port is the same number.
     *
     * @throws InvalidFieldException if the number is no port number
     */
    public static ServicePort unnamed(Protocol protocol, int port) {
        KubernetesNames.requirePortNumber("port", port);
        return new ServicePort(Optional.empty(), protocol, port, new TargetPort.Numbered(port));
    }
}
