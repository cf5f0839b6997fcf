package io.k8sdns.rules;

import static io.k8sdns.rules.RuleTestObjects.HTTPS;
import static io.k8sdns.rules.RuleTestObjects.LISTENS;
import static io.k8sdns.rules.RuleTestObjects.clusterIp;
import static io.k8sdns.rules.RuleTestObjects.endpoint;
import static io.k8sdns.rules.RuleTestObjects.external;
import static io.k8sdns.rules.RuleTestObjects.headless;
import static io.k8sdns.rules.RuleTestObjects.named;
import static io.k8sdns.rules.RuleTestObjects.ofPod;
import static io.k8sdns.rules.RuleTestObjects.publishingNotReady;
import static io.k8sdns.rules.RuleTestObjects.slice;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.AddressType;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodPhase;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.EndpointNames;
import io.k8sdns.records.PodsMode;
import io.k8sdns.records.ReversePolicy;
import io.k8sdns.records.SrvPort;
import io.k8sdns.records.ZoneSettings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.Name;
import org.xbill.DNS.TXTRecord;
import org.xbill.DNS.Type;

class RecordRulesTest {
    private static final RecordRules RULES = new RecordRules(ZoneSettings.DEFAULTS);
    private static final String NET = "net.default.svc";

    /** The headless Service {@code net} and one slice of it. */
    private static Published net(Endpoint... endpoints) {
        return Published.of(headless("net", HTTPS), slice("net", List.of(LISTENS), endpoints));
    }

    @Nested
    class FixedNames {
        @Test
        void theSchemaVersionIsATxtRecordWithALongTtl() {
            assertThat(texts(RULES.fixedFacts())).containsExactly("dns-version 28800 1.1.0");
        }

        private static List<String> texts(List<Fact> facts) {
            return facts.stream()
                    .filter(Fact.Text.class::isInstance)
                    .map(Fact.Text.class::cast)
                    .map(text -> text.owner() + " " + text.ttlSeconds() + " " + text.text())
                    .toList();
        }

        @Test
        void everyZoneHasItsApexItsBranchesAndItsNameServer() {
            assertThat(RULES.fixedFacts().stream().map(fact -> fact.owner().toString()))
                    .containsExactlyInAnyOrder("@", "svc", "pod", "dns", "dns-version", "ns.dns");
        }

        @Test
        void theSoaCarriesTheNegativeTtl() {
            RecordRules rules = new RecordRules(ZoneSettings.builder()
                    .ttlSeconds(1000)
                    .negativeTtlSeconds(7)
                    .build());
            DnsLabels zone = DnsLabels.parse("cluster.local");
            assertThat(rules.negativeStartOfAuthority(zone, 4294967295L).lines())
                    .containsExactly("cluster.local. 7 IN SOA ns.dns.cluster.local. hostmaster.cluster.local."
                            + " 4294967295 7200 1800 86400 7");
            assertThat(rules.startOfAuthority(zone, 1).records().get(0).getTTL())
                    .isEqualTo(300);
            assertThat(RULES.startOfAuthority(zone, 1).records().get(0).getTTL())
                    .isEqualTo(5);
        }

        @Test
        void reverseZonesUseTheFirstForwardZonesNameServer() {
            RecordRules rules = new RecordRules(ZoneSettings.builder()
                    .zones(List.of(DnsLabels.parse("cluster.local"), DnsLabels.parse("k8s")))
                    .build());
            assertThat(rules.nameServers(DnsLabels.parse("k8s")).lines()).containsExactly("k8s. 5 IN NS ns.dns.k8s.");
            assertThat(rules.nameServers(DnsLabels.parse("in-addr.arpa")).lines())
                    .containsExactly("in-addr.arpa. 5 IN NS ns.dns.cluster.local.");
            assertThat(rules.startOfAuthority(DnsLabels.parse("in-addr.arpa"), 1)
                            .lines())
                    .containsExactly("in-addr.arpa. 5 IN SOA ns.dns.cluster.local. hostmaster.cluster.local."
                            + " 1 7200 1800 86400 5");
        }

        @ParameterizedTest
        @EnumSource
        void aNamespaceHasAPodBranchWhilePodNamesAreAnswered(PodsMode mode) {
            Published published = Published.with(ZoneSettings.builder().pods(mode), Namespace.of("prod"));
            assertThat(published.exists("prod.svc")).isTrue();
            assertThat(published.exists("prod.pod")).isEqualTo(mode != PodsMode.DISABLED);
        }
    }

    @Nested
    class ServiceWithClusterIp {
        private static final Service KUBERNETES = clusterIp("kubernetes", List.of("10.3.0.1", "2001:db8::1"), HTTPS);

        @Test
        void hasAnAddressRecordForEachAddress() {
            assertThat(Published.of(KUBERNETES).lines("kubernetes.default.svc"))
                    .startsWith(
                            "kubernetes.default.svc.cluster.local. 5 IN A 10.3.0.1",
                            "kubernetes.default.svc.cluster.local. 5 IN AAAA 2001:db8::1");
        }

        @Test
        void hasSrvWithTheServicesPortForEachNamedPort() {
            assertThat(Published.of(KUBERNETES).lines("_https._tcp.kubernetes.default.svc"))
                    .containsExactly("_https._tcp.kubernetes.default.svc.cluster.local. 5 IN SRV 0 50 443"
                            + " kubernetes.default.svc.cluster.local.");
        }

        @Test
        void hasAPtrForEachAddress() {
            Published published = Published.of(KUBERNETES);
            assertThat(published.ptrRecords("10.3.0.1"))
                    .containsExactly("1.0.3.10.in-addr.arpa. 5 IN PTR kubernetes.default.svc.cluster.local.");
            assertThat(published.ptrRecords("2001:db8::1"))
                    .containsExactly(
                            "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa. 5 IN PTR"
                                    + " kubernetes.default.svc.cluster.local.");
        }

        @Test
        void unnamedPortsHaveSrvAtTheBareNameOnly() {
            Service dns = clusterIp("dns", List.of("10.3.0.10"), ServicePort.unnamed(Protocol.UDP, 53));
            assertThat(Published.of(dns).lines("dns.default.svc"))
                    .containsExactly(
                            "dns.default.svc.cluster.local. 5 IN A 10.3.0.10",
                            "dns.default.svc.cluster.local. 5 IN SRV 0 100 53 dns.default.svc.cluster.local.");
            assertThat(Published.of(dns).exists("_udp.dns.default.svc")).isFalse();
        }

