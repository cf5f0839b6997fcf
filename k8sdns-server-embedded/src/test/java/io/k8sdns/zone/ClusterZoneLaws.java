package io.k8sdns.zone;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.PodsMode;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.ReversePolicy;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.rules.NameData;
import io.k8sdns.rules.OwnerName;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.xbill.DNS.Name;
import org.xbill.DNS.Type;

class ClusterZoneLaws {
    private static final List<Integer> TYPES =
            List.of(Type.A, Type.AAAA, Type.SRV, Type.PTR, Type.TXT, Type.CNAME, Type.MX, Type.SOA, Type.ANY);

    // ---- only the current objects decide ----

    @Property(tries = 500)
    void aZoneHoldsTheRecordsOfItsPublishedObjects(
            @ForAll("snapshots") ClusterSnapshot snapshot,
            @ForAll("settings") ZoneSettings settings,
            @ForAll("visibility") Visibility visibility) {
        RecordRules rules = new RecordRules(settings);
        ZoneRevision zone = ClusterZone.of(snapshot, rules, visibility).current();
        Map<OwnerName, NameValues> expected = new HashMap<>();
        NaiveZone.names(snapshot, rules, visibility).forEach((name, data) -> expected.put(name, NameValues.of(data)));
        assertThat(stored(zone)).isEqualTo(expected);
        assertThat(zone.nameCount()).isEqualTo((int) expected.keySet().stream()
                .filter(OwnerName.Forward.class::isInstance)
                .count());
    }

    @Property(tries = 500)
    void changesInBatchesOfAnySizeMakeTheZoneOfTheRemainingObjects(
            @ForAll("histories") List<ClusterChange> history,
            @ForAll @Size(8) List<@IntRange(min = 1, max = 9) Integer> portions,
            @ForAll("settings") ZoneSettings settings,
            @ForAll("visibility") Visibility visibility,
            @ForAll @Size(10) List<@From("names") DnsLabels> questions) {
        RecordRules rules = new RecordRules(settings);
        ClusterZone live = ClusterZone.empty(rules, visibility);
        batches(history, portions).forEach(live::apply);
        ZoneRevision rebuilt =
                ClusterZone.of(SmallClusters.after(history), rules, visibility).current();
        assertThat(stored(live.current())).isEqualTo(stored(rebuilt));
        assertThat(live.current().zones()).isEqualTo(rebuilt.zones());
        assertThat(records(live.current())).isEqualTo(records(rebuilt));
        for (DnsLabels question : questions) {
            for (int type : TYPES) {
                assertThat(live.current().lookup(question, type)).isEqualTo(rebuilt.lookup(question, type));
            }
        }
    }

    @Property(tries = 200)
    void repeatedChangesChangeNothing(
            @ForAll("snapshots") ClusterSnapshot snapshot, @ForAll("settings") ZoneSettings settings) {
        ClusterZone zone = ClusterZone.of(snapshot, new RecordRules(settings), Visibility.ALL);
        ZoneRevision before = zone.current();
        ZoneChange change = zone.apply(snapshot.objects().stream()
                .<ClusterChange>map(ClusterChange.Put::new)
                .toList());
        assertThat(change.names()).isEmpty();
        assertThat(change.revision().serial()).isEqualTo(before.serial());
        assertThat(stored(change.revision())).isEqualTo(stored(before));
    }

    @Property(tries = 200)
    void anOldRevisionIsUnchanged(
            @ForAll("histories") List<ClusterChange> history, @ForAll("settings") ZoneSettings settings) {
        ClusterZone zone = ClusterZone.empty(new RecordRules(settings), Visibility.ALL);
        List<ZoneRevision> revisions = new ArrayList<>();
        List<Map<OwnerName, NameValues>> contents = new ArrayList<>();
        for (ClusterChange change : history) {
            revisions.add(zone.current());
            contents.add(stored(zone.current()));
            zone.apply(List.of(change));
        }
        assertThat(revisions.stream().map(ClusterZoneLaws::stored)).isEqualTo(contents);
    }

    // ---- reported changes ----

    @Property(tries = 300)
    void aChangeReportsExactlyTheChangedNames(
            @ForAll("histories") List<ClusterChange> history,
            @ForAll("settings") ZoneSettings settings,
            @ForAll("visibility") Visibility visibility) {
        ClusterZone zone = ClusterZone.empty(new RecordRules(settings), visibility);
        for (ClusterChange change : history) {
            Map<OwnerName, NameValues> before = stored(zone.current());
            List<OwnerName> changed = zone.apply(List.of(change)).stored();
            Map<OwnerName, NameValues> after = stored(zone.current());
            Set<OwnerName> different = new HashSet<>(before.keySet());
            different.addAll(after.keySet());
            different.removeIf(
                    name -> Optional.ofNullable(before.get(name)).equals(Optional.ofNullable(after.get(name))));
            assertThat(changed).containsExactlyInAnyOrderElementsOf(different);
        }
    }

