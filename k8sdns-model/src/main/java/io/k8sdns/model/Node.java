package io.k8sdns.model;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A Node, the machine that Pods run on; read for its addresses and its topology zone only.
 *
 * @param name the name, a DNS-1123 subdomain
 * @param uid the UID that the API server gave; empty for an object that no API server has seen
 * @param labels the labels
 * @param internalIps the addresses of type {@code InternalIP}, in the object's order
 */
public record Node(String name, Optional<String> uid, Labels labels, List<IpAddress> internalIps)
        implements ClusterObject {
    /** The kind. */
    public static final String KIND = "Node";

    /**
     * Checks the name and copies the addresses.
     *
     * @throws InvalidFieldException if the name is no DNS subdomain
     */
    public Node {
        Objects.requireNonNull(name, "name");
        KubernetesNames.requireDnsSubdomain("metadata.name", name);
        Objects.requireNonNull(uid, "uid");
        Objects.requireNonNull(labels, "labels");
        internalIps = Copies.list("internalIps", internalIps);
    }

    /** Returns the topology zone, from {@code topology.kubernetes.io/zone} or the label it replaced. */
    public Optional<String> topologyZone() {
        return labels.get("topology.kubernetes.io/zone").or(() -> labels.get("failure-domain.beta.kubernetes.io/zone"));
    }

    @Override
    public ObjectRef ref() {
        return ObjectRef.of(KIND, name);
    }
}