        @Test
        void theBareNameListsAllPortsAndCountsThemForTheWeight() {
            Service dns = clusterIp(
                    "dns",
                    List.of("10.3.0.10"),
                    ServicePort.of("dns", Protocol.UDP, 53),
                    ServicePort.of("dns-tcp", Protocol.TCP, 53),
                    ServicePort.of("metrics", Protocol.TCP, 9153));
            assertThat(Published.of(dns).lines("dns.default.svc").stream().filter(line -> line.contains("SRV")))
                    .containsExactly(
                            "dns.default.svc.cluster.local. 5 IN SRV 0 33 53 dns.default.svc.cluster.local.",
                            "dns.default.svc.cluster.local. 5 IN SRV 0 33 9153 dns.default.svc.cluster.local.");
            assertThat(Published.with(ZoneSettings.builder().bareSrv(false), dns)
                            .lines("dns.default.svc"))
                    .containsExactly("dns.default.svc.cluster.local. 5 IN A 10.3.0.10");
        }

        @Test
        void protocolsAreBranchesOfTheirOwn() {
            Published published = Published.of(clusterIp(
                    "sig",
                    List.of("10.3.0.2"),
                    ServicePort.of("m3ua", Protocol.SCTP, 2905),
                    ServicePort.of("http", Protocol.TCP, 80)));
            assertThat(published.exists("_sctp.sig.default.svc")).isTrue();
            assertThat(published.exists("_tcp.sig.default.svc")).isTrue();
            assertThat(published.exists("_udp.sig.default.svc")).isFalse();
            assertThat(published.lines("_tcp.sig.default.svc")).isEmpty();
            assertThat(published.lines("_m3ua._sctp.sig.default.svc")).hasSize(1);
            assertThat(published.exists("_m3ua._tcp.sig.default.svc")).isFalse();
        }

        @Test
        void portsWithTheSameNameAreDistinguishedByTheirProtocol() {
            Published published = Published.of(clusterIp(
                    "dns",
                    List.of("10.3.0.2"),
                    ServicePort.of("dns", Protocol.UDP, 53),
                    ServicePort.of("dns", Protocol.TCP, 5353)));
            assertThat(published.lines("_dns._udp.dns.default.svc"))
                    .containsExactly(
                            "_dns._udp.dns.default.svc.cluster.local. 5 IN SRV 0 100 53 dns.default.svc.cluster.local.");
            assertThat(published.lines("_dns._tcp.dns.default.svc"))
                    .containsExactly(
                            "_dns._tcp.dns.default.svc.cluster.local. 5 IN SRV 0 100 5353 dns.default.svc.cluster.local.");
            assertThat(published.lines("dns.default.svc").stream().filter(line -> line.contains("SRV")))
                    .containsExactly(
                            "dns.default.svc.cluster.local. 5 IN SRV 0 50 53 dns.default.svc.cluster.local.",
                            "dns.default.svc.cluster.local. 5 IN SRV 0 50 5353 dns.default.svc.cluster.local.");
        }

        @Test
        void aPortWhoseNameLeavesNoRoomForItsUnderscoreIsAtTheBareNameOnly() {
            Published published = Published.of(
                    clusterIp("web", List.of("10.3.0.2"), ServicePort.of("p".repeat(63), Protocol.TCP, 80)));
            assertThat(published.lines("web.default.svc")).hasSize(2);
            assertThat(published.exists("_tcp.web.default.svc")).isFalse();
        }

        @Test
        void withoutAddressTheServiceHasNoNamesNotEvenEndpoints() {
            assertThat(Published.of(
                                    clusterIp("web", List.of(), HTTPS),
                                    slice("web", List.of(LISTENS), named("a", "10.0.0.1")))
                            .facts())
                    .isEmpty();
        }

        @Test
        void endpointsHaveNamesAndPtrButNoAddressOrSrvAtTheServicesNames() {
            Published published = Published.of(
                    clusterIp("web", List.of("10.3.0.2"), HTTPS),
                    slice("web", List.of(LISTENS), named("a", "10.0.0.1"), endpoint("10.0.0.2")));
            assertThat(published.lines("a.web.default.svc"))
                    .containsExactly("a.web.default.svc.cluster.local. 5 IN A 10.0.0.1");
            assertThat(published.lines("10-0-0-1.web.default.svc"))
                    .containsExactly("10-0-0-1.web.default.svc.cluster.local. 5 IN A 10.0.0.1");
            assertThat(published.ptrTargets("10.0.0.2")).containsExactly("10-0-0-2.web.default.svc");
            assertThat(published.lines("web.default.svc")).hasSize(2).allMatch(line -> !line.contains("10.0.0."));
            assertThat(published.lines("_https._tcp.web.default.svc")).hasSize(1);
        }

        @Test
        void existsWithoutPublishedEndpointsUnlessConfiguredOtherwise() {
            Service web = clusterIp("web", List.of("10.3.0.2"), HTTPS);
            EndpointSlice empty =
                    slice("web", List.of(LISTENS), endpoint("10.0.0.1").withReady(false));
            ZoneSettings.Builder ignoring = ZoneSettings.builder().ignoreEmptyServices(true);
            assertThat(Published.of(web, empty).exists("web.default.svc")).isTrue();
            assertThat(Published.with(ignoring, web, empty).facts()).isEmpty();
            assertThat(Published.with(ignoring, web, empty, slice("web", List.of(), endpoint("10.0.0.2")))
                            .exists("web.default.svc"))
                    .isTrue();
            assertThat(Published.with(ignoring, external("x", "www.example.com"))
                            .exists("x.default.svc"))
                    .isTrue();
        }
    }

    @Nested
    class HeadlessServices {
        @Test
        void haveTheAddressesOfAllSlicesEachOnceByFamily() {
            Published published = Published.of(
                    headless("net", HTTPS),
                    slice("net", List.of(), endpoint("10.0.0.2"), endpoint("10.0.0.1")),
                    slice("net", List.of(), endpoint("10.0.0.2")),
                    slice("net", List.of(), endpoint("2001:db8::1")));
            assertThat(published.lines(NET))
                    .containsExactly(
                            "net.default.svc.cluster.local. 5 IN A 10.0.0.1",
                            "net.default.svc.cluster.local. 5 IN A 10.0.0.2",
                            "net.default.svc.cluster.local. 5 IN AAAA 2001:db8::1");
        }