    /**
     * A name without changed records may be included: it was added to or removed from an index, so that names above it began
     * or ceased to exist.
     */
    @Property(tries = 200)
    void aChangeReportsEveryNameWithChangedRecords(
            @ForAll("histories") List<ClusterChange> history,
            @ForAll("settings") ZoneSettings settings,
            @ForAll("visibility") Visibility visibility) {
        ClusterZone zone = ClusterZone.empty(new RecordRules(settings), visibility);
        List<Name> listened = new ArrayList<>();
        zone.onChange(change -> listened.addAll(change.names()));
        for (ClusterChange change : history) {
            Set<RecordSet> before = withoutApex(zone.current());
            listened.clear();
            ZoneChange applied = zone.apply(List.of(change));
            Set<RecordSet> after = withoutApex(zone.current());
            Set<Name> different = Stream.of(before, after)
                    .flatMap(Set::stream)
                    .filter(set -> !before.contains(set) || !after.contains(set))
                    .map(RecordSet::owner)
                    .collect(Collectors.toSet());
            assertThat(applied.names()).containsAll(different).doesNotHaveDuplicates();
            assertThat(listened).isEqualTo(applied.names());
            assertThat(applied.isEmpty()).isEqualTo(applied.stored().isEmpty());
        }
    }

    /** The SOA changes with every serial. */
    private static Set<RecordSet> withoutApex(ZoneRevision zone) {
        return records(zone).values().stream()
                .flatMap(List::stream)
                .filter(set -> set.typeNumber() != Type.SOA && set.typeNumber() != Type.NS)
                .collect(Collectors.toSet());
    }

    @Property(tries = 300)
    void theSerialIncreasesExactlyWhenARecordChanges(
            @ForAll("histories") List<ClusterChange> history,
            @ForAll("settings") ZoneSettings settings,
            @ForAll("visibility") Visibility visibility) {
        ClusterZone zone = ClusterZone.empty(new RecordRules(settings), visibility);
        history.forEach(change -> applyAndCheckTheSerial(zone, List.of(change)));
    }

    /** In these histories, unlike in those above, often only a PTR changes, and a batch may cancel itself. */
    @Property(tries = 200)
    void theSerialIncreasesOnceExactlyWhenABatchOfRenamingsChangesARecord(
            @ForAll("renamings") List<ClusterChange> history,
            @ForAll @Size(8) List<@IntRange(min = 1, max = 3) Integer> portions,
            @ForAll("settings") ZoneSettings settings) {
        ClusterZone zone = ClusterZone.empty(new RecordRules(settings), Visibility.ALL);
        batches(history, portions).forEach(batch -> applyAndCheckTheSerial(zone, batch));
    }

    private static void applyAndCheckTheSerial(ClusterZone zone, List<ClusterChange> batch) {
        long serial = zone.current().serial();
        Map<DnsLabels, List<RecordSet>> before = records(zone.current());
        zone.apply(batch);
        boolean moved = !before.equals(records(zone.current()));
        assertThat(zone.current().serial()).isEqualTo(moved ? serial + 1 : serial);
    }

    // ---- existence ----

    @Property(tries = 300)
    void noNameExistsBelowAMissingName(
            @ForAll("zones") ZoneRevision zone, @ForAll @Size(20) List<@From("names") DnsLabels> names) {
        for (DnsLabels name : names) {
            for (DnsLabels below : List.of(name, name.prepend("x"), name.prepend("192-0-2-1"), name.prepend("_tcp"))) {
                for (DnsLabels above = below; !above.isEmpty(); above = above.skip(1)) {
                    if (exists(zone, above)) {
                        assertThat(exists(zone, above.skip(1)))
                                .as("%s, above %s", above.skip(1), above)
                                .isTrue();
                    }
                }
            }
        }
    }

    @Property(tries = 300)
    void everyNameAboveARecordExists(@ForAll("zones") ZoneRevision zone) {
        for (DnsLabels origin : zone.zones()) {
            for (RecordSet set : zone.recordSets(origin)) {
                DnsLabels name = DnsNames.labels(set.owner());
                for (DnsLabels above = name; !above.equals(origin); above = above.skip(1)) {
                    assertThat(lookup(zone, origin, above, Type.A))
                            .as("%s, above %s", above, name)
                            .isNotInstanceOf(ZoneLookup.NoSuchName.class);
                }
            }
        }
    }

