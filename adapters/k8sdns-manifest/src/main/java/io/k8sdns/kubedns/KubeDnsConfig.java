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
 * <p>The cluster's own zones answer names of the cluster, the servers of the longest matching stub domain answer names
 * below it, and the upstream name servers answer all others. Servers are queried in the given order.
 *
 * <p>Source: {@code pkg/dns/config} of kubernetes/dns. Unlike there, an IPv4 octet with leading zeros, a host name that
 * ends in a number, and a stub domain without a server are refused: kube-dns accepts them and never gets an answer.
 *
 * @param stubDomains the name servers of each domain, at least one; the root only in the node cache's ConfigMap
 * @param upstreamNameservers at most three; an empty list means those of the host's resolv.conf
 * @param federations the domain of each federation, by the federation's name, a DNS label
 */
public record KubeDnsConfig(
        Map<DnsLabels, List<KubeDnsServer>> stubDomains,
        List<KubeDnsServer> upstreamNameservers,
        Map<String, DnsLabels> federations) {
    /** The configuration without a ConfigMap: no stub domain, no federation, the host's name servers. */
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
     * @throws InvalidKubeDnsConfigException if the configuration is invalid, with all errors, or the first hundred
     */
    public static KubeDnsConfig parse(Map<String, String> data, Collection<DnsLabels> clusterDomains) {
        return new KubeDnsParser(Copies.list("clusterDomains", clusterDomains), false).parse(Copies.map("data", data));
    }

    /**
     * Reads the data of the ConfigMap as node-local-dns does. Every server is an IP address, with or without a port,
     * with an optional prefix {@code dns://} or {@code tls://}; a node cache has no resolver for host names. The stub
     * domain {@code ""} is the root.
     *
     * @param data the texts by key; other keys than the three are ignored, a missing or blank one is empty
     * @param clusterDomains the cluster's own domains, which cannot be stub domains
     * @throws InvalidKubeDnsConfigException if the configuration is invalid, with all errors, or the first hundred
     */
    public static KubeDnsConfig parseForNodeCache(Map<String, String> data, Collection<DnsLabels> clusterDomains) {
        return new KubeDnsParser(Copies.list("clusterDomains", clusterDomains), true).parse(Copies.map("data", data));
    }
}
