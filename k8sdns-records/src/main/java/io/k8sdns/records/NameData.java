package io.k8sdns.records;

import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.name.DnsLabels;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.PTRRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.SRVRecord;
import org.xbill.DNS.TXTRecord;
import org.xbill.DNS.Type;

/**
 * Everything a name owns, in no particular zone: sorted, without duplicates, immutable. What is empty here still exists
 * (NODATA); at an address, which is no name by itself, it is the {@linkplain #pointers PTR targets} that make the
 * reverse name exist.
 *
 * <p>One of these is kept for every name of a cluster, so it is small: addresses are raw octets, and a name that has
 * nothing else costs two objects. dnsjava's records are made for one question and not kept.
 */
public final class NameData {
    private static final byte[] NO_OCTETS = new byte[0];

    /**
     * Stands for a name that does not exist, where an {@code Optional} would cost an object per question; see
     * {@link #isAbsent}.
     */
    public static final NameData ABSENT = new NameData(NO_OCTETS, NO_OCTETS, Rest.NONE);

    private final byte[] ipv4;
    private final byte[] ipv6;
    private final Rest rest;

    /** What few names have. */
    private record Rest(
            int srvWeight,
            List<Srv> srvs,
            List<DnsLabels> pointers,
            Optional<DnsLabels> alias,
            Optional<Text> text,
            List<DnsLabels> publishedBy,
            List<String> podNamespaces) {
        static final Rest NONE =
                new Rest(0, List.of(), List.of(), Optional.empty(), Optional.empty(), List.of(), List.of());
    }

    /**
     * A port of a target. In order of port, then target.
     *
     * @param port the port number, 1 to 65535
     * @param target the target's labels below the owner's zone
     */
    public record Srv(int port, DnsLabels target) implements Comparable<Srv> {
        @Override
        public int compareTo(Srv other) {
            int byPort = Integer.compare(port, other.port);
            return byPort != 0 ? byPort : target.compareTo(other.target);
        }
    }

    /**
     * A text with a lifetime of its own. In order of text, then lifetime.
     *
     * @param text the text, at most 255 octets
     * @param ttlSeconds the lifetime in seconds
     */
    public record Text(String text, long ttlSeconds) implements Comparable<Text> {
        @Override
        public int compareTo(Text other) {
            int byText = text.compareTo(other.text);
            return byText != 0 ? byText : Long.compare(ttlSeconds, other.ttlSeconds);
        }
    }

    private NameData(byte[] ipv4, byte[] ipv6, Rest rest) {
        this.ipv4 = ipv4;
        this.ipv6 = ipv6;
        this.rest = rest.equals(Rest.NONE) ? Rest.NONE : rest;
    }

    /** Returns whether this is {@link #ABSENT}; a name that exists and owns nothing is not. */
    @SuppressWarnings("ReferenceEquality") // equal in what they own, and yet not the same
    public boolean isAbsent() {
        return this == ABSENT;
    }

    /** Returns what a name owns that has this address and nothing else. */
    static NameData ofAddress(IpAddress address) {
        List<IpAddress> only = List.of(address);
        return new NameData(octets(only, IpFamily.IPV4), octets(only, IpFamily.IPV6), Rest.NONE);
    }

    /**
     * Returns the same data with the addresses of both; everything else is this one's. For a hostname that spells an
     * address: what is stored at the name, and what {@link RecordRules#synthesized} finds by it.
     *
     * @param other data whose addresses to add
     */
    public NameData merge(NameData other) {
        List<IpAddress> addresses = new ArrayList<>(addresses());
        addresses.addAll(other.addresses());
        return new NameData(octets(addresses, IpFamily.IPV4), octets(addresses, IpFamily.IPV6), rest);
    }

    /** Returns the addresses in order, IPv4 before IPv6. */
    public List<IpAddress> addresses() {
        List<IpAddress> addresses = new ArrayList<>(addressCount(IpFamily.IPV4) + addressCount(IpFamily.IPV6));
        for (IpFamily family : IpFamily.values()) {
            for (int i = 0; i < addressCount(family); i++) {
                addresses.add(IpAddress.ofBytes(address(family, i)));
            }
        }
        return List.copyOf(addresses);
    }

    /** Returns how many addresses of a family there are. */
    public int addressCount(IpFamily family) {
        return octets(family).length / family.octets();
    }