    @Property(tries = 500)
    void noNameExistsBelowAMissingReverseName(
            @ForAll("zones") ZoneRevision zone, @ForAll("addresses") IpAddress address) {
        DnsLabels name = reverseName(address);
        boolean below = false;
        for (DnsLabels above = name; above.count() >= 2; above = above.skip(1)) {
            IpNetwork network = NameSchema.parseReverse(above).orElseThrow();
            boolean exists = !(zone.lookup(network, Type.PTR) instanceof ZoneLookup.NoSuchName);
            if (below) {
                assertThat(exists).as("%s", above).isTrue();
            }
            below = exists;
        }
    }

    @Property(tries = 500)
    void aPartialReverseNameExistsExactlyWhenAnAddressBelowHasAPtr(
            @ForAll("zones") ZoneRevision zone,
            @ForAll("addresses") IpAddress address,
            @ForAll @IntRange(min = 0, max = 31) int labels) {
        int bits = address.isIpv4() ? labels % 4 * 8 : labels * 4;
        DnsLabels whole = reverseName(address);
        IpNetwork network = NameSchema.parseReverse(
                        whole.skip((address.family().byteCount() * 8 - bits) / (address.isIpv4() ? 8 : 4)))
                .orElseThrow();
        boolean expected = stored(zone).entrySet().stream()
                .anyMatch(entry -> entry.getKey() instanceof OwnerName.Reverse reverse
                        && network.contains(reverse.address())
                        && !entry.getValue().ptrTargets().isEmpty());
        assertThat(zone.lookup(network, Type.PTR))
                .isEqualTo(expected ? new ZoneLookup.NoData() : new ZoneLookup.NoSuchName());
    }

    @Property(tries = 500)
    void allTypesAgreeOnWhetherANameExists(@ForAll("zones") ZoneRevision zone, @ForAll("names") DnsLabels name) {
        boolean exists = exists(zone, name);
        for (int type : TYPES) {
            assertThat(zone.lookup(name, type) instanceof ZoneLookup.NoSuchName)
                    .as("%s %s", name, Type.string(type))
                    .isNotEqualTo(exists);
        }
    }

    @Property(tries = 500)
    void lettersOfEitherCaseAreOneName(@ForAll("zones") ZoneRevision zone, @ForAll("names") DnsLabels name) {
        DnsLabels upper = DnsLabels.parse(name.toString().toUpperCase(Locale.ROOT));
        for (int type : TYPES) {
            assertThat(zone.lookup(upper, type)).isEqualTo(zone.lookup(name, type));
        }
    }

    // ---- forward and reverse names ----

    @Property(tries = 500)
    void everyPtrHasATargetWithThatAddress(@ForAll("zones") ZoneRevision zone) {
        stored(zone).forEach((name, data) -> {
            if (name instanceof OwnerName.Reverse reverse) {
                for (DnsLabels target : data.ptrTargets()) {
                    int type = reverse.address().isIpv4() ? Type.A : Type.AAAA;
                    assertThat(addresses(zone.lookup(target, type)))
                            .as("%s of %s", target, reverse)
                            .contains(reverse.address());
                }
            }
        });
    }

    @Property(tries = 500)
    void everyAddressOfAServiceOrEndpointHasAPtr(
            @ForAll("snapshots") ClusterSnapshot snapshot, @ForAll("settings") ZoneSettings any) {
        ZoneSettings settings = ZoneSettings.builder()
                .endpoints(any.endpoints())
                .ignoreEmptyServices(any.ignoreEmptyServices())
                .endpointNames(any.endpointNames())
                .reversePolicy(any.reversePolicy() == ReversePolicy.ONE ? ReversePolicy.ONE : ReversePolicy.ALL)
                .build();
        ZoneRevision zone = ClusterZone.of(snapshot, new RecordRules(settings), Visibility.ALL)
                .current();
        DnsLabels origin = settings.zones().get(0);
        for (RecordSet set : zone.recordSets(origin)) {
            DnsLabels name = DnsNames.labels(set.owner()).below(origin).orElseThrow();
            if (name.count() > 2 && name.foldedLabel(name.count() - 1).equals("svc")) {
                for (IpAddress address : addresses(zone.lookup(name, set.typeNumber()))) {
                    assertThat(zone.lookup(whole(address), Type.PTR)).isInstanceOf(ZoneLookup.Found.class);
                }
            }
        }
    }

