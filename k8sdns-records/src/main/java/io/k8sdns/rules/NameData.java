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
 * name of an address exists if it has {@linkplain #ptrTargets PTR targets}.
 *
 * <p>A zone stores only the {@linkplain #packed packed} form of each name, one array. This class is a view of that array. A view is created
 * for one lookup and then dropped. Each call decodes its result again.
 */
@Internal
public final class NameData {
    /** Stands for a name that does not exist; see {@link #isAbsent}. */
    public static final NameData ABSENT = new NameData(new byte[] {0, 0});

    private final byte[] packed;

    /** The offset of the flags. */
    private final int flagsAt;

    /**
     * The port and target of an SRV record. Ordered by port, then target.
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
     * A text with a TTL of its own. Ordered by text, then TTL.
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
     * @param packed the result of {@link #packed}; not copied
     */
    public static NameData ofPacked(byte[] packed) {
        Objects.requireNonNull(packed, "packed");
        return new NameData(packed);
    }

    /**
     * Returns the packed form. It begins with {@link #firstName} in wire form, with the root label; the format of the rest is private to
     * this package. Equal data of one name have equal bytes, except for SRV records.
     *
     * @return the array itself, not a copy; the caller must not change it
     */
    public byte[] packed() {
        return packed;
    }

    /** Returns whether this is {@link #ABSENT}: the name does not exist. False for a name that exists without data. */
    @SuppressWarnings("ReferenceEquality") // A name that exists without data equals ABSENT.
    public boolean isAbsent() {
        return this == ABSENT;
    }

    /** Returns the data of a name that has one address and no other data. */
    public static NameData ofAddress(IpAddress address) {
        NameDataBuilder data = new NameDataBuilder();
        data.address(address);
        return data.build(DnsLabels.EMPTY);
    }

    /**
     * Returns these data with the addresses of other data added. Needed for an endpoint's hostname that is also the dashed form of an
     * address: the name has stored data and data from {@link RecordRules#synthesized}.
     *
     * @param other data with the addresses to add
     */
    public NameData merge(NameData other) {
        NameDataBuilder data = new NameDataBuilder(this);
        other.addresses().forEach(data::address);
        return data.build(firstName());
    }

    /** Returns the offset of the flags. */
    int flagsAt() {
        return flagsAt;
    }

    /** Returns whether all data is in these sections. */
    boolean hasOnly(int sections) {
        return (packed[flagsAt] & ~sections & 0xFF) == 0;
    }

    /** Returns the offset of the SRV records; there must be one. */
    int srvsAt() {
        return PackedName.afterCount(packed, PackedName.afterCount(packed, sectionAt(PackedName.SRV)));
    }

    /**
     * Returns the name at the start of the packed form, which the names after it refer to. Of a forward name these are its own labels; of
     * an address those of the first PTR target, else of the first Service, else none.
     */
    public DnsLabels firstName() {
        return DnsLabels.ofWire(packed, 0, flagsAt - 1);
    }

    /** Returns the flag of the section with the addresses of a family. */
    static int sectionBit(IpFamily family) {
        return family == IpFamily.IPV4 ? PackedName.A : PackedName.AAAA;
    }

    /** Returns the flag of the section with the records of a type; 0 for a type without a section. */
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

    /** Returns the number of addresses of a family. */
    public int addressCount(IpFamily family) {
        return hasSection(sectionBit(family)) ? PackedName.count(packed, sectionAt(sectionBit(family))) : 0;
    }

    /** Returns the weight of every SRV record of this name; 0 if there is none. */
    public int srvWeight() {
        return hasSection(PackedName.SRV) ? NameAssembly.srvWeight(srvPairs()) : 0;
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

    /** Returns the number of SRV records. */
    public int srvCount() {
        return hasSection(PackedName.SRV)
                ? PackedName.count(packed, PackedName.afterCount(packed, sectionAt(PackedName.SRV)))
                : 0;
    }

    /** Returns the PTR targets in canonical order, labels below the first forward zone. */
    public List<DnsLabels> ptrTargets() {
        return names(PackedName.PTR);
    }

    /**
     * Returns the data of an address with these PTR targets and nothing else.
     *
     * @param targets at least one, in canonical order
     */
    public static NameData ofPtrTargets(List<DnsLabels> targets) {
        NameDataBuilder builder = new NameDataBuilder();
        Copies.list("targets", targets).forEach(builder::ptrTarget);
        return builder.build(targets.get(0));
    }

    /**
     * Returns the candidates that were not chosen as {@link #ptrTargets() PTR targets}, best first. A view that hides all chosen targets
     * uses them. They are the endpoints, if a Service has this address as a cluster IP; with {@code ReversePolicy.ONE}, all but the chosen
     * one.
     */
    public List<DnsLabels> otherPtrCandidates() {
        return hasPtrTargets() ? namesAt(PackedName.afterNames(packed, sectionAt(PackedName.PTR))) : List.of();
    }

    /** Returns whether there is a PTR target. */
    public boolean hasPtrTargets() {
        return hasSection(PackedName.PTR);
    }

    /** Returns the target if this name is an alias: labels up to the root. */
    public Optional<DnsLabels> alias() {
        return hasSection(PackedName.CNAME)
                ? Optional.of(PackedName.name(packed, sectionAt(PackedName.CNAME)))
                : Optional.empty();
    }

    /** Returns the text of this name, if it has one. */
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

    /** Returns, for an address, the Services with a published endpoint that has it: labels below the zone, in order. */
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

    /** Returns the offset of the addresses of a family; there must be one. */
    int addressesAt(IpFamily family) {
        return PackedName.afterCount(packed, sectionAt(sectionBit(family)));
    }

    private byte[] address(IpFamily family, int index) {
        int at = addressesAt(family) + index * family.byteCount();
        return Arrays.copyOfRange(packed, at, at + family.byteCount());
    }

    /** Compares the data, but not the names. */
    @Override
    public boolean equals(Object other) {
        return other instanceof NameData data
                && (Arrays.equals(packed, data.packed)
                        || packed[flagsAt] == data.packed[data.flagsAt] && hasSameDataAs(data));
    }

    /** Returns whether a section has the same bytes as that of other data. */
    boolean hasSameSection(NameData other, int section) {
        // A section ends where the next one begins.
        return Arrays.equals(
                packed,
                sectionAt(section),
                sectionAt(section << 1),
                other.packed,
                other.sectionAt(section),
                other.sectionAt(section << 1));
    }

    private boolean hasSameDataAs(NameData other) {
        if (srvWeight() != other.srvWeight() || srvCount() != other.srvCount()) {
            return false;
        }
        if (flagsAt == other.flagsAt && Arrays.equals(packed, 0, flagsAt, other.packed, 0, flagsAt)) {
            // Equal data of one name have equal bytes, except for the SRV records.
            return Arrays.equals(packed, 0, sectionAt(PackedName.SRV), other.packed, 0, other.sectionAt(PackedName.SRV))
                    && (srvCount() == 0
                            || PackedSrvs.areEqual(packed, srvsAt(), other.packed, other.srvsAt(), srvCount()));
        }
        return addresses().equals(other.addresses())
                && srvs().equals(other.srvs())
                && ptrTargets().equals(other.ptrTargets())
                && otherPtrCandidates().equals(other.otherPtrCandidates())
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
        all.addAll(ptrTargets());
        alias().ifPresent(all::add);
        text().ifPresent(all::add);
        all.addAll(publishedBy());
        all.addAll(podNamespaces());
        return "NameData" + all;
    }
}
