package io.k8sdns.records;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import io.k8sdns.schema.NameSchema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A reverse zone: a name below {@code in-addr.arpa} or {@code ip6.arpa}, and the addresses in it that this server serves.
 *
 * @param name the zone's name, absolute
 * @param networks the served addresses: the one network that the name covers, or parts of it if a network ends within the last
 *     label (longer than /24, /124); at least one
 */
public record ReverseZone(DnsLabels name, List<IpNetwork> networks) {
    /** All of {@code in-addr.arpa}. */
    public static final ReverseZone IPV4 = of(IpNetwork.parse("0.0.0.0/0"));

    /** All of {@code ip6.arpa}. */
    public static final ReverseZone IPV6 = of(IpNetwork.parse("::/0"));

    /**
     * Copies the list.
     *
     * @throws IllegalArgumentException if there is no network
     */
    public ReverseZone {
        Objects.requireNonNull(name, "name");
        networks = Copies.list("networks", networks);
        if (networks.isEmpty()) {
            throw new IllegalArgumentException("reverse zone " + name + " has no networks; give at least one");
        }
    }

    /** Returns whether this server serves all addresses that the zone's name covers. */
    public boolean isWhole() {
        return NameSchema.parseReverse(name).filter(networks::contains).isPresent();
    }

    /** Returns the zone of a network that ends at the boundary between two labels. */
    private static ReverseZone of(IpNetwork network) {
        return new ReverseZone(NameSchema.formatReverse(network), List.of(network));
    }

    /**
     * Reads a reverse zone: a network, or the zone's own name.
     *
     * <p>A network that ends within a label is split at the end of that label: 10.96.0.0/12 gives 16 zones of /16. A network longer than
     * /24 (IPv6: /124) gives one zone with the name of its /24 (/124), in which only the addresses of the network are served.
     *
     * @param text for example {@code 10.96.0.0/12}, {@code fd00:10:96::/112} or {@code 96.10.in-addr.arpa}
     * @return the zones in the order of their addresses
     * @throws IllegalArgumentException if the text is neither, or a network with host bits set
     */
    public static List<ReverseZone> parse(String text) {
        Objects.requireNonNull(text, "text");
        if (text.indexOf('/') >= 0) {
            return split(IpNetwork.parse(text));
        }
        try {
            DnsLabels name = DnsLabels.parse(text);
            return NameSchema.parseReverse(name)
                    .map(network -> List.of(new ReverseZone(name, List.of(network))))
                    .orElseThrow(() -> new IllegalArgumentException(
                            "neither a network (10.96.0.0/12) nor a reverse zone (96.10.in-addr.arpa): " + text));
        } catch (InvalidNameException invalid) {
            throw new IllegalArgumentException("not a reverse zone: " + invalid.getMessage(), invalid);
        }
    }

    private static List<ReverseZone> split(IpNetwork network) {
        int bitsPerLabel = network.base().isIpv4() ? 8 : 4;
        int lastBoundary = network.base().family().byteCount() * 8 - bitsPerLabel;
        if (network.prefixLength() > lastBoundary) {
            IpNetwork covering = covering(network.base(), lastBoundary);
            return List.of(new ReverseZone(NameSchema.formatReverse(covering), List.of(network)));
        }
        int boundary = (network.prefixLength() + bitsPerLabel - 1) / bitsPerLabel * bitsPerLabel;
        List<ReverseZone> zones = new ArrayList<>();
        for (int part = 0; part < 1 << boundary - network.prefixLength(); part++) {
            byte[] bytes = network.base().bytes();
            if (boundary > 0) {
                bytes[(boundary - 1) / 8] |= (byte) (part << (8 - boundary % 8) % 8);
            }
            IpAddress base = IpAddress.ofBytes(bytes);
            // The part with the IPv4-mapped addresses has no name below ip6.arpa, because these addresses are IPv4.
            if (base.family() == network.base().family()) {
                zones.add(of(new IpNetwork(base, boundary)));
            }
        }
        return zones;
    }

    private static IpNetwork covering(IpAddress address, int prefixLength) {
        byte[] bytes = address.bytes();
        bytes[bytes.length - 1] &= (byte) (0xFF00 >>> prefixLength % 8);
        if (prefixLength % 8 == 0) {
            bytes[bytes.length - 1] = 0;
        }
        return new IpNetwork(IpAddress.ofBytes(bytes), prefixLength);
    }

    /** Merges zones with the same name, in the order in which the names first occur. */
    static List<ReverseZone> merged(List<ReverseZone> zones) {
        Map<DnsLabels, ReverseZone> byName = new LinkedHashMap<>();
        for (ReverseZone zone : zones) {
            byName.merge(zone.name, zone, ReverseZone::with);
        }
        return List.copyOf(byName.values());
    }

    private ReverseZone with(ReverseZone other) {
        List<IpNetwork> all = Stream.concat(networks.stream(), other.networks.stream())
                .distinct()
                .toList();
        return new ReverseZone(
                name,
                all.stream()
                        .filter(one -> all.stream().noneMatch(wider -> !wider.equals(one) && covers(wider, one)))
                        .toList());
    }

    private static boolean covers(IpNetwork wider, IpNetwork network) {
        return wider.prefixLength() <= network.prefixLength() && wider.contains(network.base());
    }

    /**
     * Returns whether this server serves a name in this zone: the zone's name and the names below it, except the reverse names of
     * addresses that are not served, and the names below those.
     *
     * @param absolute the labels up to the root
     */
    public boolean serves(DnsLabels absolute) {
        Optional<DnsLabels> below = absolute.below(name);
        if (below.isEmpty() || below.get().isEmpty() || isWhole()) {
            return below.isPresent();
        }
        // The name of a partial zone is one label shorter than that of an address. This label, and all names below it,
        // belong to the address.
        return NameSchema.parseReverse(absolute.skip(below.get().count() - 1))
                .filter(address -> contains(address.base()))
                .isPresent();
    }

    /** Returns whether this server serves the reverse name of an address in this zone. */
    public boolean contains(IpAddress address) {
        return networks.stream().anyMatch(network -> network.contains(address));
    }
}
