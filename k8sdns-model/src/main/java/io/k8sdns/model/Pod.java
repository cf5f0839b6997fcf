package io.k8sdns.model;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A Pod.
 *
 * @param metadata namespace, name, UID, labels
 * @param phase {@code status.phase}; empty for an object that no API server has seen
 * @param ready the condition {@code Ready}; empty when the status has none
 * @param terminating whether the Pod has a deletion timestamp
 * @param ips {@code status.podIPs}, or {@code status.podIP} alone
 * @param hostNetwork whether the Pod shares its Node's address
 * @param hostname {@code spec.hostname}, a DNS-1123 label
 * @param subdomain {@code spec.subdomain}, a DNS-1123 label
 * @param nodeName {@code spec.nodeName}
 * @param ports the named ports of its containers, then those of its sidecars (init containers that restart always)
 */
public record Pod(
        Metadata metadata,
        Optional<PodPhase> phase,
        Optional<Boolean> ready,
        boolean terminating,
        List<IpAddress> ips,
        boolean hostNetwork,
        Optional<String> hostname,
        Optional<String> subdomain,
        Optional<String> nodeName,
        List<ContainerPort> ports)
        implements NamespacedObject {
    /** The kind. */
    public static final String KIND = "Pod";

    /**
     * Checks hostname, subdomain and node name and copies the lists.
     *
     * @throws InvalidFieldException if hostname or subdomain is no DNS label or the node name no DNS subdomain
     */
    public Pod {
        Objects.requireNonNull(metadata, "metadata");
        Objects.requireNonNull(phase, "phase");
        Objects.requireNonNull(ready, "ready");
        Objects.requireNonNull(hostname, "hostname");
        Objects.requireNonNull(subdomain, "subdomain");
        Objects.requireNonNull(nodeName, "nodeName");
        ips = Copies.list("ips", ips);
        hostname.ifPresent(text -> KubernetesNames.requireDnsLabel("spec.hostname", text));
        subdomain.ifPresent(text -> KubernetesNames.requireDnsLabel("spec.subdomain", text));
        nodeName.ifPresent(text -> KubernetesNames.requireDnsSubdomain("spec.nodeName", text));
        ports = Copies.list("ports", ports);
    }

    /** Returns a running, ready Pod with these addresses and nothing else. */
    public static Pod running(String namespace, String name, List<IpAddress> ips) {
        return new Pod(
                Metadata.of(namespace, name),
                Optional.of(PodPhase.RUNNING),
                Optional.of(true),
                false,
                ips,
                false,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                List.of());
    }

    @Override
    public ObjectRef ref() {
        return ObjectRef.of(KIND, namespace(), name());
    }
}
