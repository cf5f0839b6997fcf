package io.k8sdns.schema;

import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.model.Protocol;
import io.k8sdns.name.ClusterSearches;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import java.util.Objects;
import java.util.Optional;

/**
 * Converts labels to a {@link ClusterName} and back. Reading never throws: a name of no known form is a
 * {@link ClusterName.UnknownName}. Labels are compared as bytes, A to Z folded, so {@code svc\.default} is one label
 * and not two.
 *
 * <p>A name is read without its zone; {@link DnsLabels#below} removes the zone.
 *
 * <p>Source: DNS specification 1.1.0, sections 2.2 to 2.5; "DNS for Services and Pods"; RFC 1035, 3.5; RFC 3596, 2.5.
 */
@Internal
public final class NameSchema {
    /** The label of the parent of all Services' names. Defined in {@link ClusterSearches}, whose package cannot depend on this one. */
    public static final String SERVICES = ClusterSearches.SERVICES;

    /** The label of the parent of all pod names. */
    public static final String PODS = "pod";

    /** The domain that all reverse names are in. */
    public static final DnsLabels ARPA = DnsLabels.of("arpa");

    /** The domain of the reverse names of IPv4 addresses. */
    public static final DnsLabels IN_ADDR_ARPA = ARPA.prepend("in-addr");

    /** The domain of the reverse names of IPv6 addresses. */
    public static final DnsLabels IP6_ARPA = ARPA.prepend("ip6");

    private static final DnsLabels SERVICES_LABELS = DnsLabels.of(SERVICES);
    private static final DnsLabels PODS_LABELS = DnsLabels.of(PODS);

    /** The number of labels of a Service's name: Service, namespace, {@code svc}. */
    private static final int SERVICE_LABELS = 3;

    /** The number of labels of a name directly below a Service: that of an endpoint or of a protocol. */
    private static final int ENDPOINT_LABELS = SERVICE_LABELS + 1;

    /** The number of labels of a port's name: port, protocol, and those of the Service. */
    private static final int PORT_LABELS = SERVICE_LABELS + 2;

    /** The maximum number of labels of a name below {@code svc}, without that label: those of a port. */
    private static final int LONGEST_BELOW_SERVICES = PORT_LABELS - 1;

    private NameSchema() {}

    /**
     * Returns the meaning of a name.
     *
     * @param belowZone the labels below the zone; none for the apex
     */
    public static ClusterName parse(DnsLabels belowZone) {
        Objects.requireNonNull(belowZone, "belowZone");
        Optional<ClusterName.FixedName> fixed = ClusterName.FixedName.of(belowZone);
        if (fixed.isPresent()) {
            return fixed.get();
        }
        int count = belowZone.count();
        String branch = count < 2 ? "" : belowZone.foldedLabel(count - 1);
        Optional<? extends ClusterName> name = switch (branch) {
            case SERVICES -> parseService(belowZone, count);
            case PODS -> parsePod(belowZone, count);
            default -> Optional.empty();
        };
        return name.isPresent() ? name.get() : new ClusterName.UnknownName(belowZone);
    }

    /** Reads a name below {@code svc}: a namespace, a Service, a protocol, an endpoint or a port. */
    private static Optional<? extends ClusterName> parseService(DnsLabels labels, int count) {
        Optional<DnsLabel> namespace = DnsLabel.tryParse(labels.label(count - 2));
        if (count == 2) {
            return namespace.map(ClusterName.ServicesName::new);
        }
        Optional<ClusterName.ServiceName> service = namespace.flatMap(
                in -> DnsLabel.tryParse(labels.label(count - 3)).map(name -> new ClusterName.ServiceName(name, in)));
        return switch (count) {
            case SERVICE_LABELS -> service;
            case ENDPOINT_LABELS -> service.flatMap(owner -> parseBelowService(labels.label(0), owner));
            case PORT_LABELS -> service.flatMap(owner -> parsePort(labels, owner));
            default -> Optional.empty();
        };
    }

    private static Optional<? extends ClusterName> parseBelowService(String label, ClusterName.ServiceName service) {
        Optional<IpAddress> address = AddressLabels.parseEndpointLabel(label);
        if (address.isPresent()) {
            return Optional.of(new ClusterName.EndpointAddressName(address.get(), service));
        }
        Optional<Protocol> protocol = parseProtocol(label);
        if (protocol.isPresent()) {
            return Optional.of(new ClusterName.ProtocolName(protocol.get(), service));
        }
        return DnsLabel.tryParse(label).map(hostname -> new ClusterName.EndpointName(hostname, service));
    }

    /** A port needs both underscores: {@code _._tcp} and {@code http.tcp} are unknown names. */
    private static Optional<ClusterName.PortName> parsePort(DnsLabels labels, ClusterName.ServiceName service) {
        String port = labels.label(0);
        if (!ClusterName.PortName.isLabel(port)) {
            return Optional.empty();
        }
        return parseProtocol(labels.label(1))
                .flatMap(protocol -> DnsLabel.tryParse(port.substring(1))
                        .map(name -> new ClusterName.PortName(name, protocol, service)));
    }

