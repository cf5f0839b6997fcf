package io.k8sdns.resolvconf;

import io.k8sdns.schema.NameSchema;
import java.util.Optional;

/**
 * The hostname of a Pod ({@code GeneratePodHostNameAndDomain}, {@code GetNodenameForKernel}).
 *
 * @param hostname the host name that the kernel has
 * @param fqdn the fully qualified name; the same if there is no domain
 */
record PodHostname(String hostname, String fqdn) {
    /** The longest host name that the kernel accepts: {@code nodename} of {@code struct utsname}. */
    static final int KERNEL_LIMIT = 64;

    /** The longest hostname: a DNS label, one character less than a kernel accepts. */
    static final int LABEL_LIMIT = 63;

    /** Returns the name; empty for a Pod on the network of its node, to which the runtime gives the node's name. */
    static Optional<PodHostname> of(PodDnsSpec pod, NodeDns node) {
        if (pod.hostNetwork()) {
            return Optional.empty();
        }
        Optional<String> override =
                pod.hostnameOverride().filter(name -> node.dialect().hostnameOverride());
        if (override.isPresent()) {
            String name = truncated(override.get());
            return Optional.of(new PodHostname(name, name));
        }
        String hostname = truncated(pod.hostname().orElse(pod.name()));
        if (pod.subdomain().isEmpty()) {
            return Optional.of(new PodHostname(hostname, hostname));
        }
        // Without a cluster domain the name ends in a dot, because of the kubelet's format string.
        String fqdn = String.join(
                ".",
                hostname,
                pod.subdomain().get(),
                pod.namespace(),
                NameSchema.SERVICES,
                node.clusterDomain().orElse(""));
        if (!pod.setHostnameAsFqdn()) {
            return Optional.of(new PodHostname(hostname, fqdn));
        }
        if (fqdn.length() > KERNEL_LIMIT) {
            throw new FqdnTooLongException(fqdn);
        }
        return Optional.of(new PodHostname(fqdn, fqdn));
    }

    /** Returns the hostname from the Pod's fields if the kubelet truncates it, otherwise empty. */
    static Optional<String> tooLong(PodDnsSpec pod, NodeDns node) {
        return Optional.of(wanted(pod, node)).filter(name -> name.length() > LABEL_LIMIT);
    }

    private static String wanted(PodDnsSpec pod, NodeDns node) {
        return override(pod, node).or(pod::hostname).orElse(pod.name());
    }

    private static Optional<String> override(PodDnsSpec pod, NodeDns node) {
        return pod.hostnameOverride().filter(name -> node.dialect().hostnameOverride());
    }

    private static String truncated(String name) {
        if (name.length() <= LABEL_LIMIT) {
            return name;
        }
        int end = LABEL_LIMIT;
        while (end > 0 && (name.charAt(end - 1) == '-' || name.charAt(end - 1) == '.')) {
            end--;
        }
        return name.substring(0, end);
    }
}
