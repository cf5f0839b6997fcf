package io.k8sdns.resolvconf;

import io.k8sdns.model.Diagnostic;
import io.k8sdns.resolvconf.InvalidPodException.FieldError;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Computes the resolver configuration and the hostname that the kubelet gives a Pod.
 *
 * <p>Source: the kubelet's {@code GetPodDNS}, {@code GeneratePodHostNameAndDomain} and {@code GetNodenameForKernel}.
 * Unlike the kubelet, which prints options in random order, this class keeps the order in which they were written.
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
     * Returns the resolver configuration and the name of a Pod on a node.
     *
     * <p>The servers, domains and options of the effective policy are first, then the Pod's own are added, then the
     * limits are applied; the cluster's domains are first in the list, so they are cut last. The notices are the
     * kubelet's events, in its words and order, followed by advice.
     *
     * @param definition the Pod: a {@link PodDnsSpec}, or a manifest
     * @param node the kubelet's configuration
     * @throws InvalidPodException if an API server would refuse the Pod
     * @throws MalformedResolvConfException if the kubelet cannot read the node's file, whatever the policy of the Pod
     *     is
     * @throws FqdnTooLongException if the Pod would never start, because its name is too long for a kernel
     */
    public static PodDns forPod(PodDefinition definition, NodeDns node) {
        Objects.requireNonNull(definition, "definition");
        PodDnsSpec pod = definition.spec(Objects.requireNonNull(node, "node"));
        List<FieldError> errors = PodDnsValidation.findings(pod, node);
        if (!errors.isEmpty()) {
            throw new InvalidPodException(pod.name(), errors);
        }
        PodDnsSpec read = node.enhancementPolicies() ? ProposedPolicies.read(pod) : pod;
        PodResolvConf file = new PodResolvConf(read, node);
        Optional<PodHostname> name = PodHostname.of(read, node);
        List<Diagnostic> notices = new ArrayList<>(file.warnings());
        notices.addAll(new Advice(read, node, file).notes());
        return new PodDns(file.applied(), name.map(PodHostname::hostname), name.map(PodHostname::fqdn), notices);
    }

    /**
     * Returns the warning that the kubelet logs about the node's file when it starts, in its own words; empty if there
     * is none, as for an empty {@code resolvConf}. The kubelet starts nevertheless.
     *
     * <p>Source: the kubelet's {@code CheckLimitsForResolvConf}.
     *
     * @param node the kubelet's configuration
     * @param file the path of the file, for the message
     */
    public static List<Diagnostic> checkNode(NodeDns node, String file) {
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(file, "file");
        return node
                .hostResolvConf()
                .flatMap(text -> NodeCheck.problem(text, file, node))
                .map(problem -> new Diagnostic(
                        Diagnostic.Severity.WARNING,
                        "node-resolv-conf",
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        problem))
                .stream()
                .toList();
    }
}
