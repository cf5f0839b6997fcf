package io.k8sdns.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.model.Protocol;
import io.k8sdns.name.DnsLabels;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class NameSchemaLaws {
    @Property
    void formattedNamesParseToEqualNames(@ForAll("names") ClusterName name) {
        assertThat(NameSchema.parse(NameSchema.format(name))).isEqualTo(name);
    }

    @Property
    void caseChangesNoMeaningAndIsKept(@ForAll("names") ClusterName name, @ForAll Random random) {
        DnsLabels asked = DnsLabels.parse(mixed(NameSchema.format(name).toString(), random));
        ClusterName meant = NameSchema.parse(asked);
        assertThat(meant).isEqualTo(name).hasSameHashCodeAs(name);
        if (meant instanceof ClusterName.ServiceName) {
            assertThat(NameSchema.format(meant).first(2))
                    .hasToString(asked.first(2).toString());
        }
    }

    @Property
    void onlyNamesOfEndpointsHaveTheirForm(@ForAll("names") ClusterName name) {
        assertThat(NameSchema.canBeEndpoint(name.labels()))
                .isEqualTo(name instanceof ClusterName.EndpointName || name instanceof ClusterName.EndpointAddressName);
    }

    @Property
    void parsingNeverThrowsAndKeepsAllLabels(@ForAll("labels") DnsLabels labels) {
        ClusterName name = NameSchema.parse(labels);
        if (!(name instanceof ClusterName.PodName)) {
            assertThat(NameSchema.format(name)).isEqualTo(labels);
        }
        NameSchema.parseReverse(labels)
                .ifPresent(
                        network -> assertThat(NameSchema.formatReverse(network)).isEqualTo(labels));
    }

    @Property
    void formattedReverseNamesParseToEqualNetworks(@ForAll("addresses") IpAddress address, @ForAll Random random) {
        int bits = address.isIpv4() ? 8 : 4;
        int labels = random.nextInt(address.family().byteCount() * 8 / bits + 1);
        IpNetwork network = prefix(address, labels * bits);
        DnsLabels name = NameSchema.formatReverse(network);
        assertThat(name.count()).isEqualTo(labels + 2);
        assertThat(NameSchema.parseReverse(name)).contains(network);
        assertThat(NameSchema.isPartialReverse(network))
                .isEqualTo(labels < address.family().byteCount() * 8 / bits);
        assertThat(NameSchema.parseReverse(DnsLabels.parse(mixed(name.toString(), random))))
                .contains(network);
    }

    @Property
    void everyTextOfAnAddressIsAPodLabelOfIt(@ForAll("addresses") IpAddress address, @ForAll Random random) {
        String label = AddressLabels.of(address);
        assertThat(DnsLabel.tryParse(label)).isPresent();
        assertThat(AddressLabels.parsePodLabel(label)).contains(address);
        if (!address.isIpv4()) {
            String text = anyText(address, random).replace(':', '-');
            assertThat(AddressLabels.parsePodLabel(text)).as(text).contains(address);
            if (text.startsWith("--")) {
                assertThat(AddressLabels.parsePodLabel("0" + text)).as(text).contains(address);
            }
            if (text.endsWith("--")) {
                assertThat(AddressLabels.parsePodLabel(text + "0")).as(text).contains(address);
            }
        }
    }

    @Property
    void anEndpointLabelHasOneSpelling(@ForAll("addresses") IpAddress address, @ForAll Random random) {
        String label = AddressLabels.of(address);
        assertThat(AddressLabels.parseEndpointLabel(mixed(label, random))).contains(address);
        if (!address.isIpv4()) {
            String other = anyText(address, random).replace(':', '-');
            assertThat(AddressLabels.parseEndpointLabel(other).isPresent()).isEqualTo(other.equalsIgnoreCase(label));
        }
    }

    @Property
    void parsingALabelNeverThrows(@ForAll("labelTexts") String label) {
        AddressLabels.parsePodLabel(label)
                .ifPresent(address -> assertThat(AddressLabels.parsePodLabel(AddressLabels.of(address)))
                        .contains(address));
        AddressLabels.parseEndpointLabel(label)
                .ifPresent(address -> assertThat(AddressLabels.of(address)).isEqualToIgnoringCase(label));
    }

    @Provide
    Arbitrary<IpAddress> addresses() {
        Arbitrary<IpAddress> ipv4 =
                Arbitraries.bytes().array(byte[].class).ofSize(4).map(IpAddress::ofBytes);
        // Frequent groups of zero, because RFC 5952 shortens them.
        Arbitrary<IpAddress> ipv6 = Arbitraries.oneOf(
                        Arbitraries.just(0), Arbitraries.integers().between(0, 0xFFFF))
                .list()
                .ofSize(8)
                .map(groups -> {
                    byte[] bytes = new byte[16];
                    for (int i = 0; i < 8; i++) {
                        bytes[2 * i] = (byte) (groups.get(i) >>> 8);
                        bytes[2 * i + 1] = (byte) (int) groups.get(i);
                    }
                    return IpAddress.ofBytes(bytes);
                })
                .filter(address -> !address.isIpv4());
        return Arbitraries.oneOf(ipv4, ipv6);
    }

    @Provide
    Arbitrary<ClusterName> names() {
        Arbitrary<DnsLabel> label = legalLabels();
        Arbitrary<Protocol> protocol = Arbitraries.of(Protocol.class);
        Arbitrary<ClusterName.ServiceName> service =
                Combinators.combine(label, label).as(ClusterName.ServiceName::new);
        return Arbitraries.oneOf(
                Arbitraries.of(ClusterName.FixedName.class),
                label.map(ClusterName.ServicesName::new),
                label.map(ClusterName.PodsName::new),
                service,
                Combinators.combine(protocol, service).as(ClusterName.ProtocolName::new),
                Combinators.combine(label.filter(name -> name.length() < 63), protocol, service)
                        .as(ClusterName.PortName::new),
                Combinators.combine(
                                label.filter(name -> AddressLabels.parseEndpointLabel(name.toString())
                                        .isEmpty()),
                                service)
                        .as(ClusterName.EndpointName::new),
                Combinators.combine(addresses(), service).as(ClusterName.EndpointAddressName::new),
                Combinators.combine(addresses(), label).as(ClusterName.PodName::new));
    }

    private static Arbitrary<DnsLabel> legalLabels() {
        Arbitrary<String> edge =
                Arbitraries.strings().withChars("abcXYZ019").ofMinLength(1).ofMaxLength(3);
        Arbitrary<String> inner = Arbitraries.strings().withChars("abcXYZ019-").ofMaxLength(57);
        return Arbitraries.oneOf(
                Arbitraries.of("svc", "pod", "dns", "ns", "dns-version", "10-0-0-1", "1--2")
                        .map(DnsLabel::of),
                Combinators.combine(edge, inner, edge).as((a, b, c) -> DnsLabel.of(a + b + c)));
    }

    @Provide
    Arbitrary<String> labelTexts() {
        return Arbitraries.oneOf(
                Arbitraries.strings()
                        .withCharRange('\0', '\u00FF')
                        .ofMinLength(1)
                        .ofMaxLength(63),
                Arbitraries.strings()
                        .withChars("0123456789abcdefABCDEF-")
                        .ofMinLength(1)
                        .ofMaxLength(41),
                Arbitraries.of(
                        "svc",
                        "pod",
                        "SVC",
                        "_tcp",
                        "_udp",
                        "_",
                        "web",
                        "prod",
                        "10-0-0-1",
                        "--",
                        "0--0",
                        "a-b-c-d",
                        "in-addr",
                        "ip6",
                        "arpa",
                        "1",
                        "f"));
    }

    @Provide
    Arbitrary<DnsLabels> labels() {
        Arbitrary<String> reverseParts = Arbitraries.of("0", "1", "f", "F", "01", "00", "255", "256", "g", "-1");
        return Arbitraries.oneOf(
                labels(labelTexts(), "", "svc", "prod.svc", "web.prod.svc", "prod.pod", "arpa"),
                labels(reverseParts, "in-addr.arpa", "ip6.arpa", "8.b.d.0.ip6.arpa"));
    }

    private static Arbitrary<DnsLabels> labels(Arbitrary<String> head, String... tails) {
        return Combinators.combine(
                        head.list().ofMaxSize(3).map(texts -> DnsLabels.of(texts.toArray(String[]::new))),
                        Arbitraries.of(tails).map(DnsLabels::parse))
                .as(DnsLabels::append);
    }

    private static String mixed(String text, Random random) {
        StringBuilder mixed = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            String one = text.substring(i, i + 1);
            mixed.append(random.nextBoolean() ? one.toUpperCase(Locale.ROOT) : one);
        }
        return mixed.toString();
    }

    private static IpNetwork prefix(IpAddress address, int length) {
        byte[] bytes = address.bytes();
        for (int bit = length; bit < bytes.length * 8; bit++) {
            bytes[bit / 8] &= (byte) ~(0x80 >>> bit % 8);
        }
        return new IpNetwork(IpAddress.ofBytes(bytes), length);
    }

    /** Returns a random text of RFC 4291, 2.2: leading zeros, upper or lower case, any run of zero groups shortened, or none. */
    private static String anyText(IpAddress address, Random random) {
        byte[] bytes = address.bytes();
        List<String> groups = new ArrayList<>();
        for (int i = 0; i < 16; i += 2) {
            int group = (bytes[i] & 0xFF) << 8 | bytes[i + 1] & 0xFF;
            String hex = random.nextBoolean() ? Integer.toHexString(group) : String.format("%04X", group);
            groups.add(hex);
        }
        int from = random.nextInt(8);
        int to = from;
        while (to < 8 && Integer.parseInt(groups.get(to), 16) == 0 && (to == from || random.nextInt(4) > 0)) {
            to++;
        }
        return to == from
                ? String.join(":", groups)
                : String.join(":", groups.subList(0, from)) + "::" + String.join(":", groups.subList(to, 8));
    }
}