    private static Optional<Protocol> parseProtocol(String label) {
        for (Protocol protocol : Protocol.values()) {
            if (protocol.label().equalsIgnoreCase(label)) {
                return Optional.of(protocol);
            }
        }
        return Optional.empty();
    }

    /** Reads a name below {@code pod}: a namespace, or the address of a Pod. */
    private static Optional<? extends ClusterName> parsePod(DnsLabels labels, int count) {
        Optional<DnsLabel> namespace = DnsLabel.tryParse(labels.label(count - 2));
        return switch (count) {
            case 2 -> namespace.map(ClusterName.PodsName::new);
            case 3 ->
                namespace.flatMap(in -> AddressLabels.parsePodLabel(labels.label(0))
                        .map(address -> new ClusterName.PodName(address, in)));
            default -> Optional.empty();
        };
    }

    /**
     * Returns whether the last label is {@code svc} or {@code pod}. If it is the last below the zone, the label before it is the
     * namespace that the name belongs to; every other name belongs to no namespace.
     */
    public static boolean endsInServicesOrPods(DnsLabels labels) {
        return labels.endsWith(SERVICES_LABELS) || labels.endsWith(PODS_LABELS);
    }

    /**
     * Returns whether a label is {@code svc} or {@code pod}; the same as {@link #endsInServicesOrPods(DnsLabels)}, of bytes in wire form.
     *
     * @param bytes holds the label
     * @param from where the label begins
     * @param to where it ends
     */
    public static boolean isServicesOrPods(byte[] bytes, int from, int to) {
        return SERVICES_LABELS.matches(bytes, from, to) || PODS_LABELS.matches(bytes, from, to);
    }

    /**
     * Returns whether labels can be a name below {@code svc}, such as {@code cart.shop}. They cannot if they are more than those of
     * {@code _postgres._tcp.db.shop}, the longest form there, or if the third of four is {@code svc} or {@code pod}: {@code
     * cart.shop.svc.example} is more likely a name of another zone than one of the Service {@code svc}.
     */
    public static boolean canBeBelowServices(DnsLabels labels) {
        int count = labels.count();
        return count < LONGEST_BELOW_SERVICES
                || count == LONGEST_BELOW_SERVICES
                        && (ClusterName.PortName.isLabel(labels.label(0)) || !endsInServicesOrPods(labels.first(3)));
    }

    /**
     * Returns whether labels have the form of an endpoint's name, {@code LABEL.SVC.NS.svc}: as many labels, and a first one without an
     * underscore, so that it is not a protocol. Reads nothing else.
     *
     * @param belowZone the labels below the zone
     */
    public static boolean canBeEndpoint(DnsLabels belowZone) {
        return belowZone.count() == ENDPOINT_LABELS && !ClusterName.PortName.isLabel(belowZone.label(0));
    }

    /** Returns whether labels have the form {@code [_PORT._PROTOCOL.]SVC.NS}. Does not check the characters of the labels. */
    public static boolean isServiceOrPort(DnsLabels labels) {
        int count = labels.count();
        return count == 2
                || count == LONGEST_BELOW_SERVICES
                        && ClusterName.PortName.isLabel(labels.label(0))
                        && ClusterName.PortName.isLabel(labels.label(1));
    }

    /** Returns whether labels have the form {@code NS.pod}. Does not check the characters of the namespace. */
    public static boolean isPods(DnsLabels belowZone) {
        return belowZone.count() == 2 && belowZone.endsWith(PODS_LABELS);
    }

    /** Returns the labels of a name below the zone; the same as {@link ClusterName#labels}. */
    public static DnsLabels format(ClusterName name) {
        Objects.requireNonNull(name, "name");
        return name.labels();
    }

    /**
     * Returns {@code NS.svc}, the parent of a namespace's Services.
     *
     * @throws InvalidNameException if the namespace is not a label
     */
    public static DnsLabels services(String namespace) {
        return DnsLabels.of(namespace, SERVICES);
    }

    /**
     * Returns {@code NS.pod}, the parent of a namespace's pod names.
     *
     * @throws InvalidNameException if the namespace is not a label
     */
    public static DnsLabels pods(String namespace) {
        return DnsLabels.of(namespace, PODS);
    }

    /**
     * Returns {@code SVC.NS.svc}, the name of a Service.
     *
     * @throws InvalidNameException if one of the two is not a label
     */
    public static DnsLabels service(String service, String namespace) {
        return DnsLabels.of(service, namespace, SERVICES);
    }

    /**
     * Returns {@code FED.svc}, the parent of a federation's names.
     *
     * @throws InvalidNameException if the federation is not a label
     */
    public static DnsLabels federation(String federation) {
        return DnsLabels.of(federation, SERVICES);
    }