        @Test
        void withoutPublishedEndpointDoNotExist() {
            assertThat(Published.of(headless("net", HTTPS)).exists(NET)).isFalse();
            assertThat(net(endpoint("10.0.0.1").withReady(false)).facts()).isEmpty();
            assertThat(net().facts()).isEmpty();
        }

        @Test
        void allAddressesThatShareAHostnameAreAtIt() {
            Published published = Published.of(
                    headless("net", HTTPS),
                    slice("net", List.of(LISTENS), named("my-pet", "10.3.0.100"), named("my-pet", "10.3.0.101")),
                    slice("net", List.of(LISTENS), named("my-pet", "2001:db8::1")));
            assertThat(published.lines("my-pet.net.default.svc"))
                    .containsExactly(
                            "my-pet.net.default.svc.cluster.local. 5 IN A 10.3.0.100",
                            "my-pet.net.default.svc.cluster.local. 5 IN A 10.3.0.101",
                            "my-pet.net.default.svc.cluster.local. 5 IN AAAA 2001:db8::1");
            assertThat(published.lines("_https._tcp.net.default.svc"))
                    .as("one SRV record for the target, three pairs of address and port")
                    .containsExactly("_https._tcp.net.default.svc.cluster.local. 5 IN SRV 0 33 8443"
                            + " my-pet.net.default.svc.cluster.local.");
        }

        @Test
        void haveSrvWithTheSlicesPortForEachEndpointAndPort() {
            assertThat(net(named("my-pet", "10.3.0.100"), endpoint("10.3.0.101"))
                            .lines("_https._tcp.net.default.svc"))
                    .containsExactly(
                            "_https._tcp.net.default.svc.cluster.local. 5 IN SRV 0 50 8443"
                                    + " my-pet.net.default.svc.cluster.local.",
                            "_https._tcp.net.default.svc.cluster.local. 5 IN SRV 0 50 8443"
                                    + " 10-3-0-101.net.default.svc.cluster.local.");
        }

        @Test
        void slicesWithOtherPortNumbersKeepTheirOwn() {
            Published published = Published.of(
                    headless("net", HTTPS),
                    slice("net", List.of(EndpointPort.of("https", Protocol.TCP, 8443)), endpoint("10.0.0.1")),
                    slice("net", List.of(EndpointPort.of("https", Protocol.TCP, 9443)), endpoint("10.0.0.2")));
            assertThat(published.lines("_https._tcp.net.default.svc"))
                    .containsExactly(
                            "_https._tcp.net.default.svc.cluster.local. 5 IN SRV 0 50 8443"
                                    + " 10-0-0-1.net.default.svc.cluster.local.",
                            "_https._tcp.net.default.svc.cluster.local. 5 IN SRV 0 50 9443"
                                    + " 10-0-0-2.net.default.svc.cluster.local.");
        }

        @Test
        void withServicePortsSrvRecordsUseTheServicePort() {
            List<EndpointPort> listening = List.of(
                    LISTENS, EndpointPort.of("https", Protocol.UDP, 8443), EndpointPort.of("x", Protocol.TCP, 1));
            Published published = Published.with(
                    ZoneSettings.builder().srvPort(SrvPort.SERVICE),
                    headless("net", HTTPS),
                    slice("net", listening, endpoint("10.0.0.1")));
            assertThat(published.lines("_https._tcp.net.default.svc"))
                    .containsExactly("_https._tcp.net.default.svc.cluster.local. 5 IN SRV 0 100 443"
                            + " 10-0-0-1.net.default.svc.cluster.local.");
            assertThat(published.exists("_https._udp.net.default.svc"))
                    .as("the Service has no such port")
                    .isFalse();
            assertThat(published.exists("_x._tcp.net.default.svc")).isFalse();
        }

        @Test
        void withServicePortsASlicePortWithoutANumberUsesTheServicePort() {
            EndpointPort anyNumber = EndpointPort.everyPort("https", Protocol.TCP);
            assertThat(Published.with(
                                    ZoneSettings.builder().srvPort(SrvPort.SERVICE),
                                    headless("net", HTTPS),
                                    slice("net", List.of(anyNumber), endpoint("10.0.0.1")))
                            .lines("_https._tcp.net.default.svc"))
                    .containsExactly("_https._tcp.net.default.svc.cluster.local. 5 IN SRV 0 100 443"
                            + " 10-0-0-1.net.default.svc.cluster.local.");
        }

        @Test
        void unnamedPortsHaveSrvAtTheBareNameOnly() {
            EndpointPort unnamed = EndpointPort.unnamed(Protocol.TCP, 80);
            Published published = Published.of(headless("net"), slice("net", List.of(unnamed), endpoint("10.0.0.1")));
            assertThat(published.lines(NET))
                    .containsExactly(
                            "net.default.svc.cluster.local. 5 IN A 10.0.0.1",
                            "net.default.svc.cluster.local. 5 IN SRV 0 100 80 10-0-0-1.net.default.svc.cluster.local.");
            assertThat(published.exists("_tcp.net.default.svc")).isFalse();
        }

        @Test
        void withoutPortsOrWithoutNumbersHaveAddressesAndNoSrv() {
            EndpointPort all = EndpointPort.everyPort("all", Protocol.TCP);
            assertThat(Published.of(headless("net"), slice("net", List.of(), endpoint("10.0.0.1")))
                            .lines(NET))
                    .containsExactly("net.default.svc.cluster.local. 5 IN A 10.0.0.1");
            Published published = Published.of(headless("net"), slice("net", List.of(all), endpoint("10.0.0.1")));
            assertThat(published.lines(NET)).containsExactly("net.default.svc.cluster.local. 5 IN A 10.0.0.1");
            assertThat(published.exists("_tcp.net.default.svc")).isFalse();
        }

        @Test
        void everyPublishedAddressHasItsDashedName() {
            Published published = Published.of(
                    headless("net"),
                    slice(
                            "net",
                            List.of(),
                            named("a", "10.0.0.1"),
                            endpoint("10.0.0.3").withReady(false)),
                    slice("net", List.of(), endpoint("2001:db8::")));
            assertThat(published.lines("10-0-0-1.net.default.svc"))
                    .containsExactly("10-0-0-1.net.default.svc.cluster.local. 5 IN A 10.0.0.1");
            assertThat(published.lines("2001-db8--0.net.default.svc"))
                    .containsExactly("2001-db8--0.net.default.svc.cluster.local. 5 IN AAAA 2001:db8::");
            assertThat(published.exists("2001-db8--.net.default.svc")).isFalse();
            assertThat(published.exists("2001-db8-0-0-0-0-0-0.net.default.svc")).isFalse();
            assertThat(published.exists("10-0-0-2.net.default.svc")).isFalse();
            assertThat(published.exists("10-0-0-3.net.default.svc")).isFalse();
            assertThat(published.exists("10-0-0-1.other.default.svc")).isFalse();
        }

