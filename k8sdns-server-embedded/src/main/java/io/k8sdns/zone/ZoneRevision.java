package io.k8sdns.zone;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.rules.NameData;
import io.k8sdns.rules.OwnerName;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.rules.StoredName;
import io.k8sdns.schema.NameSchema;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Name;

/**
 * An immutable snapshot of all names and records of a zone. A query reads all its data from one revision.
 *
 * <p>A name exists if it owns a record or if a name below it does (RFC 4592, 2.2.2; RFC 8020). The apex, {@code svc}, {@code pod},
 * {@code NS.svc} and, unless pod names are disabled, {@code NS.pod} exist, too. An existing name without records of the type is NODATA,
 * any other name is NXDOMAIN.
 */
public final class ZoneRevision {
    private final RecordRules rules;
    private final ServedZones zones;
    private final NameTable names;
    private final AddressTable addresses;
    private final SoaSerial serial;

    ZoneRevision(RecordRules rules, ServedZones zones, NameTable names, AddressTable addresses, SoaSerial serial) {
        this.rules = rules;
        this.zones = zones;
        this.names = names;
        this.addresses = addresses;
        this.serial = serial;
    }

    ZoneRevision with(NameTable newNames, AddressTable newAddresses) {
        return new ZoneRevision(rules, zones, newNames, newAddresses, serial);
    }

    ZoneRevision with(SoaSerial newSerial) {
        return new ZoneRevision(rules, zones, names, addresses, newSerial);
    }

    /**
     * Returns the number of stored names in one forward zone: names that own records and their parent names. Does not count reverse
     * names and names that are synthesized from addresses.
     */
    public int nameCount() {
        return names.size();
    }

    NameTable names() {
        return names;
    }

    AddressTable addresses() {
        return addresses;
    }

    ServedZones servedZones() {
        return zones;
    }

    SoaSerial serialNumber() {
        return serial;
    }

    /** Returns a new batch of changes based on this revision, which remains unchanged. */
    ChangeBatch edit() {
        return new ChangeBatch(rules, names, addresses);
    }

    /** Returns the settings of the zone. */
    public ZoneSettings settings() {
        return rules.settings();
    }

    /** Returns the rules that derive the records. */
    @Internal
    @SuppressWarnings("exports")
    public RecordRules rules() {
        return rules;
    }

    /**
     * Returns the SOA serial of this revision, an unsigned 32-bit number. It increases exactly when a record changes. Another zone
     * object with equal records may have another serial.
     */
    public long serial() {
        return serial.value();
    }

    /**
     * Looks up a name below any of the forward zones.
     *
     * <p>All forward zones have the same names, except names at or above the apex of a longer served zone: see {@link #isAboveZone}.
     *
     * @param belowZone the labels below the zone; empty for the apex
     * @param type the type number
     */
    @Internal
    public ZoneLookup lookup(DnsLabels belowZone, int type) {
        return toLookup(data(belowZone), type);
    }

    /**
     * Looks up a reverse name.
     *
     * <p>{@code RecordRules.hasReverseName} decides which reverse names exist. The result does not depend on the served reverse zones: the
     * caller checks whether the address is served. This is also enough for a zone that serves only a part of its /24 or /124: only one
     * label, that of an address, is below its name.
     *
     * @param reverse one address, or the network of a partial reverse name
     * @param type the type number
     */
    @Internal
    public ZoneLookup lookup(IpNetwork reverse, int type) {
        if (NameSchema.isPartialReverse(reverse)) {
            return addresses.hasReverseNameIn(reverse) ? new ZoneLookup.NoData() : new ZoneLookup.NoSuchName();
        }
        NameData data = at(reverse.base());
        return toLookup(data != null && RecordRules.hasReverseName(data) ? data : null, type);
    }

    /**
     * Looks up a reverse name for a view that hides some PTR targets. The name of a network always exists: finding a visible address
     * in it would have a cost proportional to the hidden ones.
     *
     * @param isVisible whether the view shows a target
     */
    ZoneLookup lookup(IpNetwork reverse, int type, Predicate<DnsLabels> isVisible) {
        if (NameSchema.isPartialReverse(reverse)) {
            return new ZoneLookup.NoData();
        }
        byte[] packed = addresses.get(reverse.base());
        return toLookup(
                packed == null
                        ? null
                        : rules.visible(NameData.ofPacked(packed), isVisible).orElse(null),
                type);
    }

