package io.k8sdns.resolvconf;

import io.k8sdns.resolvconf.KubeletDialect.SearchLimits;
import java.util.List;
import java.util.Optional;

/** Checks the node's file as the kubelet does when it starts ({@code CheckLimitsForResolvConf}). */
final class NodeCheck {
    /** The number of the cluster's domains, which Pods have before the host's. */
    private static final int CLUSTER_SEARCHES = 3;

    private NodeCheck() {}

    /** Returns the first problem, in the kubelet's words; empty if there is none. */
    static Optional<String> problem(String text, String file, NodeDns node) {
        List<String> searches;
        try {
            searches = HostFile.read(text, node.dialect()).contents().searches();
        } catch (MalformedResolvConfException malformed) {
            return Optional.of(malformed.problem());
        }
        SearchLimits limits = node.dialect().limits();
        int domains = limits.domains() - (node.clusterDomain().isPresent() ? CLUSTER_SEARCHES : 0);
        if (searches.size() > domains) {
            return Optional.of("Resolv.conf file '" + file + "' contains search line consisting of more than " + domains
                    + " domains!");
        }
        if (searches.stream().anyMatch(search -> Utf8.length(search) > SearchLimits.DOMAIN_LENGTH)) {
            // The kubelet prints this path with %q.
            return Optional.of("Resolv.conf file " + Quoted.of(file)
                    + " contains a search path which length is more than allowed " + SearchLimits.DOMAIN_LENGTH
                    + " chars!");
        }
        if (Utf8.length(String.join(" ", searches)) > limits.characters()) {
            return Optional.of("Resolv.conf file '" + file + "' contains search line which length is more than allowed "
                    + limits.characters() + " chars!");
        }
        return Optional.empty();
    }
}
