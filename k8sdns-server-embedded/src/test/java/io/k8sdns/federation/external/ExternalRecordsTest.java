package io.k8sdns.federation.external;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.federation.ClusterLocation;
import io.k8sdns.federation.Shard;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ExternalRecordsTest {
    private static final RecordOwner OWNER = new RecordOwner("one", "fed");
    private static final DnsLabels SUFFIX = DnsLabels.parse("example.org");
    private static final Map<String, ClusterLocation> CLUSTERS =
            Map.of("foo", location("eu", "eu-a"), "baz", location("eu", "eu-a", "eu-b"), "bar", location("us", "us-a"));

    private static ClusterLocation location(String region, String... zones) {
        return ClusterLocation.UNKNOWN.withRegion(region).withZones(List.of(zones));
    }

    private static Shard shard(String... addresses) {
        return Shard.builder()
                .externalAddresses(
                        Arrays.stream(addresses).map(IpAddress::parse).toList())
                .build();
    }

    private static FederatedService.Builder cart() {
        return FederatedService.builder("shop", "cart");
    }

    private static ExternalRecords.Builder records() {
        return ExternalRecords.builder(OWNER, SUFFIX);
    }

    private static List<String> lines(WantedRecords wanted) {
        return wanted.names().values().stream()
                .flatMap(one -> one.records().stream())
                .flatMap(RecordSet::lines)
                .sorted()
                .toList();
    }

    private static List<String> lines(FederatedService... services) {
        return lines(records().build().of(List.of(services), CLUSTERS));
    }

    @Test
    void aHealthyShardHasAddressesAtItsZoneItsRegionAndGlobally() {
        assertThat(lines(cart().shard("foo", shard("192.0.2.1", "2001:db8::1")).build()))
                .containsExactly(
                        "cart.shop.fed.svc.eu-a.eu.example.org. 180 IN A 192.0.2.1",
                        "cart.shop.fed.svc.eu-a.eu.example.org. 180 IN AAAA 2001:db8::1",
                        "cart.shop.fed.svc.eu-b.eu.example.org. 180 IN CNAME cart.shop.fed.svc.eu.example.org.",
                        "cart.shop.fed.svc.eu.example.org. 180 IN A 192.0.2.1",
                        "cart.shop.fed.svc.eu.example.org. 180 IN AAAA 2001:db8::1",
                        "cart.shop.fed.svc.example.org. 180 IN A 192.0.2.1",
                        "cart.shop.fed.svc.example.org. 180 IN AAAA 2001:db8::1",
                        "cart.shop.fed.svc.us-a.us.example.org. 180 IN CNAME cart.shop.fed.svc.us.example.org.",
                        "cart.shop.fed.svc.us.example.org. 180 IN CNAME cart.shop.fed.svc.example.org.");
    }

    @Test
    void clustersOfARegionAreMerged() {
        assertThat(lines(cart().shard("foo", shard("192.0.2.1"))
                        .shard("baz", shard("192.0.2.2"))
                        .build()))
                .contains(
                        "cart.shop.fed.svc.eu-a.eu.example.org. 180 IN A 192.0.2.1",
                        "cart.shop.fed.svc.eu-a.eu.example.org. 180 IN A 192.0.2.2",
                        "cart.shop.fed.svc.eu-b.eu.example.org. 180 IN A 192.0.2.2",
                        "cart.shop.fed.svc.eu.example.org. 180 IN A 192.0.2.1",
                        "cart.shop.fed.svc.eu.example.org. 180 IN A 192.0.2.2");
    }

    @Test
    void aServiceWithoutExternalAddressesHasNoRecords() {
        assertThat(lines(
                        cart().build(),
                        FederatedService.builder("shop", "web")
                                .shard("foo", shard())
                                .build()))
                .isEmpty();
    }

    @Test
    void disabledLevelsAreSkipped() {
        FederatedService service = cart().shard("bar", shard("192.0.2.1")).build();
        assertThat(lines(records()
                        .levels(EnumSet.of(ExternalLevel.GLOBAL, ExternalLevel.ZONE))
                        .build()
                        .of(List.of(service), CLUSTERS)))
                .containsExactly(
                        "cart.shop.fed.svc.eu-a.eu.example.org. 180 IN CNAME cart.shop.fed.svc.example.org.",
                        "cart.shop.fed.svc.eu-b.eu.example.org. 180 IN CNAME cart.shop.fed.svc.example.org.",
                        "cart.shop.fed.svc.example.org. 180 IN A 192.0.2.1",
                        "cart.shop.fed.svc.us-a.us.example.org. 180 IN A 192.0.2.1");
        assertThat(lines(records().levels(Set.of(ExternalLevel.REGION)).build().of(List.of(service), CLUSTERS)))
                .containsExactly("cart.shop.fed.svc.us.example.org. 180 IN A 192.0.2.1");
        assertThat(ExternalLevel.parse("global, zone")).containsExactly(ExternalLevel.ZONE, ExternalLevel.GLOBAL);
        assertThatThrownBy(() -> ExternalLevel.parse("global,planet"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"planet\"");
    }

    @Test
    void ttlAndPrefixOfAServiceAreUsed() {
        assertThat(lines(records()
                        .levels(Set.of(ExternalLevel.GLOBAL))
                        .ttlSeconds(60)
                        .build()
                        .of(
                                List.of(
                                        cart().shard("bar", shard("192.0.2.1"))
                                                .ttlSeconds(5)
                                                .dnsPrefix("www")
                                                .build(),
                                        FederatedService.builder("shop", "web")
                                                .shard("bar", shard("192.0.2.2"))
                                                .build()),
                                CLUSTERS)))
                .containsExactly(
                        "cart.shop.fed.svc.example.org. 5 IN A 192.0.2.1",
                        "web.shop.fed.svc.example.org. 60 IN A 192.0.2.2",
                        "www.example.org. 5 IN CNAME cart.shop.fed.svc.example.org.");
    }

    @Test
    void aNameThatIsTakenIsAProblem() {
        WantedRecords wanted = records()
                .build()
                .of(
                        List.of(
                                FederatedService.builder("shop", "web")
                                        .shard("bar", shard("192.0.2.2"))
                                        .dnsPrefix("www")
                                        .build(),
                                cart().shard("bar", shard("192.0.2.1"))
                                        .dnsPrefix("www")
                                        .build()),
                        Map.of());
        assertThat(lines(wanted)).contains("www.example.org. 180 IN CNAME cart.shop.fed.svc.example.org.");
        assertThat(wanted.problems()).containsExactly("Service shop/web: the name is taken: www.example.org");
    }

    /** Otherwise the prefix could make the name of a Service without shards an alias of another Service. */
    @Test
    void aPrefixIsNotTheNameOfAService() {
        assertThatThrownBy(() -> cart().dnsPrefix("web.shop.fed.svc"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("svc");
    }

    @Test
    void aRegionThatIsNotALabelIsAProblemAndHasNoName() {
        WantedRecords wanted = records()
                .build()
                .of(
                        List.of(cart().shard("foo", shard("192.0.2.1")).build()),
                        Map.of("foo", location("eu.central", "a")));
        assertThat(lines(wanted)).containsExactly("cart.shop.fed.svc.example.org. 180 IN A 192.0.2.1");
        assertThat(wanted.problems())
                .containsExactly("cluster foo: no names, not a DNS-1123 label: region or zone \"eu.central\"");
    }

    @Test
    void aNameThatIsTooLongIsAProblem() {
        DnsLabels suffix =
                DnsLabels.parse(String.join(".", "a".repeat(63), "b".repeat(63), "c".repeat(63), "d".repeat(30)));
        WantedRecords wanted = ExternalRecords.builder(OWNER, suffix)
                .build()
                .of(List.of(cart().shard("foo", shard("192.0.2.1")).build()), Map.of());
        assertThat(wanted.names()).isEmpty();
        assertThat(wanted.problems()).singleElement().asString().contains("too long");
    }

    @Test
    void hostNamesOfLoadBalancersAreLookedUp() {
        Shard shard = Shard.builder()
                .hostNames(List.of(DnsLabels.parse("lb.example.com"), DnsLabels.parse("gone.example.com")))
                .build();
        assertThat(lines(records()
                        .levels(Set.of(ExternalLevel.GLOBAL))
                        .hostAddresses(host -> host.equals(DnsLabels.parse("lb.example.com"))
                                ? List.of(IpAddress.parse("192.0.2.9"))
                                : List.of())
                        .build()
                        .of(List.of(cart().shard("foo", shard).build()), Map.of())))
                .containsExactly("cart.shop.fed.svc.example.org. 180 IN A 192.0.2.9");
    }

    @Test
    void aServiceMustNotOccurTwice() {
        assertThatThrownBy(() -> records().build().of(List.of(cart().build(), cart().build()), Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("shop/cart");
    }

    @Test
    void theOwnerRecordIsBelowTheName() {
        WantedRecords wanted = records()
                .build()
                .of(List.of(cart().shard("foo", shard("192.0.2.1")).build()), Map.of());
        OwnedRecords global = wanted.names().values().iterator().next();
        assertThat(global.ownerRecord(180).toString().replaceAll("\\s+", " "))
                .isEqualTo("_k8sdns-owner.cart.shop.fed.svc.example.org. 180 IN TXT"
                        + " heritage=k8sdns,k8sdns/owner=one,k8sdns/federation=fed,k8sdns/resource=service/shop/cart");
        assertThat(OwnedRecords.text(global.ownerRecord(0))).isEqualTo(global.owner());
        assertThat(OWNER.owns(global.owner())).isTrue();
        assertThat(new RecordOwner("one", "fe").owns(global.owner())).isFalse();
        assertThat(new RecordOwner("on", "fed").owns(global.owner())).isFalse();
    }

    /** Federation, namespace, Service and owner of 63 characters each do not fit in one string of a TXT record. */
    @Test
    void aLongOwnerTextIsSplitIntoTwoStrings() {
        String longest = "x".repeat(63);
        String text = new RecordOwner(longest, longest).text(longest, longest);
        OwnedRecords records = new OwnedRecords(SUFFIX, text, List.of());
        assertThat(records.ownerRecord(0).getStrings()).hasSize(2);
        assertThat(OwnedRecords.text(records.ownerRecord(0))).isEqualTo(text);
    }

    @Test
    void anOwnerIsALabelValue() {
        assertThatThrownBy(() -> new RecordOwner("a,b", "fed")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RecordOwner("", "fed")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RecordOwner("a", "Fed")).isInstanceOf(IllegalArgumentException.class);
    }
}