    // ---- listing and lookup agree ----

    @Property(tries = 300)
    void listedRecordsAreFound(@ForAll("zones") ZoneRevision zone) {
        for (DnsLabels origin : zone.zones()) {
            List<RecordSet> sets = zone.recordSets(origin);
            assertThat(sets.get(0).typeNumber()).isEqualTo(Type.SOA);
            assertThat(sets.get(1).typeNumber()).isEqualTo(Type.NS);
            for (RecordSet set : sets.subList(2, sets.size())) {
                DnsLabels owner = DnsNames.labels(set.owner());
                assertThat(recordSet(zone, origin, set, lookup(zone, origin, owner, set.typeNumber())))
                        .contains(set);
                assertThat(zone.settings().zones())
                        .as("no zone with a longer name has %s", owner)
                        .noneMatch(other -> owner.endsWith(other) && other.count() > origin.count());
            }
            assertThat(sets.stream().map(set -> List.of(set.owner(), set.typeNumber())))
                    .doesNotHaveDuplicates();
            assertThat(sets.stream()
                            .skip(2)
                            .map(set -> DnsNames.labels(set.owner()))
                            .filter(name ->
                                    !name.equals(DnsLabels.of("ns", "dns").append(origin))))
                    .isSorted();
        }
    }

    @Property(tries = 300)
    void foundRecordsAreListed(
            @ForAll("zones") ZoneRevision zone, @ForAll @Size(40) List<@From("names") DnsLabels> names) {
        for (DnsLabels origin : zone.settings().zones()) {
            Map<DnsLabels, Set<Integer>> listed = zone.recordSets(origin).stream()
                    .collect(Collectors.groupingBy(
                            set -> DnsNames.labels(set.owner()),
                            Collectors.mapping(RecordSet::typeNumber, Collectors.toSet())));
            for (DnsLabels name : names) {
                if (!name.isEmpty() && isListed(zone, origin, name)) {
                    assertThat(listed.getOrDefault(printed(name).append(origin), Set.of()))
                            .as("%s in %s", name, origin)
                            .isEqualTo(answered(zone, origin, name));
                }
            }
        }
    }

    /** Returns whether a zone lists a name: the longest zone lists every name except pod names in mode INSECURE. */
    private static boolean isListed(ZoneRevision zone, DnsLabels origin, DnsLabels name) {
        boolean insecurePod =
                zone.settings().pods() == PodsMode.INSECURE && NameSchema.parse(name) instanceof ClusterName.PodName;
        return !insecurePod
                && name.fitsBelow(origin)
                && zone.settings().zones().stream()
                        .noneMatch(other -> other.count() > origin.count()
                                && name.append(origin).endsWith(other));
    }

    private static Set<Integer> answered(ZoneRevision zone, DnsLabels origin, DnsLabels name) {
        Set<Integer> types = new HashSet<>();
        for (int type : List.of(Type.A, Type.AAAA, Type.SRV, Type.TXT, Type.CNAME)) {
            ZoneLookup lookup = zone.lookup(name, type);
            NameData data = lookup instanceof ZoneLookup.Found found
                    ? found.data()
                    : lookup instanceof ZoneLookup.Alias alias ? alias.data() : null;
            if (data != null
                    && data.in(origin)
                            .recordSet(type, DnsNames.absolute(name.append(origin)), 5)
                            .isPresent()) {
                types.add(type);
            }
        }
        return types;
    }

    @Property(tries = 500)
    void aPtrIsListedInTheLongestZoneThatServesItsAddress(@ForAll("zones") ZoneRevision zone) {
        Map<DnsLabels, List<DnsLabels>> listedIn = new HashMap<>();
        for (ReverseZone reverse : zone.settings().reverseZones()) {
            zone.recordSets(reverse.name()).stream()
                    .filter(set -> set.typeNumber() == Type.PTR)
                    .forEach(set -> listedIn.computeIfAbsent(DnsNames.labels(set.owner()), any -> new ArrayList<>())
                            .add(reverse.name()));
        }
        Map<DnsLabels, List<DnsLabels>> expected = new HashMap<>();
        stored(zone).forEach((owner, data) -> {
            if (owner instanceof OwnerName.Reverse reverse && !data.ptrTargets().isEmpty()) {
                DnsLabels name = reverseName(reverse.address());
                zone.settings().reverseZones().stream()
                        .filter(around -> name.endsWith(around.name()) && around.contains(reverse.address()))
                        .max(Comparator.comparing(around -> around.name().count()))
                        .ifPresent(around -> expected.put(name, List.of(around.name())));
            }
        });
        assertThat(listedIn).isEqualTo(expected);
        assertThat(zone.zones())
                .containsAll(expected.values().stream().flatMap(List::stream).toList());
    }