    /**
     * Writes one address into somebody else's octets, in network order.
     *
     * @param family its family
     * @param index its place among the addresses of the family, from 0
     * @param octets has room for an address of the family from there on
     * @param at where to begin
     */
    public void copyAddress(IpFamily family, int index, byte[] octets, int at) {
        int length = family.octets();
        System.arraycopy(octets(family), index * length, octets, at, length);
    }

    /** Returns the weight that every SRV record here has; 0 if there is none. */
    public int srvWeight() {
        return rest.srvWeight;
    }

    /** Returns the ports and targets of the SRV records, in order. */
    public List<Srv> srvs() {
        return rest.srvs;
    }

    /** Returns the PTR targets in canonical order, labels below the first forward zone. */
    public List<DnsLabels> pointers() {
        return rest.pointers;
    }

    /** Returns the target of the alias that this name is, labels up to the root. */
    public Optional<DnsLabels> alias() {
        return rest.alias;
    }

    /** Returns the text that this name has. */
    public Optional<Text> text() {
        return rest.text;
    }

    /** Returns, for an address, the Services that publish it by an endpoint: labels below the zone, in order. */
    public List<DnsLabels> publishedBy() {
        return rest.publishedBy;
    }

    /** Returns, for an address, the namespaces of the Pods that have it, in order. */
    public List<String> podNamespaces() {
        return rest.podNamespaces;
    }

    /**
     * Returns whether there are records of a type: A, AAAA, SRV, PTR, CNAME or TXT.
     *
     * @param type the type number
     */
    public boolean has(int type) {
        return switch (type) {
            case Type.A -> ipv4.length > 0;
            case Type.AAAA -> ipv6.length > 0;
            case Type.SRV -> !rest.srvs.isEmpty();
            case Type.PTR -> !rest.pointers.isEmpty();
            case Type.CNAME -> rest.alias.isPresent();
            case Type.TXT -> rest.text.isPresent();
            default -> false;
        };
    }

    /**
     * Returns all record sets, in the order of their type numbers.
     *
     * @param owner the owner name, absolute
     * @param zone the zone that SRV and PTR targets are in
     * @param ttlSeconds the lifetime
     */
    public List<RecordSet> recordSets(Name owner, DnsLabels zone, long ttlSeconds) {
        return IntStream.of(Type.A, Type.CNAME, Type.PTR, Type.TXT, Type.AAAA, Type.SRV)
                .mapToObj(type -> recordSet(type, owner, zone, ttlSeconds))
                .flatMap(Optional::stream)
                .toList();
    }

    /**
     * Returns the record set of one type; empty if there is none.
     *
     * <p>A record whose target would be longer than 255 octets in this zone is left out.
     *
     * @param type the type number
     * @param owner the owner name, absolute
     * @param zone the zone that SRV and PTR targets are in
     * @param ttlSeconds the lifetime; a text has its own
     */
    public Optional<RecordSet> recordSet(int type, Name owner, DnsLabels zone, long ttlSeconds) {
        long ttl = type == Type.TXT ? rest.text.map(Text::ttlSeconds).orElse(ttlSeconds) : ttlSeconds;
        List<Record> records = records(type, owner, zone, ttl);
        return records.isEmpty() ? Optional.empty() : Optional.of(new RecordSet(owner, type, ttl, records));
    }

    private List<Record> records(int type, Name owner, DnsLabels zone, long ttl) {
        return switch (type) {
            case Type.A -> addresses(IpFamily.IPV4, octets -> new ARecord(owner, DClass.IN, ttl, inet(octets)));
            case Type.AAAA -> addresses(IpFamily.IPV6, octets -> new AAAARecord(owner, DClass.IN, ttl, inet(octets)));
            case Type.SRV ->
                rest.srvs.stream()
                        .filter(srv -> srv.target.fitsBelow(zone))
                        .<Record>map(srv -> new SRVRecord(
                                owner,
                                DClass.IN,
                                ttl,
                                0,
                                rest.srvWeight,
                                srv.port,
                                DnsNames.absolute(srv.target, zone)))
                        .toList();
            case Type.PTR ->
                rest.pointers.stream()
                        .filter(target -> target.fitsBelow(zone))
                        .<Record>map(target -> new PTRRecord(owner, DClass.IN, ttl, DnsNames.absolute(target, zone)))
                        .toList();
            case Type.CNAME ->
                rest.alias.stream()
                        .<Record>map(target -> new CNAMERecord(owner, DClass.IN, ttl, DnsNames.absolute(target)))
                        .toList();
            case Type.TXT ->
                rest.text.stream()
                        .<Record>map(text -> new TXTRecord(owner, DClass.IN, ttl, text.text))
                        .toList();
            default -> List.of();
        };
    }

