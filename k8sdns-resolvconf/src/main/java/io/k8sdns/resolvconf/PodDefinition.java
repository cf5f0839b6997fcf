package io.k8sdns.resolvconf;

/**
 * The DNS fields of a Pod, in a form that may be read by the rules of a version: {@link PodDnsSpec}, or a manifest.
 */
public interface PodDefinition {
    /**
     * Returns the DNS fields of the Pod.
     *
     * @param node the node, for the version of Kubernetes and its limits
     * @throws InvalidPodException if an API server would refuse the Pod for its DNS fields
     */
    PodDnsSpec spec(NodeDns node);
}
