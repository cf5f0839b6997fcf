package io.k8sdns.resolvconf;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.DnsConfig;
import io.k8sdns.model.DnsPolicy;
import io.k8sdns.model.IpAddress;
import io.k8sdns.resolvconf.KubeletDialect.SearchLimits;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.domains.Domain;

@Domain(PodsAndNodes.class)
class KubeletDnsLaws {
    @Property
    void theResultIsWithinTheLimits(@ForAll PodDnsSpec pod, @ForAll NodeDns node) {
        ResolvConf file = KubeletDns.forPod(pod, node).resolvConf();
        SearchLimits limits = node.dialect().limits();

        assertThat(file.nameservers()).hasSizeLessThanOrEqualTo(3);
        assertThat(file.searches())
                .hasSizeLessThanOrEqualTo(limits.domains())
                .allMatch(search -> search.length() <= 253);
        assertThat(String.join(" ", file.searches())).hasSizeLessThanOrEqualTo(limits.characters());
    }

    @Property
    void onlyTheDomainsBeyondTheLimitAreDroppedFromTheEnd(@ForAll PodDnsSpec pod, @ForAll NodeDns node) {
        SearchLimits limits = node.dialect().limits();
        List<String> all = searchesBeforeLimits(pod, node);
        List<String> fitting = new ArrayList<>(all.subList(0, Math.min(all.size(), limits.domains())));
        fitting.removeIf(search -> search.length() > 253);
        while (String.join(" ", fitting).length() > limits.characters()) {
            fitting.remove(fitting.size() - 1);
        }
        assertThat(KubeletDns.forPod(pod, node).resolvConf().searches()).isEqualTo(fitting);
    }

    @Property
    void aDomainOfTheClusterIsNeverCutBeforeOneOfThePod(@ForAll PodDnsSpec pod, @ForAll NodeDns node) {
        List<String> kept =
                KubeletDns.forPod(ofCluster(pod), inCluster(node)).resolvConf().searches();

        assertThat(kept).startsWith("test.svc.cluster.local", "svc.cluster.local", "cluster.local");
    }

    @Property
    void theKubeletWarnsOnceAboutEachTruncatedList(@ForAll PodDnsSpec pod, @ForAll NodeDns node) {
        PodDns dns = KubeletDns.forPod(pod, node);
        ResolvConf file = dns.resolvConf();
        List<String> expected = new ArrayList<>();
        if (asksForClusterDns(pod) && node.clusterDns().isEmpty()) {
            expected.add(
                    "pod: \"web_test()\". kubelet does not have ClusterDNS IP configured and cannot create Pod using"
                            + " \"ClusterFirst\" policy. Falling back to \"Default\" policy.");
        }
        if (nameserversBeforeLimits(pod, node).size() > file.nameservers().size()) {
            expected.add(
                    "Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line"
                            + " is: " + String.join(" ", file.nameservers()));
        }
        if (searchesBeforeLimits(pod, node).size() > file.searches().size()) {
            expected.add(
                    "Search Line limits were exceeded, some search paths have been omitted, the applied search line"
                            + " is: " + String.join(" ", file.searches()));
        }
        assertThat(dns.warnings()).isEqualTo(expected);
    }

    @Property
    void warningsPrecedeAdvice(@ForAll PodDnsSpec pod, @ForAll NodeDns node) {
        List<Diagnostic.Severity> severities = KubeletDns.forPod(pod, node).notices().stream()
                .map(Diagnostic::severity)
                .toList();
        assertThat(severities).isSortedAccordingTo((a, b) -> b.compareTo(a));
    }

    @Property
    void withClusterDnsOnlyTheDomainsOfTheHostAreUsed(@ForAll PodDnsSpec pod, @ForAll NodeDns node) {
        ResolvConf host = hostFile(node);
        String domainsAlone = new ResolvConf(List.of(), host.searches(), List.of()).render();

        assertThat(KubeletDns.forPod(ofCluster(pod), inCluster(node)).resolvConf())
                .isEqualTo(KubeletDns.forPod(ofCluster(pod), inCluster(withFile(node, domainsAlone)))
                        .resolvConf());
    }