    private List<Record> addresses(IpFamily family, Function<byte[], Record> record) {
        return IntStream.range(0, addressCount(family))
                .mapToObj(index -> record.apply(address(family, index)))
                .toList();
    }

    private byte[] octets(IpFamily family) {
        return family == IpFamily.IPV4 ? ipv4 : ipv6;
    }

    private byte[] address(IpFamily family, int index) {
        return Arrays.copyOfRange(octets(family), index * family.octets(), (index + 1) * family.octets());
    }

    private static InetAddress inet(byte[] octets) {
        try {
            return InetAddress.getByAddress(octets);
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Returns the octets of the addresses of a family one after another: sorted, each once. */
    private static byte[] octets(Collection<IpAddress> addresses, IpFamily family) {
        List<IpAddress> ofFamily = new ArrayList<>(addresses.size());
        for (IpAddress address : addresses) {
            if (address.family() == family) {
                ofFamily.add(address);
            }
        }
        List<IpAddress> sorted = sorted(ofFamily);
        byte[] octets = sorted.isEmpty() ? NO_OCTETS : new byte[sorted.size() * family.octets()];
        for (int i = 0; i < sorted.size(); i++) {
            System.arraycopy(sorted.get(i).bytes(), 0, octets, i * family.octets(), family.octets());
        }
        return octets;
    }

    /** Returns what is in a list of the caller's own, sorted, each once; most lists are empty or hold one thing. */
    private static <T extends Comparable<T>> List<T> sorted(List<T> list) {
        return switch (list.size()) {
            case 0 -> List.of();
            case 1 -> List.of(list.get(0));
            default -> {
                // A list sort and no tree: the thousands of a large Service come in runs that are sorted already.
                list.sort(null);
                List<T> distinct = new ArrayList<>(list.size());
                for (T one : list) {
                    if (distinct.isEmpty() || !distinct.get(distinct.size() - 1).equals(one)) {
                        distinct.add(one);
                    }
                }
                yield List.copyOf(distinct);
            }
        };
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NameData data
                && Arrays.equals(ipv4, data.ipv4)
                && Arrays.equals(ipv6, data.ipv6)
                && rest.equals(data.rest);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * Arrays.hashCode(ipv4) + Arrays.hashCode(ipv6)) + rest.hashCode();
    }

    @Override
    public String toString() {
        return "NameData" + addresses() + rest;
    }

    /** Collects what a name owns, in any order, with repetitions. */
    static final class Builder {
        private final List<IpAddress> addresses = new ArrayList<>();
        private final List<Srv> srvs = new ArrayList<>();
        private final List<DnsLabels> pointers = new ArrayList<>();
        private final List<DnsLabels> aliases = new ArrayList<>();
        private final List<Text> texts = new ArrayList<>();
        private final List<DnsLabels> publishedBy = new ArrayList<>();
        private final List<String> podNamespaces = new ArrayList<>();
        private int srvWeight;

        void address(IpAddress address) {
            addresses.add(address);
        }

        void srvWeight(int weight) {
            srvWeight = weight;
        }

        void srv(int port, DnsLabels target) {
            srvs.add(new Srv(port, target));
        }

        void pointer(DnsLabels target) {
            pointers.add(target);
        }

        void alias(DnsLabels target) {
            aliases.add(target);
        }

        void text(String text, long ttlSeconds) {
            texts.add(new Text(text, ttlSeconds));
        }

        void publishedBy(DnsLabels service) {
            publishedBy.add(service);
        }

        void podNamespace(String namespace) {
            podNamespaces.add(namespace);
        }

        NameData build() {
            return new NameData(
                    octets(addresses, IpFamily.IPV4),
                    octets(addresses, IpFamily.IPV6),
                    new Rest(
                            srvWeight,
                            sorted(srvs),
                            sorted(pointers),
                            sorted(aliases).stream().findFirst(),
                            sorted(texts).stream().findFirst(),
                            sorted(publishedBy),
                            sorted(podNamespaces)));
        }
    }
}
