package io.k8sdns.resolver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneFeed;
import java.net.InetAddress;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.DNAMERecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.SRVRecord;
import org.xbill.DNS.Type;

/** Answers to questions about a small cluster, as lines of a zone file. */
class ResolverChainTest {
    private static final String SOA =
            "authority: cluster.local. 5 IN SOA ns.dns.cluster.local. hostmaster.cluster.local. 1 7200 1800 86400 5";

    private final DnsResolver chain = ResolverChain.of(Shop.zone(ZoneSettings.DEFAULTS));

    // ---- records (specification 2.3 to 2.5)

    @Test
    void addressesOfAServiceHaveTheSpellingOfTheQuestion() {
        assertThat(ask("CART.Shop.svc.cluster.LOCAL. A"))
                .containsExactly("NOERROR aa", "CART.Shop.svc.cluster.LOCAL. 5 IN A 10.96.0.10");
        assertThat(ask("cart.shop.svc.cluster.local. AAAA"))
                .containsExactly("NOERROR aa", "cart.shop.svc.cluster.local. 5 IN AAAA fd00:10:96::10");
    }

    @Test
    void servicePortsWithTheAddressesOfTheirTarget() {
        assertThat(ask("_http._tcp.cart.shop.svc.cluster.local. SRV"))
                .containsExactly(
                        "NOERROR aa",
                        "_http._tcp.cart.shop.svc.cluster.local. 5 IN SRV 0 50 80 cart.shop.svc.cluster.local.",
                        "additional: cart.shop.svc.cluster.local. 5 IN A 10.96.0.10",
                        "additional: cart.shop.svc.cluster.local. 5 IN AAAA fd00:10:96::10");
    }

    @Test
    void everyTargetIsInTheAdditionalSectionOnce() {
        assertThat(ask("cart.shop.svc.cluster.local. SRV"))
                .containsExactly(
                        "NOERROR aa",
                        "cart.shop.svc.cluster.local. 5 IN SRV 0 25 53 cart.shop.svc.cluster.local.",
                        "cart.shop.svc.cluster.local. 5 IN SRV 0 25 80 cart.shop.svc.cluster.local.",
                        "additional: cart.shop.svc.cluster.local. 5 IN A 10.96.0.10",
                        "additional: cart.shop.svc.cluster.local. 5 IN AAAA fd00:10:96::10");
        assertThat(ask("_sql._tcp.db.shop.svc.cluster.local. SRV"))
                .containsExactly(
                        "NOERROR aa",
                        "_sql._tcp.db.shop.svc.cluster.local. 5 IN SRV 0 33 5432 db-0.db.shop.svc.cluster.local.",
                        "_sql._tcp.db.shop.svc.cluster.local. 5 IN SRV 0 33 5432 db-1.db.shop.svc.cluster.local.",
                        "additional: db-0.db.shop.svc.cluster.local. 5 IN A 10.244.1.5",
                        "additional: db-0.db.shop.svc.cluster.local. 5 IN AAAA fd00:10:244::5",
                        "additional: db-1.db.shop.svc.cluster.local. 5 IN A 10.244.1.6");
    }

    @Test
    void schemaVersionHasItsOwnTtl() {
        assertThat(ask("dns-version.cluster.local. TXT"))
                .hasSize(2)
                .startsWith("NOERROR aa")
                .last()
                .asString()
                .startsWith("dns-version.cluster.local. 28800 IN TXT ")
                .contains("1.1.0");
    }

    @Test
    void pointersOfServicesAndEndpoints() {
        assertThat(ask("10.0.96.10.in-addr.arpa. PTR"))
                .containsExactly("NOERROR aa", "10.0.96.10.in-addr.arpa. 5 IN PTR cart.shop.svc.cluster.local.");
        assertThat(ask("5.1.244.10.in-addr.arpa. PTR"))
                .containsExactly("NOERROR aa", "5.1.244.10.in-addr.arpa. 5 IN PTR db-0.db.shop.svc.cluster.local.");
        String ipv6 = "0.1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.6.9.0.0.0.1.0.0.0.0.D.f.ip6.arpa.";
        assertThat(ask(ipv6 + " PTR")).containsExactly("NOERROR aa", ipv6 + " 5 IN PTR cart.shop.svc.cluster.local.");
    }

