package io.k8sdns.resolvconf;

import io.k8sdns.model.Diagnostic;
import java.util.List;

/** What the kubelet gives a Pod to find names with, and what it calls it. */
public final class KubeletDns {
    private KubeletDns() {}

    /**
     * Returns what a Pod finds on a node.
     *
     * @param pod what the manifest says
     * @param node what the kubelet knows
     * @throws InvalidPodException if an API server would refuse the Pod
     * @throws MalformedResolvConfException if the kubelet cannot read the node's file, whatever the Pod's policy
     * @throws FqdnTooLongException if the Pod would never start, because its name is too long for a kernel
     */
    public static PodDns forPod(PodDnsSpec pod, NodeDns node) {
        List<FieldError> errors = PodDnsValidation.findings(pod, node);
        if (!errors.isEmpty()) {
            throw new InvalidPodException(pod.name(), errors);
        }
        return new PodResolvConf(pod, node).result();
    }

    /**
     * Returns what the kubelet writes about the node's file when it starts: at most one warning, in its own words; nothing
     * if {@code resolvConf} is empty.
     *
     * @param node what the kubelet knows
     * @param file the path of the file, for the texts
     */
    public static List<Diagnostic> checkNode(NodeDns node, String file) {
        return List.of();
    }
}
