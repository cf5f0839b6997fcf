package io.k8sdns.rules;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.name.DnsLabels;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.xbill.DNS.Type;

/**
 * The data of a name, independent of the zone: sorted, without duplicates, immutable. A name without data exists (NODATA); the reverse
 * name of an address exists if it has {@linkplain #pointers PTR targets}.
 *
 * <p>What a zone keeps for every name is the {@linkplain #packed packed} form, one array; this is a view of it, made for
 * one question, as are dnsjava's records, and not kept. Lists are made anew with each call.
 */
@Internal
public final class NameData {
    /** Stands for a name that does not exist; see {@link #isAbsent}. */
    public static final NameData ABSENT = new NameData(new byte[] {0, 0});

    private final byte[] packed;

    /** The offset of the flags. */
    private final int flagsAt;

    /**
     * A port of a target. In order of port, then target.
     *
     * @param port the port number, 1 to 65535
     * @param target the target's labels below the owner's zone
     */
    public record Srv(int port, DnsLabels target) implements Comparable<Srv> {
        /** Checks that nothing is null. */
        public Srv {
            Objects.requireNonNull(target, "target");
        }

        @Override
        public int compareTo(Srv other) {
            int byPort = Integer.compare(port, other.port);
            return byPort != 0 ? byPort : target.compareTo(other.target);
        }
    }

    /**
     * A text with a TTL of its own. In order of text, then TTL.
     *
     * @param text the text, at most 255 bytes
     * @param ttlSeconds the TTL in seconds
     */
    public record Text(String text, long ttlSeconds) implements Comparable<Text> {
        /** Checks that nothing is null. */
        public Text {
            Objects.requireNonNull(text, "text");
        }

        @Override
        public int compareTo(Text other) {
            int byText = text.compareTo(other.text);
            return byText != 0 ? byText : Long.compare(ttlSeconds, other.ttlSeconds);
        }
    }

    private NameData(byte[] packed) {
        this(packed, PackedName.flagsAt(packed));
    }

    NameData(byte[] packed, int flagsAt) {
        this.packed = packed;
        this.flagsAt = flagsAt;
    }

    /**
     * Returns a view of a packed form.
     *
     * @param packed what {@link #packed} gave; not copied
     */
    public static NameData ofPacked(byte[] packed) {
        Objects.requireNonNull(packed, "packed");
        return new NameData(packed);
    }

    /**
     * Returns the one array that this is kept in, which begins with the name that it was made for: labels in wire form
     * and the root label. What follows is this package's own. Equal data at one name are equal bytes, except for
     * SRV records.
     *
     * @return not a copy, and not to be changed
     */
    public byte[] packed() {
        return packed;
    }

    /** Returns whether this is {@link #ABSENT}; a name that exists and owns nothing is not. */
    @SuppressWarnings("ReferenceEquality") // equal in what they own, and yet not the same
    public boolean isAbsent() {
        return this == ABSENT;
    }

    /** Returns what a name owns that has this address and nothing else. */
    public static NameData ofAddress(IpAddress address) {
        NameDataBuilder data = new NameDataBuilder();
        data.address(address);
        return data.build(DnsLabels.EMPTY);
    }

    /**
     * Returns this data with the addresses of other data added: for a hostname that spells an address, the stored data and those of
     * {@link RecordRules#synthesized}.
     *
     * @param other data whose addresses to add
     */
    public NameData merge(NameData other) {
        NameDataBuilder data = new NameDataBuilder(this);
        other.addresses().forEach(data::address);
        return data.build(name());
    }

    /** Returns the offset of the flags. */
    int flagsAt() {
        return flagsAt;
    }

    /** Returns whether all data are in these sections. */
    boolean hasOnly(int sections) {
        return (packed[flagsAt] & ~sections & 0xFF) == 0;
    }

    /** Returns the offset of the SRV records; there must be one. */
    int srvsAt() {
        return PackedName.afterCount(packed, PackedName.afterCount(packed, sectionAt(PackedName.SRV)));
    }