    @Test
    void dashedEndpointNamesAndPodNames() {
        assertThat(ask("10-244-1-5.db.shop.svc.cluster.local. A"))
                .containsExactly("NOERROR aa", "10-244-1-5.db.shop.svc.cluster.local. 5 IN A 10.244.1.5");
        assertThat(ask("10-244-1-9.shop.pod.cluster.local. A"))
                .containsExactly("NOERROR aa", "10-244-1-9.shop.pod.cluster.local. 5 IN A 10.244.1.9");
    }

    // ---- existence of names

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cluster.local. A",
                "cluster.local. SRV",
                "svc.cluster.local. A",
                "pod.cluster.local. TXT",
                "shop.svc.cluster.local. A",
                "bare.svc.cluster.local. A",
                "bare.pod.cluster.local. A",
                "dns.cluster.local. A",
                "ns.dns.cluster.local. AAAA",
                "dns-version.cluster.local. A",
                "_tcp.cart.shop.svc.cluster.local. SRV",
                "_http._tcp.cart.shop.svc.cluster.local. A",
                "ads.shop.svc.cluster.local. AAAA",
                "ads.shop.svc.cluster.local. MX",
                "ads.shop.svc.cluster.local. CNAME",
                "ads.shop.svc.cluster.local. SOA",
                "ads.shop.svc.cluster.local. NS",
                "ads.shop.svc.cluster.local. DS",
                "ads.shop.svc.cluster.local. HTTPS",
                "ads.shop.svc.cluster.local. HINFO",
                "ads.shop.svc.cluster.local. TYPE65280",
                "10-244-1-9.shop.pod.cluster.local. AAAA",
            })
    void noDataWithSoa(String question) {
        assertThat(ask(question)).containsExactly("NOERROR aa", SOA);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nobody.cluster.local. A",
                "nobody.shop.svc.cluster.local. A",
                "nobody.shop.svc.cluster.local. SOA",
                "nobody.shop.svc.cluster.local. ANY",
                "cart.nobody.svc.cluster.local. A",
                "nobody.svc.cluster.local. A",
                "idle.shop.svc.cluster.local. A",
                "idle.shop.svc.cluster.local. AAAA",
                "_sql._tcp.idle.shop.svc.cluster.local. SRV",
                "_._tcp.cart.shop.svc.cluster.local. SRV",
                "http.tcp.cart.shop.svc.cluster.local. SRV",
                "x.outside.shop.svc.cluster.local. A",
                "*.shop.svc.cluster.local. A",
                "cart\\.shop.svc.cluster.local. A",
                "10-244-1-7.shop.pod.cluster.local. A",
                "cart.shop.svc.shop.svc.cluster.local. A",
            })
    void nxdomainWithSoa(String question) {
        assertThat(ask(question)).containsExactly("NXDOMAIN aa", SOA);
    }

    @Test
    void reverseNamesExistAboveAnAddress() {
        String soa =
                "authority: in-addr.arpa. 5 IN SOA ns.dns.cluster.local. hostmaster.cluster.local. 1 7200 1800 86400 5";
        assertThat(ask("96.10.in-addr.arpa. PTR")).containsExactly("NOERROR aa", soa);
        assertThat(ask("in-addr.arpa. A")).containsExactly("NOERROR aa", soa);
        assertThat(ask("10.0.96.10.in-addr.arpa. A")).containsExactly("NOERROR aa", soa);
        assertThat(ask("97.10.in-addr.arpa. PTR")).containsExactly("NXDOMAIN aa", soa);
        assertThat(ask("12.0.96.10.in-addr.arpa. PTR")).containsExactly("NXDOMAIN aa", soa);
        assertThat(ask("x.10.0.96.10.in-addr.arpa. PTR")).containsExactly("NXDOMAIN aa", soa);
        assertThat(ask("010.0.96.10.in-addr.arpa. PTR")).containsExactly("NXDOMAIN aa", soa);
        // A Pod without a Service has no PTR.
        assertThat(ask("9.1.244.10.in-addr.arpa. PTR")).containsExactly("NXDOMAIN aa", soa);
    }

    @Test
    void negativeAnswersHaveTheNegativeTtlInTheirSoa() {
        DnsResolver other = ResolverChain.of(Shop.zone(
                ZoneSettings.builder().ttlSeconds(1000).negativeTtlSeconds(7).build()));

        assertThat(ask(other, "nobody.cluster.local. A").get(1))
                .startsWith("authority: cluster.local. 7 IN SOA")
                .endsWith(" 7");
        assertThat(ask(other, "cluster.local. SOA").get(1))
                .startsWith("cluster.local. 300 IN SOA")
                .endsWith(" 7");
    }

    // ---- the apex

    @Test
    void startOfAuthorityAndNameServersWithGlue() {
        assertThat(ask("cluster.local. SOA")).containsExactly("NOERROR aa", SOA.substring("authority: ".length()));
        assertThat(ask("Cluster.Local. NS"))
                .containsExactly(
                        "NOERROR aa",
                        "cluster.local. 5 IN NS ns.dns.cluster.local.",
                        "additional: ns.dns.cluster.local. 5 IN A 127.0.0.1");
        assertThat(ask("ip6.arpa. NS"))
                .containsExactly(
                        "NOERROR aa",
                        "ip6.arpa. 5 IN NS ns.dns.cluster.local.",
                        "additional: ns.dns.cluster.local. 5 IN A 127.0.0.1");
        assertThat(ask("ns.dns.cluster.local. A"))
                .containsExactly("NOERROR aa", "ns.dns.cluster.local. 5 IN A 127.0.0.1");
    }

    // ---- ANY (RFC 8482)

    @Test
    void anyReturnsTheAliasOrHinfo() {
        for (String name : List.of("cluster.local.", "svc.cluster.local.", "Cart.shop.svc.cluster.local.")) {
            assertThat(ask(name + " ANY")).containsExactly("NOERROR aa", name + " 5 IN HINFO \"RFC8482\" \"\"");
        }
        assertThat(ask("inside.shop.svc.cluster.local. ANY"))
                .containsExactly(
                        "NOERROR aa", "inside.shop.svc.cluster.local. 5 IN CNAME cart.shop.svc.cluster.local.");
    }

    // ---- aliases

    @Test
    void anAliasWithinTheClusterIsFollowedForTheRequestedType() {
        assertThat(ask("Twice.shop.svc.cluster.local. A"))
                .containsExactly(
                        "NOERROR aa",
                        "Twice.shop.svc.cluster.local. 5 IN CNAME inside.shop.svc.cluster.local.",
                        "inside.shop.svc.cluster.local. 5 IN CNAME cart.shop.svc.cluster.local.",
                        "cart.shop.svc.cluster.local. 5 IN A 10.96.0.10");
        assertThat(ask("inside.shop.svc.cluster.local. SRV"))
                .hasSize(6)
                .contains("additional: cart.shop.svc.cluster.local. 5 IN A 10.96.0.10");
    }

    @Test
    void theLastNameOfTheChainDecidesRcodeAndSoa() {
        assertThat(ask("dead.shop.svc.cluster.local. A"))
                .containsExactly(
                        "NXDOMAIN aa", "dead.shop.svc.cluster.local. 5 IN CNAME nobody.shop.svc.cluster.local.", SOA);
        assertThat(ask("inside.shop.svc.cluster.local. MX"))
                .containsExactly(
                        "NOERROR aa", "inside.shop.svc.cluster.local. 5 IN CNAME cart.shop.svc.cluster.local.", SOA);
    }

    @ParameterizedTest
    @ValueSource(strings = {"A", "AAAA", "SRV", "MX", "TXT", "TYPE65280", "CNAME", "ANY", "DS", "SOA", "NS"})
    void anAliasToAnotherDomainIsItsCnameForEveryType(String type) {
        assertThat(ask("outside.shop.svc.cluster.local. " + type))
                .containsExactly("NOERROR aa", "outside.shop.svc.cluster.local. 5 IN CNAME db.example.com.");
    }

    @Test
    void anAliasIsNotFollowedForTypeCname() {
        assertThat(ask("twice.shop.svc.cluster.local. CNAME"))
                .containsExactly(
                        "NOERROR aa", "twice.shop.svc.cluster.local. 5 IN CNAME inside.shop.svc.cluster.local.");
    }

    @Test
    void aLoopIsReturnedOnceWithNoerror() {
        assertThat(ask("Self.shop.svc.cluster.local. A"))
                .containsExactly("NOERROR aa", "Self.shop.svc.cluster.local. 5 IN CNAME self.shop.svc.cluster.local.");
        assertThat(ask("ring-2.shop.svc.cluster.local. A"))
                .containsExactly(
                        "NOERROR aa",
                        "ring-2.shop.svc.cluster.local. 5 IN CNAME ring-3.shop.svc.cluster.local.",
                        "ring-3.shop.svc.cluster.local. 5 IN CNAME ring-1.shop.svc.cluster.local.",
                        "ring-1.shop.svc.cluster.local. 5 IN CNAME ring-2.shop.svc.cluster.local.");
    }

    @Test
    void atMostTenAliasesAreFollowed() {
        assertThat(ask("step-2.shop.svc.cluster.local. A"))
                .hasSize(1 + 10 + 1)
                .last()
                .isEqualTo("cart.shop.svc.cluster.local. 5 IN A 10.96.0.10");
        assertThat(ask("step-1.shop.svc.cluster.local. A"))
                .hasSize(1 + 10)
                .startsWith("NOERROR aa")
                .last()
                .isEqualTo("step-10.shop.svc.cluster.local. 5 IN CNAME step-11.shop.svc.cluster.local.");
    }

    // ---- several zones

    @Test
    void everyForwardZoneHasTheWholeSchemaAndPointersUseTheFirst() {
        DnsResolver two = ResolverChain.of(Shop.zone(twoZones()));

        assertThat(ask(two, "cart.shop.svc.corp.test. A"))
                .containsExactly("NOERROR aa", "cart.shop.svc.corp.test. 5 IN A 10.96.0.10");
        assertThat(ask(two, "_http._tcp.cart.shop.svc.corp.test. SRV"))
                .contains("_http._tcp.cart.shop.svc.corp.test. 5 IN SRV 0 50 80 cart.shop.svc.corp.test.")
                .contains("additional: cart.shop.svc.corp.test. 5 IN A 10.96.0.10");
        assertThat(ask(two, "corp.test. NS"))
                .containsExactly(
                        "NOERROR aa",
                        "corp.test. 5 IN NS ns.dns.corp.test.",
                        "additional: ns.dns.corp.test. 5 IN A 127.0.0.1");
        assertThat(ask(two, "nobody.corp.test. A").get(1))
                .startsWith("authority: corp.test. 5 IN SOA ns.dns.corp.test.");
        assertThat(ask(two, "10.0.96.10.in-addr.arpa. PTR").get(1)).endsWith("PTR cart.shop.svc.cluster.local.");
    }

    @Test
    void anAliasBetweenServedZonesIsFollowed() {
        assertThat(ask(ResolverChain.of(Shop.zone(twoZones())), "corp.shop.svc.cluster.local. A"))
                .containsExactly(
                        "NOERROR aa",
                        "corp.shop.svc.cluster.local. 5 IN CNAME cart.shop.svc.corp.test.",
                        "cart.shop.svc.corp.test. 5 IN A 10.96.0.10");
        assertThat(ask("corp.shop.svc.cluster.local. A"))
                .containsExactly("NOERROR aa", "corp.shop.svc.cluster.local. 5 IN CNAME cart.shop.svc.corp.test.");
    }

    private static ZoneSettings twoZones() {
        return ZoneSettings.builder()
                .zones(List.of(DnsLabels.parse("cluster.local"), DnsLabels.parse("corp.test")))
                .build();
    }

    @Test
    void theLongestZoneAnswers() {
        DnsResolver nested = ResolverChain.of(Shop.zone(ZoneSettings.builder()
                .zones(List.of(DnsLabels.parse("test"), DnsLabels.parse("a.b.test")))
                .build()));

        assertThat(ask(nested, "nobody.a.b.test. A").get(1)).startsWith("authority: a.b.test.");
        assertThat(ask(nested, "nobody.b.test. A")).first().isEqualTo("NXDOMAIN aa");
        assertThat(ask(nested, "nobody.b.test. A").get(1)).startsWith("authority: test.");
        // b.test exists, because a zone is below it.
        assertThat(ask(nested, "b.test. A")).first().isEqualTo("NOERROR aa");
    }

    @Test
    void reverseZonesOfANetworkHaveOnlyItsAddresses() {
        DnsResolver some = reverse("10.96.0.0/12");

        assertThat(ask(some, "10.0.96.10.in-addr.arpa. PTR"))
                .containsExactly("NOERROR aa", "10.0.96.10.in-addr.arpa. 5 IN PTR cart.shop.svc.cluster.local.");
        assertThat(ask(some, "100.10.in-addr.arpa. SOA"))
                .containsExactly(
                        "NOERROR aa",
                        "100.10.in-addr.arpa. 5 IN SOA ns.dns.cluster.local. hostmaster.cluster.local. 1 7200 1800 86400 5");
        assertThat(ask(some, "1.1.100.10.in-addr.arpa. PTR")).first().isEqualTo("NXDOMAIN aa");
        for (String outside : List.of(
                "10.in-addr.arpa.", "in-addr.arpa.", "112.10.in-addr.arpa.", "5.1.244.10.in-addr.arpa.", "ip6.arpa.")) {
            assertThat(ask(some, outside + " PTR")).containsExactly("REFUSED ede 20");
        }
    }

    @Test
    void aNetworkWithinTheLastLabelIsOneZoneInWhichOtherAddressesAreRefused() {
        DnsResolver some = reverse("10.96.0.8/30");

        assertThat(ask(some, "0.96.10.in-addr.arpa. NS")).first().isEqualTo("NOERROR aa");
        assertThat(ask(some, "0.96.10.in-addr.arpa. PTR")).hasSize(2).first().isEqualTo("NOERROR aa");
        assertThat(ask(some, "10.0.96.10.in-addr.arpa. PTR"))
                .containsExactly("NOERROR aa", "10.0.96.10.in-addr.arpa. 5 IN PTR cart.shop.svc.cluster.local.");
        assertThat(ask(some, "9.0.96.10.in-addr.arpa. PTR")).hasSize(2).first().isEqualTo("NXDOMAIN aa");
        assertThat(ask(some, "x.9.0.96.10.in-addr.arpa. PTR")).first().isEqualTo("NXDOMAIN aa");
        assertThat(ask(some, "12.0.96.10.in-addr.arpa. PTR")).containsExactly("REFUSED ede 20");
        assertThat(ask(some, "x.0.96.10.in-addr.arpa. PTR")).containsExactly("REFUSED ede 20");
        assertThat(ask(some, "96.10.in-addr.arpa. PTR")).containsExactly("REFUSED ede 20");
    }

    @Test
    void aNibbleOfIpv6CanBeANetworkToo() {
        DnsResolver some = reverse("fd00:10:96::10/126");
        String zone = "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.6.9.0.0.0.1.0.0.0.0.d.f.ip6.arpa.";

        assertThat(ask(some, "0." + zone + " PTR").get(1)).endsWith("PTR cart.shop.svc.cluster.local.");
        assertThat(ask(some, zone + " SOA")).first().isEqualTo("NOERROR aa");
        assertThat(ask(some, "3." + zone + " PTR")).first().isEqualTo("NXDOMAIN aa");
        assertThat(ask(some, "4." + zone + " PTR")).containsExactly("REFUSED ede 20");
    }

    private static DnsResolver reverse(String network) {
        return ResolverChain.of(Shop.zone(
                ZoneSettings.builder().reverseZones(ReverseZone.parse(network)).build()));
    }

    // ---- refused questions

    @Test
    void namesThatAreNotServedAreRefused() {
        for (String name : List.of("example.com.", ".", "local.", "xcluster.local.", "arpa.")) {
            assertThat(ask(name + " A")).containsExactly("REFUSED ede 20");
        }
    }

    @Test
    void otherClassesAndTransfersAreRefused() {
        Name name = Name.fromConstantString("cluster.local.");
        for (int dnsClass : new int[] {DClass.CHAOS, DClass.HESIOD, DClass.ANY, DClass.NONE, 0, 65535}) {
            assertThat(lines(chain, new Question(DnsNames.labels(name), RecordType.SOA, dnsClass)))
                    .containsExactly("REFUSED ede 21");
        }
        assertThat(ask("cluster.local. AXFR")).containsExactly("REFUSED ede 21");
        assertThat(ask("cluster.local. IXFR")).containsExactly("REFUSED ede 21");
    }

    @Test
    void everyServedNameIsServfailBeforeTheZoneIsSynced() {
        ClusterZone zone = Shop.zone(ZoneSettings.DEFAULTS);
        ZoneFeed feed = ZoneFeed.builder(zone, InstantSource.system()).build();
        DnsResolver unsure = ResolverChain.of(zone);

        for (String name : List.of("cart.shop.svc.cluster.local.", "nobody.cluster.local.", "10.in-addr.arpa.")) {
            assertThat(ask(unsure, name + " A")).containsExactly("SERVFAIL ede 14");
        }
        assertThat(ask(unsure, "cluster.local. SOA")).containsExactly("SERVFAIL ede 14");
        assertThat(ask(unsure, "example.com. A")).containsExactly("REFUSED ede 20");

        feed.stateChanged(SyncState.SYNCED);
        assertThat(ask(unsure, "cart.shop.svc.cluster.local. A")).first().isEqualTo("NOERROR aa");
        feed.stateChanged(SyncState.STALE);
        assertThat(ask(unsure, "cart.shop.svc.cluster.local. A")).first().isEqualTo("NOERROR aa");
    }

    @Test
    void theNextQuestionIsAnsweredFromTheChangedZone() {
        ClusterZone zone = Shop.zone(ZoneSettings.DEFAULTS);
        DnsResolver live = ResolverChain.of(zone);
        assertThat(ask(live, "new.shop.svc.cluster.local. A")).first().isEqualTo("NXDOMAIN aa");

        zone.apply(List.of(new ClusterChange.Put(
                ClusterIpService.of("shop", "new", List.of(IpAddress.parse("10.96.0.99")), List.of()))));

        assertThat(ask(live, "new.shop.svc.cluster.local. A"))
                .containsExactly("NOERROR aa", "new.shop.svc.cluster.local. 5 IN A 10.96.0.99");
        assertThat(ask(live, "cluster.local. SOA").get(1)).contains(" 2 7200 ");
    }

    // ---- fallthrough

    @Test
    void addressesOfTheClusterInAForwardedAnswerAreOmitted() throws Exception {
        Name owner = Name.fromConstantString("_sip._tcp.example.com.");
        Name inside = Name.fromConstantString("cart.shop.svc.cluster.local.");
        Name outside = Name.fromConstantString("sip.example.com.");
        InetAddress address = InetAddress.getByName("203.0.113.1");
        Answer forwarded = Answer.builder(Rcode.NOERROR)
                .answer(List.of(RecordSet.of(new SRVRecord(owner, DClass.IN, 60, 0, 1, 80, inside))))
                .additional(List.of(
                        RecordSet.of(new ARecord(inside, DClass.IN, 60, address)),
                        RecordSet.of(new ARecord(outside, DClass.IN, 60, address))))
                .build();
        ResolverChain through = ResolverChain.of(Shop.zone(ZoneSettings.DEFAULTS))
                .withUpstream((question, client) -> new Resolution.Ready(forwarded));

        Resolution.Ready resolution =
                (Resolution.Ready) through.resolve(Question.of(owner, RecordType.SRV), Client.IN_PROCESS);
        assertThat(resolution.answer().answer()).isEqualTo(forwarded.answer());
        assertThat(resolution.answer().additional())
                .containsExactly(forwarded.additional().get(1));
    }

    @Test
    void missingNamesOfSomeZonesAreResolvedUpstream() {
        List<String> forwarded = new ArrayList<>();
        ResolverChain through = fallthrough(forwarded, "cluster.local");

        assertThat(ask(through, "nobody.shop.svc.cluster.local. A")).containsExactly("REFUSED ra");
        assertThat(ask(through, "dead.shop.svc.cluster.local. A"))
                .as("an alias to a missing name")
                .containsExactly(
                        "REFUSED aa ra", "dead.shop.svc.cluster.local. 5 IN CNAME nobody.shop.svc.cluster.local.");
        assertThat(forwarded).containsExactly("nobody.shop.svc.cluster.local. A", "nobody.shop.svc.cluster.local. A");
        assertThat(ask(through, "99.2.0.192.in-addr.arpa. PTR").get(0)).isEqualTo("NXDOMAIN aa ra");
        assertThat(forwarded).hasSize(2);
        assertThat(ask(fallthrough(forwarded, "in-addr.arpa"), "99.2.0.192.in-addr.arpa. PTR"))
                .containsExactly("REFUSED ra");
        assertThat(forwarded).last().isEqualTo("99.2.0.192.in-addr.arpa. PTR");
    }

    @Test
    void missingNamesThatAreNotForwardedStayMissing() {
        List<String> forwarded = new ArrayList<>();
        ResolverChain through = fallthrough(forwarded)
                .withFallthrough(
                        Set.of(DnsLabels.parse("cluster.local")),
                        question -> question.labels().endsWith(DnsLabels.parse("corp.cluster.local")));

        assertThat(ask(through, "nobody.shop.svc.cluster.local. A"))
                .isEqualTo(ask("nobody.shop.svc.cluster.local. A").stream()
                        .map(line -> line.replace("NXDOMAIN aa", "NXDOMAIN aa ra"))
                        .toList())
                .anyMatch(line -> line.startsWith("authority: cluster.local. 5 IN SOA "));
        assertThat(forwarded).isEmpty();
        assertThat(ask(through, "www.corp.cluster.local. A")).containsExactly("REFUSED ra");
        assertThat(forwarded).containsExactly("www.corp.cluster.local. A");
    }

    @Test
    void upstreamAnswersRedirectNoOtherNamesOfTheCluster() {
        Name evil = Name.fromConstantString("evil.test.");
        RecordSet address = RecordSet.of(new ARecord(evil, DClass.IN, 60, new byte[] {6, 6, 6, 6}));
        RecordSet all = RecordSet.of(new DNAMERecord(Name.fromConstantString("cluster.local."), DClass.IN, 60, evil));
        ResolverChain through = ResolverChain.of(Shop.zone(ZoneSettings.DEFAULTS))
                .withFallthrough(Set.of(DnsLabels.parse("cluster.local")))
                .withUpstream((question, client) -> new Resolution.Ready(Answer.builder(Rcode.NOERROR)
                        .answer(
                                question.name().equals(evil)
                                        ? List.of(address)
                                        : List.of(
                                                all,
                                                RecordSet.of(new CNAMERecord(question.name(), DClass.IN, 60, evil)),
                                                address))
                        .build()));

        assertThat(ask(through, "old.shop.svc.cluster.local. A"))
                .containsExactly(
                        "NOERROR ra",
                        "old.shop.svc.cluster.local. 60 IN CNAME evil.test.",
                        "evil.test. 60 IN A 6.6.6.6");
    }

    @Test
    void upstreamAnswersReplaceNoRecordOfTheCluster() throws Exception {
        Name cart = Name.fromConstantString("cart.shop.svc.cluster.local.");
        InetAddress address = InetAddress.getByName("203.0.113.1");
        ResolverChain through = ResolverChain.of(Shop.zone(ZoneSettings.DEFAULTS))
                .withFallthrough(Set.of(DnsLabels.parse("cluster.local")))
                .withUpstream((question, client) -> new Resolution.Ready(Answer.builder(Rcode.NOERROR)
                        .answer(List.of(
                                RecordSet.of(new CNAMERecord(question.name(), DClass.IN, 60, cart)),
                                RecordSet.of(new ARecord(cart, DClass.IN, 60, address))))
                        .build()));

        assertThat(ask(through, "evil.shop.svc.cluster.local. A"))
                .containsExactly(
                        "NOERROR ra",
                        "evil.shop.svc.cluster.local. 60 IN CNAME cart.shop.svc.cluster.local.",
                        "cart.shop.svc.cluster.local. 5 IN A 10.96.0.10");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cart.shop.svc.cluster.local. TXT",
                "svc.cluster.local. A",
                "shop.svc.cluster.local. A",
                "_tcp.cart.shop.svc.cluster.local. A",
                "cluster.local. A",
                "96.10.in-addr.arpa. A"
            })
    void nodataNeverFallsThrough(String question) {
        List<String> forwarded = new ArrayList<>();

        assertThat(ask(fallthrough(forwarded, "cluster.local", "in-addr.arpa"), question)
                        .get(0))
                .isEqualTo("NOERROR aa ra");
        assertThat(forwarded).isEmpty();
    }

    @Test
    void zoneThatIsNotSyncedNeverFallsThrough() {
        List<String> forwarded = new ArrayList<>();
        ClusterZone zone = Shop.zone(ZoneSettings.DEFAULTS);
        ZoneFeed.builder(zone, InstantSource.system()).build();

        assertThat(ask(fallthrough(zone, forwarded, "cluster.local"), "nobody.cluster.local. A"))
                .containsExactly("SERVFAIL ra ede 14");
        assertThat(forwarded).isEmpty();
    }

    @Test
    void fallthroughNeedsAnUpstreamResolverAndAServedZone() {
        ResolverChain alone = ResolverChain.of(Shop.zone(ZoneSettings.DEFAULTS));

        assertThat(ask(alone.withFallthrough(Set.of(DnsLabels.parse("cluster.local"))), "no.cluster.local. A")
                        .get(0))
                .isEqualTo("NXDOMAIN aa");
        assertThatThrownBy(() -> alone.withFallthrough(Set.of(DnsLabels.parse("svc.cluster.local"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("fallthrough of zone svc.cluster.local, which is not served by this server");
    }

    @Test
    void namesOfADomainWithoutForwardingNeverReachTheUpstreamResolver() throws Exception {
        List<String> forwarded = new ArrayList<>();
        Name hidden = Name.fromConstantString("www.private.test.");
        InetAddress address = InetAddress.getByName("203.0.113.1");
        ResolverChain alone = ResolverChain.of(Shop.zone(ZoneSettings.DEFAULTS))
                .withoutForwarding(DnsLabels.parse("private.test"))
                .withoutForwarding(DnsLabels.parse("missing.shop.svc.cluster.local"))
                .withFallthrough(Set.of(DnsLabels.parse("cluster.local")));
        ResolverChain through = alone.withUpstream((question, client) -> {
            forwarded.add(question.name().toString());
            return new Resolution.Ready(Answer.builder(Rcode.NOERROR)
                    .answer(List.of(
                            RecordSet.of(new CNAMERecord(question.name(), DClass.IN, 60, hidden)),
                            RecordSet.of(new ARecord(hidden, DClass.IN, 60, address))))
                    .build());
        });

        assertThat(ask(alone, "www.private.test. A")).containsExactly("REFUSED ede 20");
        assertThat(ask(through, "www.private.test. A")).containsExactly("REFUSED ra ede 20");
        assertThat(ask(through, "a.missing.shop.svc.cluster.local. A").get(0)).isEqualTo("NXDOMAIN aa ra");
        assertThat(forwarded).isEmpty();
        assertThat(ask(through, "www.example.com. A"))
                .containsExactly("NOERROR ra", "www.example.com. 60 IN CNAME www.private.test.");
        assertThat(ask(through, "no.shop.svc.cluster.local. A"))
                .containsExactly("NOERROR ra", "no.shop.svc.cluster.local. 60 IN CNAME www.private.test.");
        assertThat(forwarded).containsExactly("www.example.com.", "no.shop.svc.cluster.local.");
    }

    private static ResolverChain fallthrough(List<String> forwarded, String... zones) {
        return fallthrough(Shop.zone(ZoneSettings.DEFAULTS), forwarded, zones);
    }

    private static ResolverChain fallthrough(ClusterZone zone, List<String> forwarded, String... zones) {
        return ResolverChain.of(zone)
                .withFallthrough(Stream.of(zones).map(DnsLabels::parse).collect(Collectors.toSet()))
                .withUpstream((question, client) -> {
                    forwarded.add(question.toString());
                    return new Resolution.Ready(Answer.failure(Rcode.REFUSED));
                });
    }

    private List<String> ask(String question) {
        return ask(chain, question);
    }

    static List<String> ask(DnsResolver resolver, String question) {
        return lines(resolver, question(question));
    }

    static Question question(String text) {
        int blank = text.indexOf(' ');
        return Question.of(
                Name.fromConstantString(text.substring(0, blank)),
                RecordType.of(Type.value(text.substring(blank + 1), true)));
    }

    private static List<String> lines(DnsResolver resolver, Question question) {
        Resolution resolution = resolver.resolve(question, Client.IN_PROCESS);
        assertThat(resolution).isInstanceOf(Resolution.Ready.class);
        return Shop.lines(((Resolution.Ready) resolution).answer());
    }
}
