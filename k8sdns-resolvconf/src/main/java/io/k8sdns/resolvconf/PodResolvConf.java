package io.k8sdns.resolvconf;

import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.ObjectRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One run of the kubelet's {@code GetPodDNS}: effective policy, base, the Pod's own additions, limits, each step with its warnings. */
final class PodResolvConf {
    /** The kubelet's and the API server's limit of nameservers: what C libraries read. */
    static final int NAMESERVERS = 3;

    private final PodDnsSpec pod;
    private final NodeDns node;
    private final List<Diagnostic> notices = new ArrayList<>();

    PodResolvConf(PodDnsSpec pod, NodeDns node) {
        this.pod = pod;
        this.node = node;
    }

    PodDns result() {
        // First of all, so that a broken file fails a Pod of every policy.
        Optional<ResolvConf> host = node.hostResolvConf()
                .map(text -> ResolvConf.parse(text, node.dialect()))
                .map(this::withoutWindowsOptions);
        ResolvConf base = base(host);
        ResolvConf merged = pod.dnsConfig().map(base::merged).orElse(base);
        ResolvConf fits =
                new ResolvConf(fitting(merged.nameservers()), fittingSearches(merged.searches()), merged.options());
        Optional<PodHostname> name = PodHostname.of(pod, node);
        return new PodDns(fits, name.map(PodHostname::hostname), name.map(PodHostname::fqdn), notices);
    }

    private ResolvConf withoutWindowsOptions(ResolvConf host) {
        return node.os() == NodeDns.Os.WINDOWS ? new ResolvConf(host.nameservers(), host.searches(), List.of()) : host;
    }

    private ResolvConf base(Optional<ResolvConf> host) {
        DnsPolicy policy = pod.dnsPolicy().flatMap(DnsPolicy::tryParse).orElse(DnsPolicy.CLUSTER_FIRST);
        return switch (policy) {
            case NONE -> ResolvConf.EMPTY;
            case DEFAULT -> ofHost(host);
            case CLUSTER_FIRST -> pod.hostNetwork() ? ofHost(host) : ofCluster(host);
            case CLUSTER_FIRST_WITH_HOST_NET -> ofCluster(host);
        };
    }

    private ResolvConf ofCluster(Optional<ResolvConf> host) {
        if (node.clusterDns().isEmpty()) {
            warn(
                    "missing-cluster-dns",
                    "pod: "
                            + Quoted.of(pod.name() + "_" + pod.namespace() + "("
                                    + pod.uid().orElse("") + ")")
                            + ". kubelet does not have ClusterDNS IP configured and cannot create Pod using"
                            + " \"ClusterFirst\" policy. Falling back to \"Default\" policy.");
            return ofHost(host);
        }
        List<String> hostSearches = host.map(ResolvConf::searches).orElse(List.of());
        return new ResolvConf(
                node.clusterDns().stream().map(Object::toString).toList(),
                node.clusterDomain()
                        .map(domain -> ResolvConf.distinct(
                                List.of(pod.namespace() + ".svc." + domain, "svc." + domain, domain), hostSearches))
                        .orElse(hostSearches),
                List.of("ndots:5"));
    }

    private ResolvConf ofHost(Optional<ResolvConf> host) {
        return host.orElseGet(() -> {
            List<String> loopback = node.nodeIps().stream()
                    .map(address -> address.isIpv4() ? "127.0.0.1" : "::1")
                    .toList();
            return new ResolvConf(loopback.isEmpty() ? List.of("127.0.0.1") : loopback, List.of("."), List.of());
        });
    }

    private List<String> fitting(List<String> nameservers) {
        if (nameservers.size() <= NAMESERVERS) {
            return nameservers;
        }
        List<String> kept = nameservers.subList(0, NAMESERVERS);
        warn(
                "nameserver-limits",
                "Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: "
                        + String.join(" ", kept));
        return kept;
    }

    private List<String> fittingSearches(List<String> searches) {
        SearchLimits limits = node.dialect().limits();
        List<String> kept = new ArrayList<>();
        long line = -1;
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
        notices.add(Diagnostic.warning(code, ObjectRef.of("Pod", pod.namespace(), pod.name()), text));
    }
}
