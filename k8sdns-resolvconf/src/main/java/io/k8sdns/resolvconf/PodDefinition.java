package io.k8sdns.resolvconf;

/**
 * What a Pod's author wrote about DNS, to be read by the rules of a node: {@link PodDnsSpec}, or a manifest.
 */
public interface PodDefinition {
    /**
     * Returns what the Pod says about DNS.
     *
     * @param node for the version of Kubernetes, and its limits
     * @throws InvalidPodException if an API server would refuse the Pod for what it says
     */
    PodDnsSpec spec(NodeDns node);
}