    /**
     * Returns {@code SVC.NS.FED.svc}, the name of a Service of a federation.
     *
     * @throws InvalidNameException if one of the three is not a label
     */
    public static DnsLabels federatedService(String service, String namespace, String federation) {
        return DnsLabels.of(service, namespace, federation, SERVICES);
    }

    /**
     * Returns the addresses that a reverse name covers: one for a whole name (/32, /128), a network for a partial one,
     * all of a family for {@code in-addr.arpa} and {@code ip6.arpa}.
     *
     * <p>Octets are decimal without leading zeros, nibbles one hexadecimal digit of either case. Names of IPv4-mapped
     * addresses ({@code ::ffff:0:0/96}) are not reverse names: those addresses are IPv4 and have their names below
     * {@code in-addr.arpa}.
     *
     * @param absolute the labels up to the root
     * @return empty if the name is not a reverse name
     */
    public static Optional<IpNetwork> parseReverse(DnsLabels absolute) {
        Objects.requireNonNull(absolute, "absolute");
        Optional<DnsLabels> octets = absolute.below(IN_ADDR_ARPA);
        if (octets.isPresent()) {
            return parseReverse(octets.get(), new byte[4], 8);
        }
        return absolute.below(IP6_ARPA).flatMap(nibbles -> parseReverse(nibbles, new byte[16], 4));
    }

    /** Returns the address of a reverse name; empty for a partial reverse name, and for other names. */
    public static Optional<IpAddress> reverseAddress(DnsLabels absolute) {
        return parseReverse(absolute)
                .filter(network -> !isPartialReverse(network))
                .map(IpNetwork::base);
    }

    private static Optional<IpNetwork> parseReverse(DnsLabels parts, byte[] address, int bits) {
        int count = parts.count();
        if (count * bits > address.length * 8) {
            return Optional.empty();
        }
        byte[] wire = parts.toWire();
        int at = 0;
        // The first label is the last part of the address.
        for (int i = count - 1; i >= 0; i--) {
            int value = bits == 8 ? octet(wire, at) : nibble(wire, at);
            if (value < 0) {
                return Optional.empty();
            }
            address[i * bits / 8] |= (byte) (bits == 8 || i % 2 == 1 ? value : value << 4);
            at += 1 + wire[at];
        }
        IpAddress base = IpAddress.ofBytes(address);
        return base.family().byteCount() == address.length
                ? Optional.of(new IpNetwork(base, count * bits))
                : Optional.empty();
    }

    /**
     * Returns whether a reverse name is a partial one, which names a network and not one address.
     *
     * @param reverse the addresses that the name covers, as {@link #parseReverse(DnsLabels)} returns them
     */
    public static boolean isPartialReverse(IpNetwork reverse) {
        return reverse.hostBits() > 0;
    }

    /**
     * Returns the value of a label of an IPv4 reverse name, a decimal octet without leading zeros; -1 for another label.
     *
     * @param bytes holds the label in wire form
     * @param at the offset of its length byte
     */
    public static int octet(byte[] bytes, int at) {
        int digits = bytes[at];
        if (digits > 3 || digits > 1 && bytes[at + 1] == '0') {
            return -1;
        }
        int octet = 0;
        for (int i = at + 1; i <= at + digits; i++) {
            int digit = bytes[i] - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            octet = octet * 10 + digit;
        }
        return octet < 256 ? octet : -1;
    }

    /**
     * Returns the value of a label of an IPv6 reverse name, one hexadecimal digit of either case; -1 for another label.
     *
     * @param bytes holds the label in wire form
     * @param at the offset of its length byte
     */
    public static int nibble(byte[] bytes, int at) {
        return bytes[at] == 1 ? Character.digit(bytes[at + 1], 16) : -1;
    }

    /** Returns the reverse name of an address, absolute; see {@link #formatReverse}. */
    public static DnsLabels reverseName(IpAddress address) {
        return formatReverse(new IpNetwork(address, address.family().byteCount() * 8));
    }

    /**
     * Returns the reverse name of an address or a network.
     *
     * @param network a prefix that ends between two labels: a multiple of 8 bits for IPv4, of 4 for IPv6
     * @return the labels up to the root
     * @throws IllegalArgumentException if it ends within a label
     */
    public static DnsLabels formatReverse(IpNetwork network) {
        Objects.requireNonNull(network, "network");
        boolean ipv4 = network.base().isIpv4();
        int bits = ipv4 ? 8 : 4;
        if (network.prefixLength() % bits != 0) {
            throw new IllegalArgumentException("no reverse name ends within a label: " + network);
        }
        byte[] address = network.base().bytes();
        String[] labels = new String[network.prefixLength() / bits];
        for (int i = 0; i < labels.length; i++) {
            int unsigned = address[i * bits / 8] & 0xFF;
            labels[labels.length - 1 - i] = ipv4
                    ? Integer.toString(unsigned)
                    : Integer.toHexString(i % 2 == 0 ? unsigned >>> 4 : unsigned & 15);
        }
        return DnsLabels.of(labels).append(ipv4 ? IN_ADDR_ARPA : IP6_ARPA);
    }
}
