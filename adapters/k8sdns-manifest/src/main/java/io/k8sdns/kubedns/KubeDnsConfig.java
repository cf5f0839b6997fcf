package io.k8sdns.kubedns;

import io.k8sdns.arguments.Copies;
import io.k8sdns.name.DnsLabels;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The ConfigMap of kube-dns: the servers of names outside the cluster.
 *
 * <pre>
 * data:
 *   stubDomains: |
 *     {"acme.example": ["10.0.0.10", "10.0.0.11:5353"]}
 *   upstreamNameservers: |
 *     ["192.0.2.53", "[2001:db8::53]:53"]
 *   federations: prod=fed.example.com
 * </pre>
 *
 * <p>Names of the cluster are answered by the cluster's own zones, names below a stub domain by its servers (of several
 * domains the longest counts), all others by the upstream name servers; servers are asked in the order given.
 *
 * <p>Source: {@code pkg/dns/config} of kubernetes/dns. Unlike there, an IPv4 octet with leading zeros, a host name that ends
 * in a number, and a stub domain without a server are refused: kube-dns would accept them and never get an answer.
 *
 * @param stubDomains for each domain its name servers, at least one; the root only in the node cache's ConfigMap
 * @param upstreamNameservers at most three; none means those of the host's resolv.conf
 * @param federations for each federation's name, a DNS label, its domain
 */
public record KubeDnsConfig(
        Map<DnsLabels, List<KubeDnsServer>> stubDomains,
        List<KubeDnsServer> upstreamNameservers,
        Map<String, DnsLabels> federations) {
    /** No stub domain, no federation, the host's name servers: what counts without a ConfigMap. */
    public static final KubeDnsConfig DEFAULTS = new KubeDnsConfig(Map.of(), List.of(), Map.of());

    /** Copies the collections, in the same order. */
    public KubeDnsConfig {
        Map<DnsLabels, List<KubeDnsServer>> copies = new LinkedHashMap<>();
        Copies.map("stubDomains", stubDomains)
                .forEach((domain, servers) -> copies.put(domain, Copies.list("stubDomains[" + domain + "]", servers)));
        stubDomains = Copies.map("stubDomains", copies);
        upstreamNameservers = Copies.list("upstreamNameservers", upstreamNameservers);
        federations = Copies.map("federations", federations);
    }

    /**
     * Reads the data of the ConfigMap as kube-dns does. A stub domain's server is an IP address, with or without a port, or a
     * host name; an upstream server is an IP address, with or without a port.
     *
     * @param data the texts by key; other keys than the three are ignored, a missing or blank one is empty
     * @param clusterDomains the cluster's own domains, which cannot be stub domains
     * @throws InvalidKubeDnsConfigException if anything is wrong, with all errors, or the first hundred
     */
    public static KubeDnsConfig parse(Map<String, String> data, Collection<DnsLabels> clusterDomains) {
        return new KubeDnsParser(Copies.list("clusterDomains", clusterDomains), false).parse(Copies.map("data", data));
    }

    /**
     * Reads the data of the ConfigMap as node-local-dns does. Every server is an IP address, with or without a port, perhaps
     * behind {@code dns://} or {@code tls://}; a node cache has no resolver to look names up with. The stub domain
     * {@code ""} is the root.
     *
     * @param data the texts by key; other keys than the three are ignored, a missing or blank one is empty
     * @param clusterDomains the cluster's own domains, which cannot be stub domains
     * @throws InvalidKubeDnsConfigException if anything is wrong, with all errors, or the first hundred
     */
    public static KubeDnsConfig parseForNodeCache(Map<String, String> data, Collection<DnsLabels> clusterDomains) {
        return new KubeDnsParser(Copies.list("clusterDomains", clusterDomains), true).parse(Copies.map("data", data));
    }
}