        @Test
        void aHostnameThatSpellsAnAddressHasTheAddressesOfBoth() {
            assertThat(net(named("10-0-0-1", "10.0.0.2"), named("b", "10.0.0.1"))
                            .lines("10-0-0-1.net.default.svc"))
                    .containsExactly(
                            "10-0-0-1.net.default.svc.cluster.local. 5 IN A 10.0.0.1",
                            "10-0-0-1.net.default.svc.cluster.local. 5 IN A 10.0.0.2");
        }

        @Test
        void endpointsNamedByPodsFallBackToTheAddress() {
            String long64 = "p".repeat(64);
            Published published = Published.with(
                    ZoneSettings.builder().endpointNames(EndpointNames.POD),
                    headless("net"),
                    slice(
                            "net",
                            List.of(),
                            ofPod("web-0", "10.0.0.1"),
                            ofPod("web.0", "10.0.0.2"),
                            ofPod(long64, "10.0.0.3"),
                            ofPod("web-1", "10.0.0.4").withHostname("host"),
                            ofPod("q".repeat(63), "10.0.0.5")));
            assertThat(published.ptrTargets("10.0.0.1")).containsExactly("web-0.net.default.svc");
            assertThat(published.ptrTargets("10.0.0.2")).containsExactly("10-0-0-2.net.default.svc");
            assertThat(published.ptrTargets("10.0.0.3")).containsExactly("10-0-0-3.net.default.svc");
            assertThat(published.ptrTargets("10.0.0.4")).containsExactly("host.net.default.svc");
            assertThat(published.ptrTargets("10.0.0.5")).containsExactly("q".repeat(63) + ".net.default.svc");
            assertThat(published.exists("web-0.net.default.svc")).isTrue();
            assertThat(published.exists("web-1.net.default.svc")).isFalse();
            assertThat(Published.of(headless("net"), slice("net", List.of(), ofPod("web-0", "10.0.0.1")))
                            .exists("web-0.net.default.svc"))
                    .as("not configured")
                    .isFalse();
        }

        @Test
        void slicesOfNamesMakeNoRecord() {
            EndpointSlice fqdn = EndpointSlice.builder("default", "s")
                    .service("net")
                    .addressType(AddressType.FQDN)
                    .ports(LISTENS)
                    .build();
            assertThat(RULES.factsOf(fqdn, headless("net"))).isEmpty();
            assertThat(RULES.publishedEndpoints(fqdn, headless("net"))).isZero();
        }

        @Test
        void slicesThatNameNoServiceOrAnotherAreIgnored() {
            Service net = headless("net");
            EndpointSlice unnamed = EndpointSlice.builder("default", "s")
                    .endpoints(endpoint("10.0.0.1"))
                    .build();
            EndpointSlice ofOtherNamespace = EndpointSlice.builder("prod", "s")
                    .service("net")
                    .endpoints(endpoint("10.0.0.1"))
                    .build();
            for (EndpointSlice slice :
                    List.of(unnamed, ofOtherNamespace, slice("other", List.of(LISTENS), endpoint("10.0.0.1")))) {
                assertThat(RULES.factsOf(slice, net)).isEmpty();
                assertThat(RULES.publishedEndpoints(slice, net)).isZero();
            }
        }

        @Test
        void withoutEndpointsDoNotExist() {
            Published published = Published.with(
                    ZoneSettings.builder().endpoints(false),
                    headless("net"),
                    slice("net", List.of(LISTENS), named("a", "10.0.0.1")),
                    clusterIp("web", List.of("10.3.0.2"), HTTPS),
                    slice("web", List.of(LISTENS), named("a", "10.0.0.2")));
            assertThat(published.exists(NET)).isFalse();
            assertThat(published.exists("web.default.svc")).isTrue();
            assertThat(published.exists("10-0-0-2.web.default.svc")).isFalse();
            assertThat(published.ptrRecords("10.0.0.2")).isEmpty();
        }
    }

    @Nested
    class Readiness {
        @ParameterizedTest(name = "ready {0}, not ready published {1}: {2}")
        @CsvSource({
            "      , false, true",
            "true  , false, true",
            "false , false, false",
            "      , true , true",
            "true  , true , true",
            "false , true , true",
        })
        void isTheReadyConditionOrTheSettingOfTheService(Boolean ready, boolean publishNotReady, boolean published) {
            Endpoint one =
                    ready == null ? endpoint("10.0.0.1") : endpoint("10.0.0.1").withReady(ready);
            Service service = publishNotReady ? publishingNotReady("net") : headless("net");
            EndpointSlice slice = slice("net", List.of(LISTENS), one);
            assertThat(RULES.factsOf(slice, service).isEmpty()).isEqualTo(!published);
            assertThat(RULES.publishedEndpoints(slice, service)).isEqualTo(published ? 1 : 0);
        }

        @Test
        void twoSlicesThatDisagreePublish() {
            assertThat(Published.of(
                                    headless("net"),
                                    slice("net", List.of(), endpoint("10.0.0.1").withReady(false)),
                                    slice("net", List.of(), endpoint("10.0.0.1").withReady(true)))
                            .lines(NET))
                    .hasSize(1);
        }
    }

    @Nested
    class Weight {
        @ParameterizedTest
        @CsvSource({"1, 100", "2, 50", "3, 33", "7, 14", "50, 2", "51, 1", "100, 1", "200, 1"})
        void isAHundredSharedAmongAddressesAndPorts(int endpoints, int weight) {
            List<ClusterObject> objects = new ArrayList<>();
            objects.add(headless("net"));
            IntStream.rangeClosed(1, endpoints)
                    .forEach(i -> objects.add(slice("net", List.of(LISTENS), endpoint("10.0.0." + i))));
            assertThat(Published.with(ZoneSettings.DEFAULTS, objects).lines("_https._tcp.net.default.svc"))
                    .hasSize(endpoints)
                    .allMatch(line -> line.contains(" SRV 0 " + weight + " 8443 "));
        }