    /**
     * Restricts the PTR targets at a cursor to the visible ones.
     *
     * @param found the cursor, at an address with PTR targets
     * @param isVisible whether the view shows a target
     * @return whether a target is visible; if not, the cursor does not move
     */
    boolean showPtrTargets(StoredName found, Predicate<DnsLabels> isVisible) {
        Optional<NameData> visible = rules.visible(NameData.ofPacked(found.packed()), isVisible);
        visible.ifPresent(data -> found.moveTo(data.packed()));
        return visible.isPresent();
    }

    /**
     * Moves a cursor to the stored data of a name below any of the forward zones; allocates nothing.
     *
     * <p>Pod names and dashed names of endpoints are not stored; {@link #lookup(DnsLabels, int)} synthesizes them.
     *
     * @param bytes holds the labels below the zone in wire form, in upper or lower case
     * @param from the offset of the first length byte
     * @param to the end of the last label, exclusive
     * @param found the cursor; does not move if the name is not stored
     * @return whether the name is stored
     */
    @Internal
    @SuppressWarnings("exports")
    public boolean moveToName(byte[] bytes, int from, int to, StoredName found) {
        byte[] packed = names.get(bytes, from, to);
        if (packed == null) {
            return false;
        }
        found.moveTo(packed, to - from);
        return true;
    }

    /**
     * Moves a cursor to the data of the reverse name of an address; allocates nothing.
     *
     * @param high the upper 64 bits of an IPv6 address; 0 for IPv4
     * @param low its lower 64 bits, or an IPv4 address as an unsigned 32-bit number
     * @param found the cursor; moves to the address if it is stored, even if its reverse name does not exist
     * @return whether the reverse name exists
     */
    @Internal
    @SuppressWarnings("exports")
    public boolean moveToReverseName(IpFamily family, long high, long low, StoredName found) {
        byte[] packed = addresses.get(family, high, low);
        if (packed == null) {
            return false;
        }
        found.moveTo(packed);
        return RecordRules.hasReverseName(found);
    }

    /** Returns the data of an address; null if it is not stored. */
    @Nullable
    NameData at(IpAddress address) {
        return data(addresses.get(address));
    }

    private static @Nullable NameData data(byte @Nullable [] packed) {
        return packed == null ? null : NameData.ofPacked(packed);
    }

    private static ZoneLookup toLookup(@Nullable NameData data, int type) {
        if (data == null) {
            return new ZoneLookup.NoSuchName();
        }
        if (data.alias().isPresent()) {
            return new ZoneLookup.Alias(data, data.alias().get());
        }
        return data.has(type) ? new ZoneLookup.Found(data) : new ZoneLookup.NoData();
    }

    /** Returns the stored and synthesized data of a name below the forward zones; null if it does not exist. */
    @Nullable
    NameData data(DnsLabels labels) {
        NameData stored = data(names.get(labels));
        NameData synthesized = synthesized(labels);
        return stored == null ? synthesized : synthesized == null ? stored : stored.merge(synthesized);
    }

    /** Returns the stored data of a name; null if it is not stored. */
    @Nullable
    NameData stored(OwnerName name) {
        if (name instanceof OwnerName.Forward forward) {
            return data(names.get(forward.labels()));
        }
        if (name instanceof OwnerName.Reverse reverse) {
            return at(reverse.address());
        }
        throw new AssertionError(name);
    }

    /** Returns the data of a pod name or dashed endpoint name, synthesized from the address in it; null if there is none. */
    private @Nullable NameData synthesized(DnsLabels labels) {
        if (!RecordRules.canBeSynthesized(labels) || names.get(RecordRules.parentOfSynthesized(labels)) == null) {
            return null;
        }
        return rules.synthesized(labels, address -> Optional.ofNullable(at(address)))
                .orElse(null);
    }

