package io.k8sdns.resolvconf;

import io.k8sdns.model.DnsConfig;
import io.k8sdns.model.DnsPolicy;
import io.k8sdns.model.IpAddress;
import io.k8sdns.resolvconf.KubeletDialect.SearchLimits;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.domains.DomainContextBase;

/** Valid Pods, nodes and files for the properties: few words, so that duplicates are frequent, and very long lists. */
class PodsAndNodes extends DomainContextBase {
    @Provide
    Arbitrary<ResolvConf> files() {
        return Combinators.combine(
                        Arbitraries.of(
                                        "192.0.2.1",
                                        "192.0.2.2",
                                        "2001:db8::a",
                                        "2001:DB8::A",
                                        "127.0.0.53",
                                        "fe80::1%eth0")
                                .list()
                                .ofMaxSize(6),
                        domains().list().ofMaxSize(40),
                        optionWords().list().ofMaxSize(6))
                .as(ResolvConf::new);
    }

    @Provide
    Arbitrary<DnsConfig> dnsConfigs() {
        return Combinators.combine(
                        Arbitraries.of("192.0.2.1", "192.0.2.3", "2001:db8::a")
                                .list()
                                .ofMaxSize(3),
                        ownDomains().list().ofMaxSize(6),
                        options().list().ofMaxSize(6))
                .as(DnsConfig::new);
    }

    @Provide
    Arbitrary<PodDnsSpec> pods() {
        Arbitrary<DnsConfig> withServer = dnsConfigs()
                .map(config -> config.nameservers().isEmpty()
                        ? new DnsConfig(List.of("192.0.2.3"), config.searches(), config.options())
                        : config);
        return Combinators.combine(
                        Arbitraries.of(DnsPolicy.class),
                        withServer,
                        Arbitraries.of(true, false),
                        Arbitraries.of(true, false))
                .as((policy, config, configured, hostNetwork) -> {
                    PodDnsSpec.Builder pod = PodDnsSpec.builder("web")
                            .namespace("test")
                            .dnsPolicy(policy)
                            .hostNetwork(hostNetwork);
                    return configured || policy == DnsPolicy.NONE
                            ? pod.dnsConfig(config).build()
                            : pod.build();
                });
    }

    @Provide
    Arbitrary<NodeDns> nodes() {
        return Combinators.combine(
                        files(),
                        Arbitraries.of(true, true, true, false),
                        Arbitraries.of("10.96.0.10", "2001:db8::a", "192.0.2.1")
                                .map(IpAddress::parse)
                                .list()
                                .ofMaxSize(4),
                        Arbitraries.of("cluster.local", "cluster.local", ""),
                        Arbitraries.of(SearchLimits.class))
                .as((file, hasFile, clusterDns, domain, limits) -> {
                    NodeDns.Builder node = NodeDns.builder()
                            .clusterDns(clusterDns)
                            .clusterDomain(domain)
                            // A server with legacy limits would reject the Pods whose own domain is a single dot.
                            .dialect(new KubeletDialect(
                                    limits, KubeletDialect.TrailingDots.ROOT_DROPPED, true, true, true));
                    return hasFile ? node.hostResolvConf(file.render()).build() : node.build();
                });
    }

    /** Domains of a host's file; some are too long, and there may be too many. */
    private static Arbitrary<String> domains() {
        return Arbitraries.frequencyOf(
                Tuple.of(
                        4,
                        Arbitraries.of(
                                "a.example", "b.example", "b.example.", "cluster.local", "Svc.cluster.local", ".")),
                Tuple.of(6, Arbitraries.integers().between(1, 99).map(i -> "d" + i + ".example")),
                Tuple.of(4, Arbitraries.integers().between(60, 120).map(PodsAndNodes::domainOf)),
                Tuple.of(1, Arbitraries.integers().between(251, 256).map(PodsAndNodes::domainOf)));
    }

    /** Domains of a Pod; the Pod is valid with any six of them. */
    private static Arbitrary<String> ownDomains() {
        return Arbitraries.frequencyOf(
                Tuple.of(3, Arbitraries.of("a.example", "b.example", "b.example.", "svc.cluster.local", ".")),
                Tuple.of(2, Arbitraries.integers().between(1, 40).map(PodsAndNodes::domainOf)));
    }

    /** Returns a Pod without other fields. Its namespace may be empty, which the builder does not allow. */
    static PodDnsSpec podNamed(String name, String namespace) {
        return new PodDnsSpec(
                name,
                namespace,
                Optional.empty(),
                false,
                Optional.empty(),
                Optional.empty(),
                false,
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    private static Arbitrary<String> optionWords() {
        return options().map(DnsConfig.Option::toString);
    }

    private static Arbitrary<DnsConfig.Option> options() {
        return Combinators.combine(
                        Arbitraries.of("ndots", "timeout", "edns0", "rotate", "Ndots"),
                        Arbitraries.of("1", "5", "a:b", "").optional())
                .as(DnsConfig.Option::new);
    }

    static String domainOf(int length) {
        return "x".repeat(length);
    }
}