    // ---- contents of a zone ----

    private static List<List<ClusterChange>> batches(List<ClusterChange> history, List<Integer> portions) {
        List<List<ClusterChange>> batches = new ArrayList<>();
        int from = 0;
        for (int i = 0; from < history.size(); i++) {
            int to = Math.min(history.size(), from + portions.get(i % portions.size()));
            batches.add(history.subList(from, to));
            from = to;
        }
        return batches;
    }

    private static Map<OwnerName, NameValues> stored(ZoneRevision zone) {
        Map<OwnerName, NameValues> names = new HashMap<>();
        zone.forEach(
                (name, data) -> assertThat(names.put(name, NameValues.of(data))).isNull());
        return names;
    }

    /** Returns all records but the SOA, whose serial differs between zones. */
    private static Map<DnsLabels, List<RecordSet>> records(ZoneRevision zone) {
        Set<DnsLabels> origins = new TreeSet<>(zone.settings().zones());
        zone.settings().reverseZones().forEach(reverse -> origins.add(reverse.name()));
        Map<DnsLabels, List<RecordSet>> records = new HashMap<>();
        for (DnsLabels origin : origins) {
            List<RecordSet> sets = zone.recordSets(origin);
            records.put(origin, sets.subList(1, sets.size()));
        }
        return records;
    }

    private static boolean exists(ZoneRevision zone, DnsLabels name) {
        return !(zone.lookup(name, Type.A) instanceof ZoneLookup.NoSuchName);
    }

    private static ZoneLookup lookup(ZoneRevision zone, DnsLabels origin, DnsLabels absolute, int type) {
        return zone.settings().zones().contains(origin)
                ? zone.lookup(absolute.below(origin).orElseThrow(), type)
                : zone.lookup(NameSchema.parseReverse(absolute).orElseThrow(), type);
    }

    private static Optional<RecordSet> recordSet(
            ZoneRevision zone, DnsLabels origin, RecordSet like, ZoneLookup lookup) {
        NameData data = lookup instanceof ZoneLookup.Found found
                ? found.data()
                : lookup instanceof ZoneLookup.Alias alias ? alias.data() : null;
        DnsLabels targets = zone.settings().zones().contains(origin)
                ? origin
                : zone.settings().zones().get(0);
        return Optional.ofNullable(data)
                .flatMap(some -> some.in(targets)
                        .recordSet(
                                like.typeNumber(), like.owner(), zone.settings().ttlSeconds()));
    }

    private static List<IpAddress> addresses(ZoneLookup lookup) {
        return lookup instanceof ZoneLookup.Found found ? found.data().addresses() : List.of();
    }

    /** Returns the spelling in which a pod name is listed. */
    private static DnsLabels printed(DnsLabels name) {
        return NameSchema.parse(name) instanceof ClusterName.PodName pod ? pod.labels() : name;
    }

    private static IpNetwork whole(IpAddress address) {
        return new IpNetwork(address, address.family().byteCount() * 8);
    }

    private static DnsLabels reverseName(IpAddress address) {
        return NameSchema.formatReverse(whole(address));
    }

    // ---- zones, changes and names ----

    @Provide
    Arbitrary<ZoneRevision> zones() {
        return Combinators.combine(SmallClusters.snapshots(), SmallClusters.settings(), SmallClusters.visibility())
                .as((snapshot, settings, visibility) -> ClusterZone.of(snapshot, new RecordRules(settings), visibility)
                        .current());
    }

    @Provide
    Arbitrary<ClusterSnapshot> snapshots() {
        return SmallClusters.snapshots();
    }

    @Provide
    Arbitrary<List<ClusterChange>> histories() {
        return SmallClusters.histories();
    }

    @Provide
    Arbitrary<List<ClusterChange>> renamings() {
        return SmallClusters.renamings();
    }

    @Provide
    Arbitrary<ZoneSettings> settings() {
        return SmallClusters.settings();
    }

    @Provide
    Arbitrary<Visibility> visibility() {
        return SmallClusters.visibility();
    }

    @Provide
    Arbitrary<DnsLabels> names() {
        return SmallClusters.names();
    }

    @Provide
    Arbitrary<IpAddress> addresses() {
        return SmallClusters.addresses();
    }
}
