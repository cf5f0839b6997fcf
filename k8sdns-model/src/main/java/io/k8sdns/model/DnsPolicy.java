package io.k8sdns.model;

import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;

/**
 * The DNS policy of a Pod, {@code spec.dnsPolicy}: the servers and domains with which its resolver configuration
 * begins.
 *
 * <p>Source: "DNS for Services and Pods", Pod's DNS Policy. {@code Default} is not the default: a Pod without a policy
 * has {@link #CLUSTER_FIRST}.
 */
public enum DnsPolicy {
    /** The cluster's DNS servers; for a Pod on the network of its node, the same as {@link #DEFAULT}. */
    CLUSTER_FIRST("ClusterFirst"),
    /** The cluster's DNS servers, on the network of the node too. */
    CLUSTER_FIRST_WITH_HOST_NET("ClusterFirstWithHostNet"),
    /** The configuration of the node. */
    DEFAULT("Default"),
    /** Only the configuration of {@code spec.dnsConfig}. */
    NONE("None");

    private final String word;

    DnsPolicy(String word) {
        this.word = word;
    }

    /** Returns the word in a manifest, for example {@code ClusterFirst}. */
    public String word() {
        return word;
    }

    /** Returns the policy with this word, case-sensitive as in the API server; otherwise empty. */
    public static Optional<DnsPolicy> tryParse(String word) {
        Objects.requireNonNull(word, "word");
        return Arrays.stream(values())
                .filter(policy -> policy.word.equals(word))
                .findFirst();
    }
}
