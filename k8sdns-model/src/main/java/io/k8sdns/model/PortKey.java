package io.k8sdns.model;

import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Identifies a port within the ports of one Service, EndpointSlice or subset of Endpoints: ports whose name or protocol
 * differs have SRV records with different owner names, {@code _name._protocol}.
 *
 * <p>Kubernetes is stricter: the API server refuses a Service or an EndpointSlice in which two ports have the same
 * name. Both ports are published nevertheless, because their SRV records have different names.
 *
 * @param name the name of the port; empty if it has none
 * @param protocol the transport protocol
 */
@Internal
public record PortKey(Optional<String> name, Protocol protocol) {
    /** Checks that nothing is null. */
    public PortKey {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(protocol, "protocol");
    }

    /**
     * Checks that no two ports of a list have the same key.
     *
     * @param field the path of the list
     * @param ports the ports
     * @param key returns the key of a port
     * @throws InvalidFieldException if two ports have the same key; it names the second
     */
    static <P> void requireDistinct(String field, List<P> ports, Function<P, PortKey> key) {
        if (ports.size() < 2) {
            return;
        }
        Set<PortKey> seen = new HashSet<>();
        for (int i = 0; i < ports.size(); i++) {
            PortKey port = key.apply(ports.get(i));
            if (!seen.add(port)) {
                throw new InvalidFieldException(field + "[" + i + "].name", "a second " + port);
            }
        }
    }

    /** Returns for example {@code TCP port named "http"}, or {@code UDP port without a name}. */
    @Override
    public String toString() {
        return protocol + " port " + name.map(text -> "named \"" + text + "\"").orElse("without a name");
    }
}