        @Test
        void countsAPairInTwoSlicesOnce() {
            assertThat(Published.of(
                                    headless("net"),
                                    slice("net", List.of(LISTENS), endpoint("10.0.0.1")),
                                    slice("net", List.of(LISTENS), endpoint("10.0.0.1"), endpoint("10.0.0.2")))
                            .lines("_https._tcp.net.default.svc"))
                    .hasSize(2)
                    .allMatch(line -> line.contains(" SRV 0 50 "));
        }
    }

    @Nested
    class ExternalNames {
        @ParameterizedTest
        @ValueSource(strings = {"www.example.com", "www.example.com."})
        void areAliases(String target) {
            assertThat(Published.of(external("foo", target)).lines("foo.default.svc"))
                    .containsExactly("foo.default.svc.cluster.local. 5 IN CNAME www.example.com.");
        }

        @ParameterizedTest
        @ValueSource(strings = {"192.0.2.1", "192.0.2.1.", "2001:db8::1"})
        void thatAreAddressesMakeNoRecord(String target) {
            assertThat(RULES.factsOf(external("foo", target))).isEmpty();
        }

        @Test
        void withALabelThatDnsCannotHoldMakeNothing() {
            assertThat(RULES.factsOf(external("foo", "x".repeat(64) + ".example.com")))
                    .isEmpty();
        }

        @Test
        void endpointsOfAnExternalNameServiceHaveNoRecords() {
            Published published = Published.of(
                    external("foo", "www.example.com"), slice("foo", List.of(LISTENS), named("a", "10.0.0.1")));
            assertThat(published.facts()).hasSize(1);
            assertThat(RULES.publishedEndpoints(
                            slice("foo", List.of(), endpoint("10.0.0.1")), external("foo", "www.example.com")))
                    .isOne();
        }
    }

    @Nested
    class PtrTargets {
        private static final Service WEB = clusterIp("web", List.of("10.3.0.2"));
        private static final Service NET_SERVICE = headless("net");

        private static ZoneSettings.Builder policy(ReversePolicy policy) {
            return ZoneSettings.builder().reversePolicy(policy);
        }

        private static ClusterObject[] shared() {
            return new ClusterObject[] {
                WEB,
                NET_SERVICE,
                headless("all"),
                slice("net", List.of(), endpoint("10.0.0.1")),
                slice("web", List.of(), named("z", "10.0.0.1")),
                slice("all", List.of(), named("a", "10.0.0.1"))
            };
        }

        @Test
        void arePerServiceAndEndpoint() {
            assertThat(Published.of(shared()).ptrTargets("10.0.0.1"))
                    .containsExactlyInAnyOrder("a.all.default.svc", "10-0-0-1.net.default.svc", "z.web.default.svc");
        }

        @Test
        void oneIsTheFirstByRankAndName() {
            assertThat(Published.with(policy(ReversePolicy.ONE), shared()).ptrTargets("10.0.0.1"))
                    .containsExactly("a.all.default.svc");
            assertThat(Published.with(
                                    policy(ReversePolicy.ONE),
                                    NET_SERVICE,
                                    headless("all"),
                                    slice("all", List.of(), endpoint("10.0.0.1")),
                                    slice("net", List.of(), named("z", "10.0.0.1")))
                            .ptrTargets("10.0.0.1"))
                    .as("hostnames first")
                    .containsExactly("z.net.default.svc");
        }

        @Test
        void headlessOnlyOmitsEndpointsOfServicesWithClusterIp() {
            assertThat(Published.with(policy(ReversePolicy.HEADLESS_ONLY), shared())
                            .ptrTargets("10.0.0.1"))
                    .containsExactlyInAnyOrder("a.all.default.svc", "10-0-0-1.net.default.svc");
        }

        @Test
        void hostnameOnlyOmitsEndpointsWithoutHostname() {
            Published published = Published.with(policy(ReversePolicy.HOSTNAME_ONLY), shared());
            assertThat(published.ptrTargets("10.0.0.1"))
                    .containsExactlyInAnyOrder("a.all.default.svc", "z.web.default.svc");
            assertThat(published.exists("10-0-0-1.net.default.svc")).isTrue();
        }

        @ParameterizedTest
        @EnumSource
        void aClusterIpsOwnersWin(ReversePolicy policy) {
            Service other = clusterIp("api", List.of("10.3.0.2"));
            assertThat(Published.with(
                                    policy(policy),
                                    WEB,
                                    other,
                                    NET_SERVICE,
                                    slice("net", List.of(), named("a", "10.3.0.2")))
                            .ptrTargets("10.3.0.2"))
                    .isEqualTo(
                            policy == ReversePolicy.ONE
                                    ? List.of("api.default.svc")
                                    : List.of("api.default.svc", "web.default.svc"));
        }

        @Test
        void pointIntoTheFirstZone() {
            assertThat(Published.with(
                                    ZoneSettings.builder()
                                            .zones(List.of(DnsLabels.parse("k8s"), DnsLabels.parse("cluster.local"))),
                                    WEB)
                            .ptrRecords("10.3.0.2"))
                    .containsExactly("2.0.3.10.in-addr.arpa. 5 IN PTR web.default.svc.k8s.");
        }
    }

    @Nested
    class LongNames {
        /** 218 bytes, so that {@code net.default.svc} fits below it and a hostname of 63 bytes does not. */
        private static final String ZONE = String.join(".", "z".repeat(63), "z".repeat(63), "z".repeat(63), "zone");

        @Test
        void areOmittedIfTheyAreTooLongWithoutAffectingOtherRecords() {
            String longest = "h".repeat(63);
            List<DnsLabels> zones = List.of(DnsLabels.parse(ZONE), DnsLabels.parse("k8s"));
            Published published = Published.with(
                    ZoneSettings.builder().zones(zones),
                    headless("net"),
                    slice("net", List.of(LISTENS), named(longest, "10.0.0.1"), named("a", "10.0.0.2")));
            assertThat(published.lines("_https._tcp.net.default.svc"))
                    .singleElement()
                    .asString()
                    .endsWith("8443 a.net.default.svc." + ZONE + ".");
            assertThat(published.ptrRecords("10.0.0.1")).isEmpty();
            assertThat(published.ptrRecords("10.0.0.2")).hasSize(1);
            assertThat(published
                            .lookup("_https._tcp.net.default.svc")
                            .orElseThrow()
                            .in(zones.get(1))
                            .recordSet(
                                    org.xbill.DNS.Type.SRV,
                                    DnsNames.absolute(DnsLabels.parse("_https._tcp.net.default.svc.k8s")),
                                    5)
                            .orElseThrow()
                            .records())
                    .as("both fit in the short zone")
                    .hasSize(2);
        }
    }

