package io.k8sdns.resolvconf;

import java.util.Optional;

/**
 * What two enhancement proposals wrote before, or instead of, what was built: "Configurable Pod DNS" (KEP-504) has a
 * policy {@code Custom}, "DNS Autopath in PodSpec" a policy that was never built. An API server refuses both.
 */
final class EnhancementWords {
    /** The policy under which a Pod has one search domain, which the DNS server expands. */
    static final String AUTOPATH = "ClusterFirstWithAutopath";

    private static final String AUTOPATH_AS_PROPOSED = "clusterFirstWithAutopath";
    private static final String CUSTOM = "Custom";

    private EnhancementWords() {}

    /** Returns what to add to the refusal of a policy, so that users of a proposal learn of the flag; mostly nothing. */
    static String hint(String policy) {
        return switch (policy) {
            case CUSTOM -> " (the proposal's word for \"None\"; taken with --kep-policies)";
            case AUTOPATH, AUTOPATH_AS_PROPOSED -> " (a proposal that was never built; taken with --kep-policies)";
            default -> "";
        };
    }

    /** Returns the Pod in today's words, and {@link #AUTOPATH} in one spelling. */
    static PodDnsSpec read(PodDnsSpec pod) {
        Optional<String> policy = pod.dnsPolicy().map(word -> switch (word) {
            case CUSTOM -> DnsPolicy.NONE.word();
            case AUTOPATH_AS_PROPOSED -> AUTOPATH;
            default -> word;
        });
        return pod.withDns(policy, pod.dnsConfig());
    }

    /** Returns whether the Pod asks for {@link #AUTOPATH}, which takes effect, on a node without a cluster domain. */
    static boolean lacksClusterDomain(PodDnsSpec pod, NodeDns node) {
        return !pod.hostNetwork()
                && !node.clusterDns().isEmpty()
                && node.clusterDomain().isEmpty();
    }
}
