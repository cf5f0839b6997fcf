package io.k8sdns.resolvconf;

import io.k8sdns.model.Diagnostic;
import io.k8sdns.resolvconf.InvalidPodException.FieldError;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What the kubelet gives a Pod to find names with, and what it calls it.
 *
 * <p>Source: the kubelet's {@code GetPodDNS}, {@code GeneratePodHostNameAndDomain} and {@code GetNodenameForKernel}. In one
 * thing this is not the kubelet: where it prints options in random order, they keep the order in which they were written.
 *
 * <pre>{@code
 * NodeDns node = NodeDns.builder()
 *         .clusterDns(IpAddress.parse("10.96.0.10"))
 *         .hostResolvConf("nameserver 192.0.2.1\nsearch corp.example\n")
 *         .build();
 * PodDnsSpec pod = PodDnsSpec.builder("web-0").namespace("shop").build();
 * PodDns dns = KubeletDns.forPod(pod, node);
 * }</pre>
 */
public final class KubeletDns {
    private KubeletDns() {}

    /**
     * Returns what a Pod finds on a node.
     *
     * <p>Shape: first the servers, domains and options of the policy that takes effect, then the Pod's own, then the limits;
     * the cluster's domains come first and are the last to be cut. Notices are the kubelet's events, in its words and order,
     * and then advice.
     *
     * @param definition what its author wrote: a {@link PodDnsSpec}, or a manifest
     * @param node what the kubelet knows
     * @throws InvalidPodException if an API server would refuse the Pod
     * @throws MalformedResolvConfException if the kubelet cannot read the node's file, whatever the Pod's policy
     * @throws FqdnTooLongException if the Pod would never start, because its name is too long for a kernel
     */
    public static PodDns forPod(PodDefinition definition, NodeDns node) {
        Objects.requireNonNull(definition, "definition");
        PodDnsSpec pod = definition.spec(Objects.requireNonNull(node, "node"));
        List<FieldError> errors = PodDnsValidation.findings(pod, node);
        if (!errors.isEmpty()) {
            throw new InvalidPodException(pod.name(), errors);
        }
        PodDnsSpec read = node.enhancementPolicies() ? EnhancementWords.read(pod) : pod;
        PodResolvConf file = new PodResolvConf(read, node);
        Optional<PodHostname> name = PodHostname.of(read, node);
        List<Diagnostic> notices = new ArrayList<>(file.warnings());
        notices.addAll(new Advice(read, node, file).notes());
        return new PodDns(file.applied(), name.map(PodHostname::hostname), name.map(PodHostname::fqdn), notices);
    }

    /**
     * Returns what the kubelet writes about the node's file when it starts: at most one warning, in its own words; nothing
     * for an empty {@code resolvConf}. The kubelet goes on all the same.
     *
     * <p>Source: the kubelet's {@code CheckLimitsForResolvConf}.
     *
     * @param node what the kubelet knows
     * @param file the path of the file, as the texts have it
     */
    public static List<Diagnostic> checkNode(NodeDns node, String file) {
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(file, "file");
        return node
                .hostResolvConf()
                .flatMap(text -> NodeCheck.complaint(text, file, node))
                .map(complaint -> new Diagnostic(
                        Diagnostic.Severity.WARNING,
                        "node-resolv-conf",
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        complaint))
                .stream()
                .toList();
    }
}