    @Test
    void nothingPointsToANameThatBelongsToAZoneWithinTheFirst() {
        List<DnsLabels> zones = List.of(DnsLabels.parse("cluster.local"), DnsLabels.parse("svc.cluster.local"));
        RecordRules rules = new RecordRules(ZoneSettings.builder().zones(zones).build());
        assertThat(rules.factsOf(clusterIp("web", List.of("10.3.0.1"), HTTPS)))
                .noneMatch(Fact.PtrCandidate.class::isInstance);
        assertThat(RULES.factsOf(clusterIp("web", List.of("10.3.0.1"), HTTPS)))
                .anyMatch(Fact.PtrCandidate.class::isInstance);
    }

    @Nested
    class WhatDnsCannotHold {
        private static final String ZONE = LongNames.ZONE;
        private static final OversizedRecords OVERSIZED = new OversizedRecords(RULES);

        private static OversizedRecords oversized(ZoneSettings.Builder settings) {
            return new OversizedRecords(new RecordRules(settings.build()));
        }

        @Test
        void isReportedWithObjectAndZone() {
            OversizedRecords oversized =
                    oversized(ZoneSettings.builder().zones(List.of(DnsLabels.parse("k8s"), DnsLabels.parse(ZONE))));
            EndpointSlice slice = slice(
                    "net", List.of(LISTENS), named("h".repeat(63), "10.0.0.1"), named("i".repeat(63), "10.0.0.2"));
            assertThat(oversized.check(slice, headless("net")))
                    .extracting(Diagnostic::toString)
                    .containsExactly("EndpointSlice default/slice: no records in zone " + ZONE
                            + ": the name has more than 255 bytes there: " + "h".repeat(63)
                            + ".net.default.svc and 1 more");
            assertThat(oversized.check(clusterIp("s".repeat(63), List.of("10.3.0.1"), HTTPS)))
                    .extracting(Diagnostic::code)
                    .containsExactly("name-too-long");
            assertThat(OVERSIZED.check(slice, headless("net"))).isEmpty();
        }

        @Test
        void isFoundInAWholeCluster() {
            OversizedRecords oversized = oversized(ZoneSettings.builder().zone(ZONE));
            EndpointSlice slice = slice("net", List.of(LISTENS), named("h".repeat(63), "10.0.0.1"));
            EndpointSlice orphan = slice("gone", List.of(LISTENS), named("h".repeat(63), "10.0.0.2"));
            ClusterSnapshot cluster = ClusterSnapshot.of(List.of(slice, headless("net")));
            assertThat(oversized.check(cluster))
                    .isEqualTo(oversized.check(slice, headless("net")))
                    .hasSize(1);
            assertThat(oversized.check(ClusterSnapshot.of(List.of(orphan)))).isEmpty();
            assertThat(OVERSIZED.check(cluster)).isEmpty();
        }

        @Test
        void endsWhereTheLongestNameOfTheSchemaFits() {
            String label = "n".repeat(63);
            Service service = HeadlessService.of(label, label);
            EndpointSlice slice = EndpointSlice.builder(label, "slice")
                    .service(label)
                    .endpoints(endpoint("10.0.0.1"))
                    .ports(EndpointPort.of("p".repeat(62), Protocol.SCTP, 80))
                    .build();
            ClusterSnapshot cluster = ClusterSnapshot.of(List.of(service, slice));
            String roomy = "z".repeat(51);
            assertThat(oversized(ZoneSettings.builder().zone(roomy)).check(cluster))
                    .isEmpty();
            assertThat(oversized(ZoneSettings.builder().zone(roomy + "z")).check(cluster))
                    .extracting(Diagnostic::code)
                    .containsExactly("name-too-long");
        }

        @Test
        void includesLabelsThatAreTooLong() {
            ServicePort port = ServicePort.of("p".repeat(63), Protocol.TCP, 80);
            EndpointPort listening = EndpointPort.of("p".repeat(63), Protocol.TCP, 80);
            assertThat(OVERSIZED.check(clusterIp("web", List.of("10.3.0.1"), port)))
                    .extracting(Diagnostic::code)
                    .containsExactly("port-name-too-long");
            assertThat(OVERSIZED.check(slice("net", List.of(listening), endpoint("10.0.0.1")), headless("net")))
                    .extracting(Diagnostic::code)
                    .containsExactly("port-name-too-long");
            assertThat(OVERSIZED.check(external("foo", "x".repeat(64) + ".example.com")))
                    .extracting(Diagnostic::code)
                    .containsExactly("external-name-too-long");
            assertThat(OVERSIZED.check(external("foo", "192.0.2.1"))).isEmpty();
            assertThat(OVERSIZED.check(ClusterSnapshot.of(List.of(
                            clusterIp("web", List.of("10.3.0.1"), port),
                            headless("net"),
                            slice("net", List.of(listening), endpoint("10.0.0.1")),
                            external("foo", "x".repeat(64) + ".example.com"),
                            clusterIp("fine", List.of("10.3.0.2"), HTTPS)))))
                    .extracting(warning -> warning.code() + " "
                            + warning.object().map(ObjectRef::name).orElseThrow())
                    .containsExactly(
                            "port-name-too-long web", "external-name-too-long foo", "port-name-too-long slice");
            assertThat(OVERSIZED.check(clusterIp("web", List.of("10.3.0.1"), HTTPS, port)))
                    .extracting(Diagnostic::field)
                    .containsExactly(Optional.of("spec.ports[1].name"));
        }

