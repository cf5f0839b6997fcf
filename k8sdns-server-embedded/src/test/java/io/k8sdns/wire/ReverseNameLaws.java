package io.k8sdns.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.zone.ClusterZone;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.statistics.Statistics;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.PTRRecord;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.ReverseMap;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** A PTR record is found only at the reverse name of its address, for all names below arpa. */
class ReverseNameLaws {
    /** Each address belongs to one Service, the first address to two. Many addresses differ from another one in one label. */
    private static final List<IpAddress> ADDRESSES = Stream.of(
                    "192.0.2.1",
                    "192.0.2.255",
                    "192.0.2.0",
                    "192.0.2.25",
                    "10.0.0.1",
                    "10.96.100.9",
                    "0.0.0.0",
                    "255.255.255.255",
                    "1.2.3.4",
                    "::",
                    "::1",
                    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                    "fd00::1",
                    "fd00:10:96::9",
                    "fd00:10:96::a",
                    "fd00:10:96::f",
                    "2001:db8:1234:5678:9abc:def0:1234:5678")
            .map(IpAddress::parse)
            .toList();

    private static final List<ClusterObject> OBJECTS = objects();

    private static List<ClusterObject> objects() {
        List<ClusterObject> objects = new ArrayList<>(List.of(Namespace.of("shop")));
        for (int i = 0; i < ADDRESSES.size(); i++) {
            objects.add(ClusterIpService.of("shop", "web-" + i, List.of(ADDRESSES.get(i)), List.of()));
        }
        objects.add(ClusterIpService.of("shop", "other", List.of(ADDRESSES.get(0)), List.of()));
        return objects;
    }

    @Property(tries = 400)
    void aPointerIsFoundOnlyAtTheNameOfItsAddress(
            @ForAll("reverseZones") List<String> zones,
            @ForAll @Size(12) List<@From("names") DnsLabels> names,
            @ForAll("upperCase") boolean upperCase) {
        ZoneSettings settings = ZoneSettings.builder()
                .reverseZones(zones.stream()
                        .flatMap(text -> ReverseZone.parse(text).stream())
                        .toList())
                .build();
        ResolverChain chain = ResolverChain.of(
                ClusterZone.of(ClusterSnapshot.of(OBJECTS), new RecordRules(settings), Visibility.ALL));
        DnsResponder responder = DnsResponder.builder(chain).build();
        DnsResponder slow = DnsResponder.builder(chain).slowPathOnly().build();
        for (DnsLabels name : names) {
            String text = (upperCase ? name.toString().toUpperCase(Locale.ROOT) : name) + ".";
            byte[] query = Packet.query(text, Type.PTR).bytes();
            Message message = Exchange.of(responder, Exchange.UDP, query).message();

            List<IpAddress> served = ADDRESSES.stream()
                    .filter(address -> nameOf(address).equals(Name.fromConstantString(text)))
                    .filter(address -> settings.reverseZones().stream().anyMatch(zone -> zone.contains(address)))
                    .toList();
            assertThat(message.getSection(Section.ANSWER).stream().map(one -> ((PTRRecord) one).getTarget()))
                    .as(text)
                    .containsExactlyInAnyOrderElementsOf(
                            served.stream().flatMap(ReverseNameLaws::targets).toList());
            if (ADDRESSES.stream().anyMatch(address -> nameOf(address).equals(Name.fromConstantString(text)))) {
                assertThat(message.getRcode()).as(text).isEqualTo(served.isEmpty() ? Rcode.REFUSED : Rcode.NOERROR);
            }
            boolean inAZone = settings.reverseZones().stream().anyMatch(zone -> name.endsWith(zone.name()));
            assertThat(message.getRcode() == Rcode.REFUSED || inAZone).as(text).isTrue();
            assertThat(message.getRcode()).as(text).isIn(Rcode.NOERROR, Rcode.NXDOMAIN, Rcode.REFUSED);
            assertThat(Exchange.of(responder, Exchange.UDP, query).hex())
                    .as(text)
                    .isEqualTo(Exchange.of(slow, Exchange.UDP, query).hex());
            Statistics.label("pointers").collect(served.size());
        }
        Statistics.label("pointers").coverage(coverage -> coverage.check(1).count(count -> count > 0));
    }

    /** Returns the reverse name that dnsjava makes of an address. */
    private static Name nameOf(IpAddress address) {
        try {
            return ReverseMap.fromAddress(InetAddress.getByAddress(address.bytes()));
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static Stream<Name> targets(IpAddress address) {
        int number = ADDRESSES.indexOf(address);
        return (number == 0 ? Stream.of("web-0", "other") : Stream.of("web-" + number))
                .map(service -> Name.fromConstantString(service + ".shop.svc.cluster.local."));
    }

    @Provide
    Arbitrary<List<String>> reverseZones() {
        return Arbitraries.of(
                List.of("in-addr.arpa", "ip6.arpa"),
                List.of("in-addr.arpa"),
                List.of("ip6.arpa"),
                List.of("10.0.0.0/8", "192.0.0.0/12", "fd00::/8", "2001:db8::/30"),
                List.of("192.0.2.0/25", "fd00:10:96::8/127"),
                List.of("192.0.2.0/31", "192.0.2.25/32", "192.0.2.128/25", "fd00:10:96::a/128", "fd00:10:96::c/126"),
                List.of("192.0.2.0/24", "fd00:10:96::/124"),
                List.of("in-addr.arpa", "192.0.2.0/26", "ip6.arpa", "fd00:10:96::8/125"),
                List.of("in-addr.arpa", "10.0.0.0/16", "ip6.arpa", "fd00:10::/32"),
                List.of("fd00:10:96::9/128", "192.0.2.255/32"),
                List.of());
    }

    @Provide
    Arbitrary<DnsLabels> names() {
        return ReverseNames.near(Arbitraries.of(ADDRESSES));
    }

    @Provide
    Arbitrary<Boolean> upperCase() {
        return Arbitraries.of(true, false);
    }
}
