package io.k8sdns.verify;

import io.k8sdns.arguments.Copies;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.PTRRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.SRVRecord;

/**
 * Compares the records of two zones, name by name.
 *
 * <p>TTLs, the order of records, and priority and weight of SRV records are not compared, as by {@link Expectation}.
 */
public final class ZoneDiff {
    private static final Comparator<RecordType> BY_NUMBER = Comparator.comparingInt(RecordType::number);

    private ZoneDiff() {}

    /**
     * Returns the names whose records differ: first those that vanish, then those that change, then those that appear, each in
     * the order of their first records.
     *
     * @param before the records of the first zone
     * @param after the records of the second zone
     * @param isInvented whether an address in a record was invented because the manifests hold none. If a record set on either side
     *     has such a record, only the rest is compared: the number of addresses, and of SRV and PTR records the port, and the
     *     target with {@code *} for a label that is chosen
     * @param isChosen whether the first label of a target is an address, or the name of a Pod that its controller chooses, so that a
     *     cluster, or another reading of the manifests, has another label there
     * @throws IllegalArgumentException if one side has two record sets with the same name and type
     */
    public static List<ChangedName> between(
            List<RecordSet> before, List<RecordSet> after, Predicate<Record> isInvented, Predicate<Name> isChosen) {
        Objects.requireNonNull(isInvented, "isInvented");
        Objects.requireNonNull(isChosen, "isChosen");
        Map<Name, Map<RecordType, RecordSet>> first = byName("before", before);
        Map<Name, Map<RecordType, RecordSet>> second = byName("after", after);
        Set<Name> names = new LinkedHashSet<>(first.keySet());
        names.addAll(second.keySet());
        List<ChangedName> changes = new ArrayList<>();
        for (Name name : names) {
            Map<RecordType, RecordSet> old = first.getOrDefault(name, Map.of());
            Map<RecordType, RecordSet> now = second.getOrDefault(name, Map.of());
            List<String> removed = new ArrayList<>();
            List<String> added = new ArrayList<>();
            Set<RecordType> types = new TreeSet<>(BY_NUMBER);
            types.addAll(old.keySet());
            types.addAll(now.keySet());
            for (RecordType type : types) {
                List<Record> left = records(old, type);
                List<Record> right = records(now, type);
                boolean hasInvented = !left.isEmpty()
                        && !right.isEmpty()
                        && Stream.concat(left.stream(), right.stream()).anyMatch(isInvented);
                if (hasInvented) {
                    Map<String, Long> oldCounts = counted(left, isChosen);
                    Map<String, Long> newCounts = counted(right, isChosen);
                    addMissing(type, oldCounts, newCounts, removed);
                    addMissing(type, newCounts, oldCounts, added);
                } else {
                    addMissing(type, left, right, removed);
                    addMissing(type, right, left, added);
                }
            }
            if (!removed.isEmpty() || !added.isEmpty()) {
                ChangedName.Kind kind = now.isEmpty()
                        ? ChangedName.Kind.VANISHES
                        : old.isEmpty() ? ChangedName.Kind.APPEARS : ChangedName.Kind.CHANGES;
                changes.add(new ChangedName(name, kind, removed, added));
            }
        }
        changes.sort(Comparator.comparing(ChangedName::kind));
        return Collections.unmodifiableList(changes);
    }

    private static Map<Name, Map<RecordType, RecordSet>> byName(String argument, List<RecordSet> sets) {
        Map<Name, Map<RecordType, RecordSet>> byName = new LinkedHashMap<>();
        for (RecordSet set : Copies.list(argument, sets)) {
            RecordSet other = byName.computeIfAbsent(set.owner(), any -> new TreeMap<>(BY_NUMBER))
                    .put(set.type(), set);
            if (other != null) {
                throw new IllegalArgumentException(
                        argument + ": more than one record set of " + set.owner() + " " + set.type());
            }
        }
        return byName;
    }

    private static List<Record> records(Map<RecordType, RecordSet> sets, RecordType type) {
        RecordSet set = sets.get(type);
        return set == null ? List.of() : set.records();
    }

    private static void addMissing(RecordType type, List<Record> records, List<Record> others, List<String> missing) {
        Set<String> known = new TreeSet<>();
        others.forEach(record -> known.add(Expectation.data(record)));
        for (Record record : records) {
            String data = Expectation.data(record);
            if (!known.contains(data)) {
                missing.add(type + " " + data);
            }
        }
    }

    /** Returns the number of records with the same data, apart from what may be invented. */
    private static Map<String, Long> counted(List<Record> records, Predicate<Name> isChosen) {
        return records.stream()
                .collect(Collectors.groupingBy(
                        record -> withoutChosen(record, isChosen), TreeMap::new, Collectors.counting()));
    }

    /** Returns the compared data of a record with {@code *} for a label that is chosen; empty for an address. */
    private static String withoutChosen(Record record, Predicate<Name> isChosen) {
        if (record instanceof ARecord || record instanceof AAAARecord) {
            return "";
        }
        if (record instanceof SRVRecord srv && isChosen.test(srv.getTarget())) {
            return Expectation.data(new SRVRecord(
                    srv.getName(),
                    srv.getDClass(),
                    srv.getTTL(),
                    srv.getPriority(),
                    srv.getWeight(),
                    srv.getPort(),
                    srv.getTarget().wild(1)));
        }
        if (record instanceof PTRRecord pointer && isChosen.test(pointer.getTarget())) {
            return Expectation.data(new PTRRecord(
                    pointer.getName(),
                    pointer.getDClass(),
                    pointer.getTTL(),
                    pointer.getTarget().wild(1)));
        }
        return Expectation.data(record);
    }

    private static void addMissing(
            RecordType type, Map<String, Long> records, Map<String, Long> others, List<String> missing) {
        records.forEach((data, count) -> {
            if (!count.equals(others.get(data))) {
                missing.add(type + (data.isEmpty() ? "" : " " + data) + ": " + count
                        + (count == 1 ? " record" : " records"));
            }
        });
    }
}
