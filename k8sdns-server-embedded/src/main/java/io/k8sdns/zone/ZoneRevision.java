package io.k8sdns.zone;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.rules.NameData;
import io.k8sdns.rules.OwnerName;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.rules.StoredName;
import io.k8sdns.schema.NameSchema;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Name;
import org.xbill.DNS.Type;

/**
 * An immutable snapshot of all names and records of a zone. A query reads all its data from one revision.
 *
 * <p>A name exists if it owns a record or if a name below it does (RFC 4592, 2.2.2; RFC 8020). The apex, {@code svc}, {@code
 * pod}, {@code NS.svc} and {@code NS.pod} exist, too. An existing name without records of the type is NODATA, any other name is
 * NXDOMAIN.
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
     * <p>The name of a network exists if the name of an address in it does ({@link RecordRules#hasReverseName(NameData)}). The result does not depend on the served reverse zones: the caller
     * checks whether the address is served. That is enough also for a zone with fewer addresses than its name covers (a network
     * longer than /24 or /124), because its name is only one label shorter than an address's.
     *
     * @param reverse one address, or the network of a partial reverse name
     * @param type the type number
     */
    @Internal
    public ZoneLookup lookup(IpNetwork reverse, int type) {
        if (reverse.prefixLength() < reverse.base().family().byteCount() * 8) {
            return addresses.hasPointer(reverse) ? new ZoneLookup.NoData() : new ZoneLookup.NoSuchName();
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
        if (reverse.prefixLength() < reverse.base().family().byteCount() * 8) {
            return new ZoneLookup.NoData();
        }
        byte[] packed = addresses.get(reverse.base());
        List<DnsLabels> targets = packed == null ? List.of() : targets(packed, isVisible);
        return toLookup(targets.isEmpty() ? null : NameData.ofPointers(targets), type);
    }

    /**
     * Restricts the PTR targets at a cursor to the visible ones.
     *
     * @param found the cursor, at an address with PTR targets
     * @param isVisible whether the view shows a target
     * @return whether a target is visible; if not, the cursor does not move
     */
    boolean showPointers(StoredName found, Predicate<DnsLabels> isVisible) {
        List<DnsLabels> targets = targets(found.packed(), isVisible);
        if (targets.isEmpty()) {
            return false;
        }
        found.moveTo(NameData.ofPointers(targets).packed());
        return true;
    }

    private List<DnsLabels> targets(byte[] packed, Predicate<DnsLabels> isVisible) {
        return rules.reverseTargets(NameData.ofPacked(packed), isVisible);
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
    private @Nullable NameData at(IpAddress address) {
        return data(addresses.get(address));
    }

    private static @Nullable NameData data(byte @Nullable [] packed) {
        return packed == null ? null : NameData.ofPacked(packed);
    }

    /**
     * Returns whether another served zone lies below a zone.
     *
     * @param zone a served zone, absolute
     */
    @Internal
    public boolean hasZonesBelow(DnsLabels zone) {
        return zones.hasZonesBelow(zone);
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

    /** Returns the stored and synthesized data of a name; null if it does not exist. */
    private @Nullable NameData data(DnsLabels labels) {
        NameData stored = data(names.get(labels));
        NameData synthesized = synthesized(labels);
        return stored == null ? synthesized : synthesized == null ? stored : stored.merge(synthesized);
    }

    /** Returns the data of a pod name or dashed endpoint name, synthesized from the address in it; null if there is none. */
    private @Nullable NameData synthesized(DnsLabels labels) {
        if (!RecordRules.canBeSynthesized(labels) || names.get(RecordRules.parentOfSynthesized(labels)) == null) {
            return null;
        }
        return rules.synthesized(NameSchema.parse(labels), address -> Optional.ofNullable(at(address)))
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
        return Stream.concat(
                        settings().zones().stream(),
                        reverseZones().filter(zone -> !reverseNames(zone).isEmpty()))
                .toList();
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
        Map<DnsLabels, NameData> owned;
        DnsLabels nameServer = RecordRules.nameServer(zone);
        if (settings().zones().contains(zone)) {
            owned = forwardNames(zone);
        } else if (reverseZones().anyMatch(zone::equals)) {
            owned = reverseNames(zone);
        } else {
            throw new IllegalArgumentException("not a zone that is served: " + zone);
        }
        List<RecordSet> sets = new ArrayList<>();
        sets.add(rules.startOfAuthority(zone, serial(), settings().startOfAuthorityTtlSeconds()));
        sets.add(rules.nameServers(zone));
        NameData glue = owned.remove(nameServer);
        if (glue != null) {
            sets.addAll(recordSets(nameServer, glue, zone));
        }
        owned.forEach((name, data) -> sets.addAll(recordSets(name, data, zone)));
        return sets;
    }

    /** Returns whether the answer for a name and type has records. For ANY it has if the name exists (RFC 8482). */
    boolean has(Name absolute, RecordType type) {
        DnsLabels labels = DnsNames.labels(absolute);
        if ((type.number() == Type.SOA || type.number() == Type.NS) && zones().contains(labels)) {
            return true;
        }
        Optional<DnsLabels> zone = zones.forwardZone(labels);
        ZoneLookup found = zone.isPresent()
                ? lookup(labels.below(zone.get()).orElseThrow(), type.number())
                : NameSchema.parseReverse(labels)
                        .filter(network -> zones.owner(network.base()).isPresent())
                        .map(network -> lookup(network, type.number()))
                        .orElseGet(ZoneLookup.NoSuchName::new);
        return type.equals(RecordType.ANY)
                ? !(found instanceof ZoneLookup.NoSuchName)
                : found instanceof ZoneLookup.Found || found instanceof ZoneLookup.Alias;
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
            return zones.owner(reverse.address()).isEmpty() || data == null || !RecordRules.hasReverseName(data)
                    ? spelled
                    : Stream.concat(Stream.of(DnsNames.absolute(reverseName(reverse.address()))), spelled);
        }
        throw new AssertionError(stored);
    }

    private Stream<Name> absolute(DnsLabels belowZone) {
        return settings().zones().stream()
                .filter(zone -> zones.owns(zone, belowZone))
                .map(zone -> DnsNames.absolute(belowZone, zone));
    }

    private Stream<DnsLabels> reverseZones() {
        return settings().reverseZones().stream().map(ReverseZone::name);
    }

    /** Returns the data of the names of a forward zone, by absolute name, sorted. */
    private Map<DnsLabels, NameData> forwardNames(DnsLabels zone) {
        Map<DnsLabels, NameData> owned = new TreeMap<>();
        Consumer<DnsLabels> add = labels -> {
            NameData data = data(labels);
            if (data != null && zones.owns(zone, labels)) {
                owned.put(labels.append(zone), data);
            }
        };
        names.forEach(packed -> add.accept(NameData.ofPacked(packed).name()));
        addresses.forEach((address, packed) ->
                rules.synthesizedNames(address, NameData.ofPacked(packed)).forEach(add));
        return owned;
    }

    /** Returns the data of the names of a reverse zone, by absolute name, sorted. */
    private Map<DnsLabels, NameData> reverseNames(DnsLabels zone) {
        Map<DnsLabels, NameData> owned = new TreeMap<>();
        addresses.forEach((address, packed) -> {
            NameData data = NameData.ofPacked(packed);
            if (RecordRules.hasReverseName(data) && isIn(zone, address)) {
                owned.put(reverseName(address), data);
            }
        });
        return owned;
    }

    private boolean isIn(DnsLabels zone, IpAddress address) {
        return zones.owner(address).filter(owner -> owner.name().equals(zone)).isPresent();
    }

    private static DnsLabels reverseName(IpAddress address) {
        return NameSchema.formatReverse(new IpNetwork(address, address.family().byteCount() * 8));
    }

    /** Returns the records of a name. PTR targets are in the first forward zone, SRV targets in the owner's zone. */
    private List<RecordSet> recordSets(DnsLabels name, NameData data, DnsLabels zone) {
        DnsLabels targets =
                settings().zones().contains(zone) ? zone : settings().zones().get(0);
        return data.recordSets(DnsNames.absolute(name), targets, settings().ttlSeconds());
    }

    private byte @Nullable [] packed(OwnerName name) {
        if (name instanceof OwnerName.Forward forward) {
            return names.get(forward.labels());
        }
        if (name instanceof OwnerName.Reverse reverse) {
            return addresses.get(reverse.address());
        }
        throw new AssertionError(name);
    }

    /**
     * Returns whether a record in any zone differs between this revision and another. A changed name need not have a changed record:
     * it may exist without records, or belong to no zone.
     *
     * @param other the other revision
     * @param changed the stored names whose data differs between the two revisions
     */
    boolean differsFrom(ZoneRevision other, Collection<OwnerName> changed) {
        // Compares small names first: one difference is enough, and comparing a large name reads thousands of records.
        for (OwnerName name : changed) {
            if (isSmall(name) && other.isSmall(name) && !sameRecordsAs(other, name)) {
                return true;
            }
        }
        for (OwnerName name : changed) {
            if (!sameRecordsAs(other, name)) {
                return true;
            }
        }
        return false;
    }

    private boolean isSmall(OwnerName name) {
        NameData data = data(packed(name));
        return data == null || data.srvCount() + data.addressCount(IpFamily.IPV4) < 10;
    }

    /** Returns whether the records that depend on a stored name are the same in another revision. */
    private boolean sameRecordsAs(ZoneRevision other, OwnerName name) {
        if (name instanceof OwnerName.Forward forward) {
            return sameRecordsAt(other, forward.labels());
        }
        if (name instanceof OwnerName.Reverse reverse) {
            IpAddress address = reverse.address();
            NameData mine = orAbsent(at(address));
            NameData others = orAbsent(other.at(address));
            boolean samePointers = zones.owner(address).isEmpty()
                    || mine.sameRecordsAs(others, settings().zones().get(0));
            return samePointers
                    && Stream.of(mine, others)
                            .flatMap(data -> rules.synthesizedNames(address, data).stream())
                            .allMatch(synthesized -> sameRecordsAt(other, synthesized));
        }
        throw new AssertionError(name);
    }

    private boolean sameRecordsAt(ZoneRevision other, DnsLabels labels) {
        NameData mine = orAbsent(data(labels));
        NameData others = orAbsent(other.data(labels));
        for (DnsLabels zone : settings().zones()) {
            if (zones.owns(zone, labels) && !mine.sameRecordsAs(others, zone)) {
                return false;
            }
        }
        return true;
    }

    private static NameData orAbsent(@Nullable NameData data) {
        return data == null ? NameData.ABSENT : data;
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
            action.accept(new OwnerName.Forward(data.name()), data);
        });
        addresses.forEach(
                (address, packed) -> action.accept(new OwnerName.Reverse(address), NameData.ofPacked(packed)));
    }
}