    /** Returns the labels of the name that this was made for; of an address those of a name that it knows, or none. */
    public DnsLabels name() {
        return DnsLabels.ofWire(packed, 0, flagsAt - 1);
    }

    /** Returns the bit of a family's addresses. */
    static int sectionBit(IpFamily family) {
        return family == IpFamily.IPV4 ? PackedName.A : PackedName.AAAA;
    }

    /** Returns the bit of a type's records; 0 for a type that no name here has. */
    static int sectionBit(int type) {
        return switch (type) {
            case Type.A -> PackedName.A;
            case Type.AAAA -> PackedName.AAAA;
            case Type.SRV -> PackedName.SRV;
            case Type.PTR -> PackedName.PTR;
            case Type.CNAME -> PackedName.CNAME;
            case Type.TXT -> PackedName.TXT;
            default -> 0;
        };
    }

    private boolean hasSection(int section) {
        return (packed[flagsAt] & section) != 0;
    }

    private int sectionAt(int section) {
        return PackedName.sectionAt(packed, flagsAt, section);
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
        return hasSection(sectionBit(family)) ? PackedName.count(packed, sectionAt(sectionBit(family))) : 0;
    }

    /** Returns the weight that every SRV record here has; 0 if there is none. */
    public int srvWeight() {
        return hasSection(PackedName.SRV) ? RecordRules.srvWeight(srvPairs()) : 0;
    }

    /** Returns the number of distinct pairs of address and port, from which the weight is computed. */
    int srvPairs() {
        return hasSection(PackedName.SRV) ? PackedName.count(packed, sectionAt(PackedName.SRV)) : 0;
    }

    /** Returns the ports and targets of the SRV records, in order. */
    public List<Srv> srvs() {
        if (!hasSection(PackedName.SRV)) {
            return List.of();
        }
        return List.copyOf(PackedSrvs.read(packed, srvsAt(), srvCount()));
    }

    /** Returns how many SRV records there are. */
    public int srvCount() {
        return hasSection(PackedName.SRV)
                ? PackedName.count(packed, PackedName.afterCount(packed, sectionAt(PackedName.SRV)))
                : 0;
    }

    /** Returns the PTR targets in canonical order, labels below the first forward zone. */
    public List<DnsLabels> pointers() {
        return names(PackedName.PTR);
    }

    /**
     * Returns the data of an address with these PTR targets and nothing else.
     *
     * @param targets at least one, in canonical order
     */
    public static NameData ofPointers(List<DnsLabels> targets) {
        NameDataBuilder builder = new NameDataBuilder();
        Copies.list("targets", targets).forEach(builder::pointer);
        return builder.build(targets.get(0));
    }

    /**
     * Returns the candidates that were not chosen as {@link #pointers() PTR targets}, best first: endpoints, if Services have this address as
     * a cluster IP, and all but one, if {@code ReversePolicy.ONE} chose one. Views that hide the chosen targets use these.
     */
    public List<DnsLabels> otherPointers() {
        return hasPointers() ? namesAt(PackedName.afterNames(packed, sectionAt(PackedName.PTR))) : List.of();
    }

    /** Returns whether there is a PTR target. */
    public boolean hasPointers() {
        return hasSection(PackedName.PTR);
    }

    /** Returns the target of the alias that this name is, labels up to the root. */
    public Optional<DnsLabels> alias() {
        return hasSection(PackedName.CNAME)
                ? Optional.of(PackedName.name(packed, sectionAt(PackedName.CNAME)))
                : Optional.empty();
    }

    /** Returns the text that this name has. */
    public Optional<Text> text() {
        if (!hasSection(PackedName.TXT)) {
            return Optional.empty();
        }
        StoredName stored = new StoredName();
        stored.moveTo(packed);
        byte[] text = new byte[stored.textLength()];
        stored.copyText(text, 0);
        return Optional.of(new Text(new String(text, StandardCharsets.ISO_8859_1), stored.textTtlSeconds()));
    }

