package io.k8sdns.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.rules.OwnerName;
import io.k8sdns.rules.RecordRules;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ZoneSettingsTest {
    private static final String LABEL = "z".repeat(63);

    @Test
    void theDefaultsAreThoseOfACluster() {
        assertThat(ZoneSettings.DEFAULTS.zones()).containsExactly(DnsLabels.parse("cluster.local"));
        assertThat(ZoneSettings.DEFAULTS.reverseZones()).containsExactly(ReverseZone.IPV4, ReverseZone.IPV6);
        assertThat(ZoneSettings.DEFAULTS.ttlSeconds()).isEqualTo(5);
        assertThat(ZoneSettings.DEFAULTS.pods()).isEqualTo(PodsMode.VERIFIED);
    }

    @Test
    void aBuilderOfSettingsHoldsAllOfThem() {
        ZoneSettings settings = ZoneSettings.builder()
                .zones("a.example", "b.example")
                .reverseZones("10.0.0.0/8")
                .ttlSeconds(7)
                .negativeTtlSeconds(9)
                .pods(PodsMode.INSECURE)
                .endpoints(false)
                .endpointNames(EndpointNames.POD)
                .reversePolicy(ReversePolicy.ONE)
                .srvPort(SrvPort.SERVICE)
                .bareSrv(false)
                .nameServerAddresses(List.of(IpAddress.parse("192.0.2.1")))
                .build();
        assertThat(settings.toBuilder().build()).isEqualTo(settings);
        ZoneSettings ignoring = ZoneSettings.builder().ignoreEmptyServices(true).build();
        assertThat(ignoring.toBuilder().build()).isEqualTo(ignoring);
    }

    @Test
    void theDefaultNegativeTtlIsTheTtlOfRecords() {
        assertThat(ZoneSettings.builder().ttlSeconds(30).build().negativeTtlSeconds())
                .isEqualTo(30);
        assertThat(ZoneSettings.builder()
                        .ttlSeconds(30)
                        .negativeTtlSeconds(0)
                        .build()
                        .negativeTtlSeconds())
                .isZero();
    }

    @Test
    void theLongestZoneLeavesRoomForTheNamesThatEveryZoneHas() {
        // 254 bytes of a name without its root, less the 12 bytes of "dns-version".
        ZoneSettings settings = ZoneSettings.builder().zone(zoneOf(242)).build();
        DnsLabels zone = settings.zones().get(0);
        RecordRules rules = new RecordRules(settings);
        rules.fixedFacts()
                .forEach(fact -> assertThat(
                                ((OwnerName.Forward) fact.owner()).labels().fitsBelow(zone))
                        .isTrue());
        assertThat(rules.startOfAuthority(zone, 1).records()).hasSize(1);
        assertThat(rules.nameServers(zone).records()).hasSize(1);
    }

    private static String zoneOf(int wireLength) {
        return String.join(".", LABEL, LABEL, LABEL, "z".repeat(wireLength - 3 * 64 - 1));
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                refused("zones is empty: give at least one forward zone", builder -> builder.zones(List.of())),
                refused(
                        "the root cannot be the zone of a cluster; give a name such as cluster.local",
                        builder -> builder.zone(".")),
                refused("label 1 of a host name may hold", builder -> builder.zone("cluster local/x")),
                refused("label 2 of a host name may hold", builder -> builder.zones(zones("k8s", "a.b_c"))),
                refused("label 1 of a host name may hold", builder -> builder.zone("cluster\\.local")),
                refused("leaves no room", builder -> builder.zone(zoneOf(243))),
                refused("given twice", builder -> builder.zones(zones("a", "A"))),
                refused(
                        "zone dns.k8s would hide ns.dns.k8s, the name server of zone k8s",
                        builder -> builder.zones(zones("k8s", "dns.k8s"))),
                refused(
                        "zone ns.DNS.k8s would hide ns.dns.K8S, the name server of zone K8S",
                        builder -> builder.zones(zones("ns.DNS.k8s", "K8S"))),
                refused(
                        "zone 10.in-addr.arpa lies in the reverse zone in-addr.arpa",
                        builder -> builder.zone("10.in-addr.arpa")),
                refused(
                        "zone IP6.arpa lies in the reverse zone ip6.arpa",
                        builder -> builder.zones(zones("k8s", "IP6.arpa"))),
                refused(
                        "zone k8s.2.0.192.in-addr.arpa lies in the reverse zone 2.0.192.in-addr.arpa",
                        builder -> builder.zone("k8s.2.0.192.in-addr.arpa")
                                .reverseZones(ReverseZone.parse("192.0.2.0/25"))),
                refused("not a TTL", builder -> builder.ttlSeconds(-1)),
                refused("not a TTL", builder -> builder.ttlSeconds(1L << 31)),
                refused(
                        "nameServerAddresses is empty: give at least one address",
                        builder -> builder.nameServerAddresses(List.of())),
                refused(
                        "every Service is empty",
                        builder -> builder.endpoints(false).ignoreEmptyServices(true)));
    }

    private static List<DnsLabels> zones(String... texts) {
        return Stream.of(texts).map(DnsLabels::parse).toList();
    }

    private static Arguments refused(String message, UnaryOperator<ZoneSettings.Builder> change) {
        return Arguments.of(message, change);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refused")
    void settingsThatCannotBeServedAreRejected(String message, UnaryOperator<ZoneSettings.Builder> change) {
        assertThatThrownBy(() -> change.apply(ZoneSettings.builder()).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"inner.k8s", "x.ns.dns.k8s", "ns.k8s", "xdns.k8s", "dns-version.k8s", "ns.dns.other"})
    void aZoneMayLieBesideTheNameServerOfAnother(String other) {
        assertThat(ZoneSettings.builder().zones(zones("k8s", other)).build().zones())
                .containsExactlyElementsOf(zones("k8s", other));
    }

    @Test
    void aForwardZoneMayLieAroundReverseZonesAndBesideThem() {
        List<ReverseZone> reverse = ReverseZone.parse("10.96.0.0/16");
        List<DnsLabels> zones = zones("arpa", "10.in-addr.arpa", "home.arpa", "97.10.in-addr.arpa");
        assertThat(ZoneSettings.builder()
                        .zones(zones)
                        .reverseZones(reverse)
                        .build()
                        .zones())
                .isEqualTo(zones);
    }
}