        @Test
        void omitsPortsWithoutSrvRecords() {
            String tooLong = "p".repeat(63);
            EndpointPort listening = EndpointPort.of(tooLong, Protocol.TCP, 80);
            EndpointPort anyNumber = new EndpointPort(Optional.of(tooLong), Protocol.TCP, OptionalInt.empty());
            OversizedRecords byService = oversized(ZoneSettings.builder().srvPort(SrvPort.SERVICE));

            assertThat(OVERSIZED.check(slice("net", List.of(anyNumber), endpoint("10.0.0.1")), headless("net")))
                    .isEmpty();
            assertThat(OVERSIZED.check(
                            slice("web", List.of(listening), endpoint("10.0.0.1")),
                            clusterIp("web", List.of("10.3.0.1"))))
                    .isEmpty();
            assertThat(byService.check(slice("net", List.of(listening), endpoint("10.0.0.1")), headless("net")))
                    .isEmpty();
            assertThat(byService.check(
                            slice("net", List.of(anyNumber), endpoint("10.0.0.1")),
                            headless("net", ServicePort.of(tooLong, Protocol.TCP, 80))))
                    .as("has a record with the number of the Service")
                    .extracting(Diagnostic::code)
                    .containsExactly("port-name-too-long");
        }
    }

    @Nested
    class Assembling {
        /** dnsjava reads a backslash as the beginning of an escape. */
        @Test
        void aRecordHasEveryByteOfItsText() {
            OwnerName.Forward owner = new OwnerName.Forward(DnsLabels.of("web"));
            StringBuilder all = new StringBuilder("\\999");
            for (char one = 1; one < 252; one++) {
                all.append(one);
            }
            TXTRecord record = (TXTRecord) RULES.assemble(owner, List.of(new Fact.Text(owner, all.toString(), 5)))
                    .in(DnsLabels.of("example"))
                    .recordSet(Type.TXT, Name.fromConstantString("web.example."), 5)
                    .orElseThrow()
                    .records()
                    .get(0);
            assertThat(record.getStringsAsByteArrays())
                    .containsExactly(all.toString().getBytes(StandardCharsets.ISO_8859_1));
        }

        @Test
        void rejectsTextsThatATxtRecordCannotHold() {
            OwnerName owner = new OwnerName.Forward(DnsLabels.parse("x"));
            assertThat(new Fact.Text(owner, "\u00e9".repeat(255), 5).text()).hasSize(255);
            assertThatIllegalArgumentException().isThrownBy(() -> new Fact.Text(owner, "x".repeat(256), 5));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new Fact.Text(owner, "\u20ac", 5))
                    .withMessageContaining("\u20ac");
        }

        @Test
        void editsNoNameWithOtherDataThanAddressesAndSrvRecords() {
            OwnerName.Forward owner = new OwnerName.Forward(DnsLabels.parse("x"));
            NameData data = RULES.assemble(owner, List.of(new Fact.Text(owner, "1.1.0", 5)));
            assertThatIllegalStateException()
                    .isThrownBy(() -> new NameDataEditor(data))
                    .withMessageContaining("x");
        }

        @Test
        void containsEveryKindOfFact() {
            OwnerName forward = new OwnerName.Forward(DnsLabels.parse("x"));
            IpAddress address = IpAddress.parse("192.0.2.1");
            OwnerName.Reverse reverse = new OwnerName.Reverse(address);
            DnsLabels target = DnsLabels.parse("web.default.svc");
            List<Fact> one = List.of(
                    new Fact.Exists(forward),
                    new Fact.Address(forward, address),
                    new Fact.Srv(forward, LISTENS, target, address),
                    new Fact.Alias(forward, target),
                    new Fact.Text(forward, "1.1.0", 28800),
                    new Fact.PtrCandidate(reverse, PtrRank.ENDPOINT, target),
                    new Fact.EndpointAddress(reverse, target),
                    new Fact.PodAddress(reverse, "default"));
            assertThat(one.stream().map(Object::getClass))
                    .containsExactlyInAnyOrder(Fact.class.getPermittedSubclasses());
            NameData data = RULES.assemble(forward, one);
            assertThat(data.addresses()).containsExactly(address);
            assertThat(data.srvs()).containsExactly(new NameData.Srv(8443, target));
            assertThat(data.alias()).contains(target);
            assertThat(data.text()).contains(new NameData.Text("1.1.0", 28800));
            assertThat(data.ptrTargets()).containsExactly(target);
            assertThat(data.publishedBy()).containsExactly(target);
            assertThat(data.podNamespaces()).containsExactly("default");
        }

        @Test
        void choosesTheFirstAliasAndTheFirstTextInAnyOrderOfFacts() {
            OwnerName owner = new OwnerName.Forward(DnsLabels.parse("x"));
            List<Fact> facts = new ArrayList<>(List.of(
                    new Fact.Alias(owner, DnsLabels.parse("b.example")),
                    new Fact.Text(owner, "b", 1),
                    new Fact.Alias(owner, DnsLabels.parse("a.example")),
                    new Fact.Text(owner, "a", 30),
                    new Fact.Alias(owner, DnsLabels.parse("a.b.example")),
                    new Fact.Text(owner, "a", 5)));
            for (int i = 0; i < facts.size(); i++) {
                Collections.rotate(facts, 1);
                NameData data = RULES.assemble(owner, facts);
                assertThat(data.alias()).contains(DnsLabels.parse("a.example"));
                assertThat(data.text()).contains(new NameData.Text("a", 5));
            }
        }