    /** Returns, for an address, the Services that publish it by an endpoint: labels below the zone, in order. */
    public List<DnsLabels> publishedBy() {
        return names(PackedName.SERVICES);
    }

    /** Returns, for an address, the namespaces of the Pods that have it, in order. */
    public List<String> podNamespaces() {
        return names(PackedName.PODS).stream().map(name -> name.label(0)).toList();
    }

    private List<DnsLabels> names(int section) {
        return hasSection(section) ? namesAt(sectionAt(section)) : List.of();
    }

    private List<DnsLabels> namesAt(int list) {
        int at = list;
        DnsLabels[] names = new DnsLabels[PackedName.count(packed, at)];
        at = PackedName.afterCount(packed, at);
        for (int i = 0; i < names.length; i++) {
            names[i] = PackedName.name(packed, at);
            at = PackedName.afterName(packed, at);
        }
        return List.of(names);
    }

    /**
     * Returns whether there are records of a type: A, AAAA, SRV, PTR, CNAME or TXT.
     *
     * @param type the type number
     */
    public boolean has(int type) {
        return hasSection(sectionBit(type));
    }

    /**
     * Returns the records that these data give in a zone.
     *
     * @param zone the zone that SRV and PTR targets are in
     */
    public NameRecords in(DnsLabels zone) {
        return new NameRecords(this, zone);
    }

    /** Returns where the addresses of a family begin, of which there is one at least. */
    int addressesAt(IpFamily family) {
        return PackedName.afterCount(packed, sectionAt(sectionBit(family)));
    }

    private byte[] address(IpFamily family, int index) {
        int at = addressesAt(family) + index * family.byteCount();
        return Arrays.copyOfRange(packed, at, at + family.byteCount());
    }

    /** Compares the data; the name does not count. */
    @Override
    public boolean equals(Object other) {
        return other instanceof NameData data
                && (Arrays.equals(packed, data.packed)
                        || packed[flagsAt] == data.packed[data.flagsAt] && ownsTheSameAs(data));
    }

    /** Returns whether a section has the same bytes as that of other data. */
    boolean hasSameSection(NameData other, int section) {
        return Arrays.equals(
                packed,
                sectionAt(section),
                sectionAt(section << 1),
                other.packed,
                other.sectionAt(section),
                other.sectionAt(section << 1));
    }

    private boolean ownsTheSameAs(NameData other) {
        if (srvWeight() != other.srvWeight() || srvCount() != other.srvCount()) {
            return false;
        }
        if (flagsAt == other.flagsAt && Arrays.equals(packed, 0, flagsAt, other.packed, 0, flagsAt)) {
            // Equal data of one name are equal bytes, except for the SRV records.
            return Arrays.equals(packed, 0, sectionAt(PackedName.SRV), other.packed, 0, other.sectionAt(PackedName.SRV))
                    && (srvCount() == 0
                            || PackedSrvs.areEqual(packed, srvsAt(), other.packed, other.srvsAt(), srvCount()));
        }
        return addresses().equals(other.addresses())
                && srvs().equals(other.srvs())
                && pointers().equals(other.pointers())
                && otherPointers().equals(other.otherPointers())
                && alias().equals(other.alias())
                && text().equals(other.text())
                && publishedBy().equals(other.publishedBy())
                && podNamespaces().equals(other.podNamespaces());
    }

    @Override
    public int hashCode() {
        return 31 * addresses().hashCode() + packed[flagsAt];
    }

    @Override
    public String toString() {
        List<Object> all = new ArrayList<>(addresses());
        if (hasSection(PackedName.SRV)) {
            all.add("weight " + srvWeight());
        }
        all.addAll(srvs());
        all.addAll(pointers());
        alias().ifPresent(all::add);
        text().ifPresent(all::add);
        all.addAll(publishedBy());
        all.addAll(podNamespaces());
        return "NameData" + all;
    }
}
