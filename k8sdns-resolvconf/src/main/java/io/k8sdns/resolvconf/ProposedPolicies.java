package io.k8sdns.resolvconf;

import io.k8sdns.model.DnsPolicy;
import java.util.Optional;

/**
 * The DNS policies of two enhancement proposals that Kubernetes does not have: {@code Custom} of "Configurable Pod DNS"
 * (KEP-504), which became {@code None}, and that of "DNS Autopath in PodSpec", which was never implemented. An API
 * server refuses both.
 */
final class ProposedPolicies {
    /** The policy that gives a Pod one search domain, which the DNS server expands. */
    static final String AUTOPATH = "ClusterFirstWithAutopath";

    private static final String AUTOPATH_AS_PROPOSED = "clusterFirstWithAutopath";
    private static final String CUSTOM = "Custom";

    private ProposedPolicies() {}

    /**
     * Returns the text that is added to the refusal of a proposal's policy, to name the flag; empty for other policies.
     */
    static String hint(String policy) {
        return switch (policy) {
            case CUSTOM -> " (the proposal's word for \"None\"; accepted with --kep-policies)";
            case AUTOPATH, AUTOPATH_AS_PROPOSED ->
                " (a proposal that was not implemented; accepted with --kep-policies)";
            default -> "";
        };
    }

    /** Returns the Pod with Kubernetes' word for the policy, or {@link #AUTOPATH} for both of its spellings. */
    static PodDnsSpec read(PodDnsSpec pod) {
        Optional<String> policy = pod.dnsPolicy().map(word -> switch (word) {
            case CUSTOM -> DnsPolicy.NONE.word();
            case AUTOPATH_AS_PROPOSED -> AUTOPATH;
            default -> word;
        });
        return pod.withDns(policy, pod.dnsConfig());
    }

    /**
     * Returns whether the Pod has the policy {@link #AUTOPATH}, it takes effect, and the node has no cluster domain.
     */
    static boolean lacksClusterDomain(PodDnsSpec pod, NodeDns node) {
        return !pod.hostNetwork()
                && !node.clusterDns().isEmpty()
                && node.clusterDomain().isEmpty();
    }
}