        @Test
        void aNameThatOnlyExistsHasNoData() {
            OwnerName name = new OwnerName.Forward(DnsLabels.parse("svc"));
            assertThat(RULES.assemble(name, List.of(new Fact.Exists(name))))
                    .isEqualTo(RULES.assemble(name, List.of()))
                    .satisfies(data -> assertThat(data.addresses()).isEmpty());
        }
    }

    @Nested
    class Pods {
        private static final Pod POD = Pod.running("default", "a", "172.17.0.3", "fd00::1");

        private static Published pods(PodsMode mode, ClusterObject... objects) {
            return Published.with(ZoneSettings.builder().pods(mode), objects);
        }

        @ParameterizedTest
        @ValueSource(strings = {"fd00--1", "fd00-0-0-0-0-0-0-1", "FD00--1", "fd00-0--1"})
        void verifiedPodNamesAreAnsweredInEverySpelling(String label) {
            assertThat(pods(PodsMode.VERIFIED, POD).lines(label + ".default.pod"))
                    .containsExactly(label + ".default.pod.cluster.local. 5 IN AAAA fd00::1");
        }

        @Test
        void verifiedPodNamesNeedAPodOfThatAddressAndNamespace() {
            Published published = pods(PodsMode.VERIFIED, POD);
            assertThat(published.lines("172-17-0-3.default.pod"))
                    .containsExactly("172-17-0-3.default.pod.cluster.local. 5 IN A 172.17.0.3");
            assertThat(published.exists("172-17-0-3.prod.pod")).isFalse();
            assertThat(published.exists("172-17-0-4.default.pod")).isFalse();
            assertThat(published.exists("a.default.pod")).isFalse();
        }

        @Test
        void insecurePodNamesAreAnsweredForEveryAddress() {
            Published published = pods(PodsMode.INSECURE, POD);
            assertThat(published.facts()).isEmpty();
            assertThat(published.lines("192-0-2-1.prod.pod"))
                    .containsExactly("192-0-2-1.prod.pod.cluster.local. 5 IN A 192.0.2.1");
            assertThat(published.exists("1-2-3-400.prod.pod")).isFalse();
            assertThat(published.exists("x.192-0-2-1.prod.pod")).isFalse();
        }

        @Test
        void disabledPodNamesDoNotExist() {
            assertThat(pods(PodsMode.DISABLED, POD).facts()).isEmpty();
            assertThat(pods(PodsMode.DISABLED, POD).exists("172-17-0-3.default.pod"))
                    .isFalse();
        }

        @ParameterizedTest
        @EnumSource
        void podsThatEndedOrAreUnknownHaveNoName(PodPhase phase) {
            boolean counts = phase == PodPhase.PENDING || phase == PodPhase.RUNNING;
            assertThat(pods(PodsMode.VERIFIED, with(Optional.of(phase), false)).exists("172-17-0-3.default.pod"))
                    .isEqualTo(counts);
        }

        @Test
        void podsThatAreBeingDeletedOrHaveNoPhaseAreAnswered() {
            assertThat(pods(PodsMode.VERIFIED, with(Optional.of(PodPhase.RUNNING), true))
                            .exists("172-17-0-3.default.pod"))
                    .isTrue();
            assertThat(pods(PodsMode.VERIFIED, with(Optional.empty(), false)).exists("172-17-0-3.default.pod"))
                    .isTrue();
        }

        private static Pod with(Optional<PodPhase> phase, boolean terminating) {
            Pod.Builder pod = Pod.builder(POD.metadata())
                    .terminating(terminating)
                    .ips(POD.ips())
                    .hostNetwork(true);
            phase.ifPresent(pod::phase);
            return pod.build();
        }

        @Test
        void podsThatShareAnAddressGiveOneRecordAndNoPtr() {
            Published published = pods(
                    PodsMode.VERIFIED,
                    POD,
                    Pod.running("default", "b", POD.ips()),
                    Pod.running("prod", "c", POD.ips()));
            assertThat(published.lines("172-17-0-3.default.pod")).hasSize(1);
            assertThat(published.lines("172-17-0-3.prod.pod")).hasSize(1);
            assertThat(published.ptrRecords("172.17.0.3")).isEmpty();
        }

        @Test
        void theNamesOfAnAddressAreThoseThatAreAnswered() {
            IpAddress address = IpAddress.parse("10.0.0.1");
            Published published = Published.of(
                    headless("net"),
                    slice("net", List.of(), named("a", "10.0.0.1")),
                    Pod.running("default", "a", List.of(address)));
            NameData data = published.at(new OwnerName.Reverse(address)).orElseThrow();
            assertThat(RULES.synthesizedNames(address, data).stream().map(DnsLabels::toString))
                    .containsExactly("10-0-0-1.net.default.svc", "10-0-0-1.default.pod")
                    .allMatch(published::exists);
            assertThat(RULES.synthesized(DnsLabels.parse("default.svc"), any -> Optional.of(data)))
                    .isEmpty();
        }
    }

    /** Which changes of a name that endpoints share may be edits. */
    @Nested
    class Edits {
        private static final String SERVICE = "web.shop.svc";

        private static OwnerName name(String labels) {
            return new OwnerName.Forward(DnsLabels.parse(labels));
        }

        private static OwnerName reverse(String address) {
            return new OwnerName.Reverse(IpAddress.parse(address));
        }

        private static Fact srv(String address) {
            return srv("web-0", address);
        }

        private static Fact srv(String label, String address) {
            return new Fact.Srv(
                    name(SERVICE),
                    new EndpointPort(Optional.empty(), Protocol.TCP, OptionalInt.of(80)),
                    DnsLabels.parse(label + "." + SERVICE),
                    IpAddress.parse(address));
        }

        private static boolean canEdit(
                List<Fact> added, List<Fact> removed, List<OwnerName> namesBefore, List<OwnerName> namesAfter) {
            return RecordRules.canEdit(name(SERVICE), added, removed, namesBefore::contains, namesAfter::contains);
        }

        @Test
        void endpointsOfTheChangeAlone() {
            OwnerName target = name("web-0." + SERVICE);
            assertThat(canEdit(List.of(srv("192.0.2.1")), List.of(), List.of(), List.of(target, reverse("192.0.2.1"))))
                    .isTrue();
            assertThat(canEdit(List.of(), List.of(srv("192.0.2.1")), List.of(target, reverse("192.0.2.1")), List.of()))
                    .isTrue();
        }

        @Test
        void addedAddressThatTheNameHadBefore() {
            assertThat(canEdit(List.of(srv("192.0.2.1")), List.of(), List.of(reverse("192.0.2.1")), List.of()))
                    .isFalse();
        }

        @Test
        void removedAddressThatTheNameStillHas() {
            assertThat(canEdit(List.of(), List.of(srv("192.0.2.1")), List.of(), List.of(reverse("192.0.2.1"))))
                    .isFalse();
        }

        @Test
        void removedTargetThatTheNameStillHas() {
            List<OwnerName> target = List.of(name("web-0." + SERVICE));
            assertThat(canEdit(List.of(), List.of(srv("192.0.2.1")), target, target))
                    .isFalse();
            assertThat(canEdit(List.of(srv("192.0.2.2")), List.of(srv("192.0.2.1")), target, target))
                    .isTrue();
        }

        @Test
        void removedTargetThatIsTheNameOfAnotherAddress() {
            assertThat(canEdit(
                            List.of(),
                            List.of(srv("192-0-2-9", "192.0.2.1")),
                            List.of(),
                            List.of(reverse("192.0.2.9"))))
                    .isFalse();
        }

        @Test
        void nameOfOneEndpoint() {
            assertThat(RecordRules.canEdit(
                            name("web-0." + SERVICE), List.of(), List.of(), name -> false, name -> false))
                    .isFalse();
        }
    }
}
