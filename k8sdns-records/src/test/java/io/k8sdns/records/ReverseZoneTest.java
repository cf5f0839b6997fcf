package io.k8sdns.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpNetwork;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReverseZoneTest {
    private static List<String> names(String text) {
        return ReverseZone.parse(text).stream()
                .map(zone -> zone.name().toString())
                .toList();
    }

    @ParameterizedTest
    @CsvSource({
        "10.96.0.0/16, 96.10.in-addr.arpa",
        "10.0.0.0/8, 10.in-addr.arpa",
        "192.0.2.0/24, 2.0.192.in-addr.arpa",
        "0.0.0.0/0, in-addr.arpa",
        "::/0, ip6.arpa",
        "2001:db8::/32, 8.b.d.0.1.0.0.2.ip6.arpa",
        "fd00:10:96::/64, 0.0.0.0.6.9.0.0.0.1.0.0.0.0.d.f.ip6.arpa",
        "96.10.in-addr.arpa, 96.10.in-addr.arpa",
        "96.10.in-addr.arpa., 96.10.in-addr.arpa",
        "IN-ADDR.ARPA, IN-ADDR.ARPA",
        "8.b.d.0.1.0.0.2.ip6.arpa, 8.b.d.0.1.0.0.2.ip6.arpa",
    })
    void aNetworkThatEndsBetweenLabelsAndANameAreOneZone(String text, String name) {
        assertThat(names(text)).containsExactly(name);
    }

    @Test
    void otherNetworksAreSplitAtTheNextLabel() {
        assertThat(names("10.96.0.0/12"))
                .hasSize(16)
                .startsWith("96.10.in-addr.arpa", "97.10.in-addr.arpa")
                .endsWith("111.10.in-addr.arpa");
        assertThat(names("10.2.4.0/22"))
                .containsExactly(
                        "4.2.10.in-addr.arpa", "5.2.10.in-addr.arpa", "6.2.10.in-addr.arpa", "7.2.10.in-addr.arpa");
        assertThat(names("128.0.0.0/1"))
                .hasSize(128)
                .startsWith("128.in-addr.arpa")
                .endsWith("255.in-addr.arpa");
        assertThat(names("2001:db8:8::/45"))
                .containsExactly(
                        "8.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa",
                        "9.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa",
                        "a.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa",
                        "b.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa",
                        "c.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa",
                        "d.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa",
                        "e.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa",
                        "f.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa");
        assertThat(names("fc00::/7")).containsExactly("c.f.ip6.arpa", "d.f.ip6.arpa");
    }

    @Test
    void partsOfOneNetworkHoldItsAddressesAndNoOthers() {
        List<ReverseZone> zones = ReverseZone.parse("10.96.0.0/12");
        for (String inside : List.of("10.96.0.0", "10.103.9.9", "10.111.255.255")) {
            assertThat(zones.stream().filter(zone -> zone.contains(IpAddress.parse(inside))))
                    .hasSize(1);
        }
        for (String outside : List.of("10.95.255.255", "10.112.0.0", "::1")) {
            assertThat(zones.stream().filter(zone -> zone.contains(IpAddress.parse(outside))))
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.128/25, 2.0.192.in-addr.arpa, 192.0.2.128, 192.0.2.127",
        "192.0.2.1/32, 2.0.192.in-addr.arpa, 192.0.2.1, 192.0.2.2",
        "2001:db8::8/125, 0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa, 2001:db8::f, 2001:db8::7",
        "2001:db8::1f/128, 1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa, 2001:db8::1f, 2001:db8::1e",
    })
    void aNetworkWithinTheLastLabelIsOneZoneInWhichOnlyItsAddressesAreServed(
            String network, String name, String inside, String outside) {
        List<ReverseZone> zones = ReverseZone.parse(network);
        assertThat(zones).singleElement().satisfies(zone -> {
            assertThat(zone.name()).hasToString(name);
            assertThat(zone.networks()).containsExactly(IpNetwork.parse(network));
            assertThat(zone.contains(IpAddress.parse(inside))).isTrue();
            assertThat(zone.contains(IpAddress.parse(outside))).isFalse();
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.96.0.1/12",
                "fd00::1/64",
                "10.0.0.0/33",
                "10.0.0.0",
                "10.0.0.0/",
                "/8",
                "",
                ".",
                "arpa",
                "cluster.local",
                "256.in-addr.arpa",
                "a..in-addr.arpa",
                "::ffff:10.0.0.0/104"
            })
    void textThatIsNeitherNetworkNorNameIsRejectedWithAMessage(String text) {
        assertThatThrownBy(() -> ReverseZone.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theMappedAddressesHaveNoReverseZoneOfTheirOwn() {
        assertThat(names("0:0:0:0:0:fff8::/93")).hasSize(7);
    }

    @Test
    void zonesOfOneNameAreOneZone() {
        ZoneSettings settings = ZoneSettings.builder()
                .reverseZones(Stream.of("10.0.0.0/26", "192.0.2.0/24", "10.0.0.192/26", "10.0.0.0/25", "10.0.0.0/25")
                        .flatMap(text -> ReverseZone.parse(text).stream())
                        .toList())
                .build();
        assertThat(settings.reverseZones().stream().map(zone -> zone.name().toString()))
                .containsExactly("0.0.10.in-addr.arpa", "2.0.192.in-addr.arpa");
        assertThat(settings.reverseZones().get(0).networks())
                .containsExactly(IpNetwork.parse("10.0.0.192/26"), IpNetwork.parse("10.0.0.0/25"));
    }
}