    @Property
    void theEquivalentConfigGivesTheSameFileUnderPolicyNone(@ForAll PodDnsSpec pod, @ForAll NodeDns node) {
        PodDns dns = KubeletDns.forPod(pod, node);
        // Without duplicates, because merging a dnsConfig removes them.
        Assume.that(dns.resolvConf().equals(dns.resolvConf().merged(DnsConfig.EMPTY)));
        PodDnsSpec none = PodDnsSpec.builder("web")
                .namespace("test")
                .dnsPolicy(DnsPolicy.NONE)
                .dnsConfig(dns.asDnsConfig())
                .build();
        NodeDns lax = NodeDns.builder().dialect(node.dialect()).build();
        Assume.that(PodDnsValidation.findings(none, lax).isEmpty());

        assertThat(KubeletDns.forPod(none, lax).resolvConf()).isEqualTo(dns.resolvConf());
    }

    @Property
    void enhancementPoliciesDoNotChangeOtherPods(@ForAll PodDnsSpec pod, @ForAll NodeDns node) {
        NodeDns lenient = new NodeDns(
                node.clusterDns(),
                node.clusterDomain(),
                node.hostResolvConf(),
                node.nodeIps(),
                node.os(),
                node.dialect(),
                true);
        assertThat(KubeletDns.forPod(pod, lenient)).isEqualTo(KubeletDns.forPod(pod, node));
    }

    private static PodDnsSpec ofCluster(PodDnsSpec pod) {
        return pod.withDns(Optional.of(DnsPolicy.CLUSTER_FIRST_WITH_HOST_NET.word()), pod.dnsConfig());
    }

    private static NodeDns inCluster(NodeDns node) {
        return new NodeDns(
                List.of(IpAddress.parse("10.96.0.10")),
                Optional.of("cluster.local"),
                node.hostResolvConf(),
                node.nodeIps(),
                node.os(),
                node.dialect(),
                node.enhancementPolicies());
    }

    private static NodeDns withFile(NodeDns node, String text) {
        return new NodeDns(
                node.clusterDns(),
                node.clusterDomain(),
                Optional.of(text),
                node.nodeIps(),
                node.os(),
                node.dialect(),
                node.enhancementPolicies());
    }

    private static boolean asksForClusterDns(PodDnsSpec pod) {
        String policy = pod.dnsPolicy().orElseThrow();
        return policy.equals("ClusterFirstWithHostNet") || policy.equals("ClusterFirst") && !pod.hostNetwork();
    }

    private static boolean usesClusterDns(PodDnsSpec pod, NodeDns node) {
        return asksForClusterDns(pod) && !node.clusterDns().isEmpty();
    }

    private static List<String> searchesBeforeLimits(PodDnsSpec pod, NodeDns node) {
        List<String> searches = new ArrayList<>();
        if (usesClusterDns(pod, node)) {
            List<String> host = hostFile(node).searches();
            if (node.clusterDomain().isPresent()) {
                searches.addAll(List.of("test.svc.cluster.local", "svc.cluster.local", "cluster.local"));
                searches.addAll(host);
                searches = new ArrayList<>(new LinkedHashSet<>(searches));
            } else {
                searches.addAll(host);
            }
        } else if (!pod.dnsPolicy().orElseThrow().equals("None")) {
            searches.addAll(node.hostResolvConf().isPresent() ? hostFile(node).searches() : List.of("."));
        }
        pod.dnsConfig().ifPresent(new Appending(searches)::searches);
        return searches;
    }

    private static List<String> nameserversBeforeLimits(PodDnsSpec pod, NodeDns node) {
        List<String> nameservers = new ArrayList<>();
        if (usesClusterDns(pod, node)) {
            node.clusterDns().forEach(address -> nameservers.add(address.toString()));
        } else if (!pod.dnsPolicy().orElseThrow().equals("None")) {
            nameservers.addAll(
                    node.hostResolvConf().isPresent() ? hostFile(node).nameservers() : List.of("127.0.0.1"));
        }
        pod.dnsConfig().ifPresent(new Appending(nameservers)::nameservers);
        return nameservers;
    }

    private static ResolvConf hostFile(NodeDns node) {
        return node.hostResolvConf().map(ResolvConf::parse).orElse(ResolvConf.EMPTY);
    }

    /** A simple model of the Pod's additions. */
    private record Appending(List<String> list) {
        void searches(DnsConfig own) {
            append(own.searches());
        }

        void nameservers(DnsConfig own) {
            append(own.nameservers());
        }

        private void append(List<String> own) {
            LinkedHashSet<String> all = new LinkedHashSet<>(list);
            all.addAll(own);
            list.clear();
            list.addAll(all);
        }
    }
}
