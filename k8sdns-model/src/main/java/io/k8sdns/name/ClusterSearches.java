package io.k8sdns.name;

import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.model.Internal;
import java.util.List;
import java.util.Objects;

/**
 * The search domains of a cluster: the kubelet writes them into the resolv.conf of a Pod, and a DNS server that expands
 * names itself (autopath) tries the same domains.
 *
 * <p>Source: kubelet {@code generateSearchesForDNSClusterFirst}; the enhancement proposal "DNS Autopath in PodSpec".
 *
 * @param namespace the namespace of the Pod, a DNS label
 * @param clusterDomain the cluster domain, for example {@code cluster.local}, in the spelling of the search domains
 */
public record ClusterSearches(String namespace, String clusterDomain) {
    /** The label below the cluster domain that is the parent of all Services' names. */
    @Internal
    public static final String SERVICES = "svc";

    /** The default domain below which a DNS server expands names. */
    public static final String AUTOPATH_SUFFIX = "ap.k8s.io";

    /** The label that separates a name from the namespace whose search domains expand it. */
    public static final String AUTOPATH_LABEL = "search";

    /**
     * Checks the namespace.
     *
     * @throws InvalidNameException if it is not a DNS label
     */
    public ClusterSearches {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(clusterDomain, "clusterDomain");
        if (!KubernetesNames.isDnsLabel(namespace)) {
            throw new InvalidNameException("not a namespace: " + namespace);
        }
    }

    /** Returns {@code NS.svc.Z}, {@code svc.Z} and {@code Z}, in the order of resolv.conf. */
    public List<String> domains() {
        return List.of(namespace + "." + SERVICES + "." + clusterDomain, SERVICES + "." + clusterDomain, clusterDomain);
    }

    /**
     * Returns {@link #domains()} as labels, those of more than 255 bytes omitted.
     *
     * @throws InvalidNameException if the cluster domain is not a name
     */
    public List<DnsLabels> labels() {
        DnsLabels zone = DnsLabels.parse(clusterDomain);
        DnsLabels services = DnsLabels.of(SERVICES);
        return List.of(DnsLabels.of(namespace, SERVICES), services, DnsLabels.EMPTY).stream()
                .filter(below -> below.fitsBelow(zone))
                .map(below -> below.append(zone))
                .toList();
    }

    /** Returns {@code search.NS.Z.ap.k8s.io}, the only search domain of a Pod whose names the DNS server expands. */
    public String autopathDomain() {
        return autopathDomain(AUTOPATH_SUFFIX);
    }

    /**
     * Returns the only search domain of a Pod whose names the DNS server expands below another suffix.
     *
     * @param suffix the suffix, for example {@value #AUTOPATH_SUFFIX}
     */
    public String autopathDomain(String suffix) {
        return AUTOPATH_LABEL + "." + namespace + "." + clusterDomain + "." + Objects.requireNonNull(suffix, "suffix");
    }
}
