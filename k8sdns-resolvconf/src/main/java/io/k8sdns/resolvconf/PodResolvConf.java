package io.k8sdns.resolvconf;

import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.DnsPolicy;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.name.ClusterSearches;
import io.k8sdns.resolvconf.KubeletDialect.SearchLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Runs the kubelet's {@code GetPodDNS} for a valid Pod: the effective policy, its servers and domains, the Pod's own
 * additions, the limits; each step with the event that the kubelet writes.
 */
final class PodResolvConf {
    /** The maximum number of nameservers that the kubelet and the API server allow: C libraries read only as many. */
    static final int NAMESERVERS = 3;

    private final PodDnsSpec pod;
    private final NodeDns node;
    private final Optional<HostFile> hostFile;
    private final List<Diagnostic> warnings = new ArrayList<>();
    private final ResolvConf base;
    private final ResolvConf merged;
    private final ResolvConf applied;
    private boolean clusterDnsUsed;

    /**
     * Runs all steps.
     *
     * @throws MalformedResolvConfException if the node's file cannot be read, even for a Pod that does not use it
     */
    PodResolvConf(PodDnsSpec pod, NodeDns node) {
        this.pod = pod;
        this.node = node;
        this.hostFile = node.hostResolvConf().map(text -> HostFile.read(text, node.dialect()));
        this.base = ofPolicy();
        this.merged =
                pod.dnsConfig().map(own -> base.merged(own, maxSearches())).orElse(base);
        this.applied = new ResolvConf(fittingNameservers(), fittingSearches(), merged.options());
    }

    /** Returns the configuration that the kubelet passes to the runtime. */
    ResolvConf applied() {
        return applied;
    }

    /** Returns the configuration before the limits were applied. */
    ResolvConf merged() {
        return merged;
    }

    /** Returns the configuration of the policy, without the Pod's own additions. */
    ResolvConf base() {
        return base;
    }

    /** Returns the node's file, as the kubelet reads it. */
    Optional<HostFile> hostFile() {
        return hostFile;
    }

    /** Returns whether the file begins with the cluster's DNS servers. */
    boolean clusterDnsUsed() {
        return clusterDnsUsed;
    }

    /** Returns the kubelet's events, in its order. */
    List<Diagnostic> warnings() {
        return warnings;
    }

    private ResolvConf ofPolicy() {
        Optional<String> word = pod.dnsPolicy();
        if (word.filter(ProposedPolicies.AUTOPATH::equals).isPresent()) {
            return pod.hostNetwork() ? ofHost() : ofAutopath();
        }
        return switch (word.flatMap(DnsPolicy::tryParse).orElse(DnsPolicy.CLUSTER_FIRST)) {
            case NONE -> ResolvConf.EMPTY;
            case DEFAULT -> ofHost();
            case CLUSTER_FIRST -> pod.hostNetwork() ? ofHost() : ofCluster(clusterSearches());
            case CLUSTER_FIRST_WITH_HOST_NET -> ofCluster(clusterSearches());
        };
    }

    private ResolvConf ofCluster(List<String> searches) {
        if (node.clusterDns().isEmpty()) {
            warn(
                    "missing-cluster-dns",
                    "pod: "
                            + Quoted.of(pod.name() + "_" + pod.namespace() + "("
                                    + pod.uid().orElse("") + ")")
                            + ". kubelet does not have ClusterDNS IP configured and cannot create Pod using"
                            + " \"ClusterFirst\" policy. Falling back to \"Default\" policy.");
            return ofHost();
        }
        clusterDnsUsed = true;
        return new ResolvConf(node.clusterDns().stream().map(Object::toString).toList(), searches, List.of("ndots:5"));
    }

    private List<String> clusterSearches() {
        List<String> ofHost = hostFile.map(file -> file.contents().searches()).orElse(List.of());
        return node.clusterDomain()
                .map(domain -> ResolvConf.distinct(searches(domain).domains(), ofHost, maxSearches()))
                .orElse(ofHost);
    }

    /** One more than the limit is enough to report that there are too many; a file may have millions. */
    private int maxSearches() {
        return node.dialect().limits().domains() + 1;
    }

    /** The host's domains are omitted, because the DNS server has them and tries them itself. */
    private ResolvConf ofAutopath() {
        return ofCluster(node.clusterDomain()
                .map(domain -> List.of(searches(domain).autopathDomain()))
                .orElse(List.of()));
    }

    private ClusterSearches searches(String clusterDomain) {
        return new ClusterSearches(pod.namespace(), clusterDomain);
    }

    private ResolvConf ofHost() {
        if (hostFile.isPresent()) {
            ResolvConf host = hostFile.get().contents();
            // On Windows the source of the host's configuration has no options.
            return node.os() == NodeDns.Os.WINDOWS
                    ? new ResolvConf(host.nameservers(), host.searches(), List.of())
                    : host;
        }
        List<String> loopback = node.nodeIps().stream()
                .map(address -> address.isIpv4() ? "127.0.0.1" : "::1")
                .toList();
        return new ResolvConf(loopback.isEmpty() ? List.of("127.0.0.1") : loopback, List.of("."), List.of());
    }

    private List<String> fittingNameservers() {
        List<String> nameservers = merged.nameservers();
        if (nameservers.size() <= NAMESERVERS) {
            return nameservers;
        }
        List<String> kept = nameservers.subList(0, NAMESERVERS);
        warn(
                "nameserver-limits",
                "Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: "
                        + String.join(" ", kept.stream().map(Quoted::bare).toList()));
        return kept;
    }

    private List<String> fittingSearches() {
        List<String> searches = merged.searches();
        SearchLimits limits = node.dialect().limits();
        List<String> kept = new ArrayList<>();
        long line = -1;
        // Domains that are too long are dropped after the list was cut, so no other domain replaces them.
        for (String search : searches.subList(0, Math.min(searches.size(), limits.domains()))) {
            long length = Utf8.length(search);
            if (length <= SearchLimits.DOMAIN_LENGTH) {
                kept.add(search);
                line += length + 1;
            }
        }
        while (line > limits.characters()) {
            line -= Utf8.length(kept.remove(kept.size() - 1)) + 1;
        }
        if (kept.size() < searches.size()) {
            warn(
                    "search-limits",
                    "Search Line limits were exceeded, some search paths have been omitted, the applied search line is: "
                            + String.join(" ", kept));
        }
        return kept;
    }

    private void warn(String code, String text) {
        warnings.add(Diagnostic.warning(code, ObjectRef.of("Pod", pod.namespace(), pod.name()), text));
    }
}