    /**
     * Returns whether a served zone lies below a name. The name then exists, even if the enclosing zone stores nothing at it.
     *
     * @param absolute the labels up to the root
     */
    @Internal
    public boolean isAboveZone(DnsLabels absolute) {
        return zones.isAbove(absolute);
    }

    /** Returns the zones that have records: the forward zones, then the reverse zones with a PTR record. */
    public List<DnsLabels> zones() {
        return new ZoneListing(this).zones();
    }

    /**
     * Returns all records of one zone: SOA, NS, the addresses of the name server, then the others by owner (RFC 4034,
     * 6.1), type number and data.
     *
     * <p>Includes dashed endpoint names and the pod names of existing Pods, each in its canonical spelling. Omits names that belong to
     * a longer served zone, names longer than 255 bytes, names without records, and pod names of addresses that no Pod has.
     *
     * <p>Cost: each call sorts all names.
     *
     * @param zone a forward or reverse zone of the settings
     * @throws IllegalArgumentException if it is not one of them
     */
    public List<RecordSet> recordSets(DnsLabels zone) {
        return new ZoneListing(this).recordSets(zone);
    }

    /** Returns whether the answer for a name and type has records. For ANY: whether the name exists (RFC 8482). */
    boolean has(Name absolute, RecordType type) {
        DnsLabels labels = DnsNames.labels(absolute);
        Optional<DnsLabels> served = zones.zoneOf(labels);
        if (served.isEmpty()) {
            return false;
        }
        DnsLabels zone = served.get();
        boolean isAny = type.equals(RecordType.ANY);
        if (labels.equals(zone) && (isAny || RecordRules.isApexType(type.number())) || isAny && isAboveZone(labels)) {
            return true;
        }
        ZoneLookup lookup = settings().zones().contains(zone)
                ? lookup(labels.below(zone).orElseThrow(), type.number())
                : NameSchema.parseReverse(labels)
                        .map(network -> lookup(network, type.number()))
                        .orElseGet(ZoneLookup.NoSuchName::new);
        if (isAny) {
            return !(lookup instanceof ZoneLookup.NoSuchName);
        }
        return lookup instanceof ZoneLookup.Alias
                || lookup instanceof ZoneLookup.Found found
                        && found.data()
                                .in(rules.targetZone(zone))
                                .recordSet(type.number(), absolute, 0)
                                .isPresent();
    }

    /** Returns the absolute names whose answers depend on the data of a stored name, in every zone that they belong to. */
    Stream<Name> namesOf(OwnerName stored) {
        if (stored instanceof OwnerName.Forward forward) {
            return absolute(forward.labels());
        }
        if (stored instanceof OwnerName.Reverse reverse) {
            NameData data = at(reverse.address());
            Stream<Name> spelled = data == null
                    ? Stream.empty()
                    : rules.synthesizedNames(reverse.address(), data).stream().flatMap(this::absolute);
            return zones.reverseZoneOf(reverse.address()).isEmpty() || data == null || !RecordRules.hasReverseName(data)
                    ? spelled
                    : Stream.concat(Stream.of(DnsNames.absolute(NameSchema.reverseName(reverse.address()))), spelled);
        }
        throw new AssertionError(stored);
    }

    private Stream<Name> absolute(DnsLabels belowZone) {
        return settings().zones().stream()
                .filter(zone -> rules.owns(zone, belowZone))
                .map(zone -> DnsNames.absolute(belowZone, zone));
    }

    /** Returns serial and size, for logs. */
    @Override
    public String toString() {
        return "ZoneRevision[serial " + serial() + ", " + nameCount() + " names]";
    }

    /** Calls an action for every stored name with its data, in no particular order. */
    @Internal
    @SuppressWarnings("exports")
    public void forEach(BiConsumer<OwnerName, NameData> action) {
        names.forEach(packed -> {
            NameData data = NameData.ofPacked(packed);
            action.accept(new OwnerName.Forward(data.firstName()), data);
        });
        addresses.forEach(
                (address, packed) -> action.accept(new OwnerName.Reverse(address), NameData.ofPacked(packed)));
    }
}
