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
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;

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
     * @param isInvented whether an address in a record was invented because the manifests hold none; record sets with such a record
     *     on either side are equal if they have as many records
     * @throws IllegalArgumentException if one side has two record sets with the same name and type
     */
    public static List<ChangedName> between(
            List<RecordSet> before, List<RecordSet> after, Predicate<Record> isInvented) {
        Objects.requireNonNull(isInvented, "isInvented");
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
                compare(type, records(old, type), records(now, type), isInvented, removed, added);
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

    private static void compare(
            RecordType type,
            List<Record> before,
            List<Record> after,
            Predicate<Record> isInvented,
            List<String> removed,
            List<String> added) {
        boolean areCounted = !before.isEmpty()
                && !after.isEmpty()
                && (before.stream().anyMatch(isInvented) || after.stream().anyMatch(isInvented));
        if (!areCounted) {
            addMissing(type, before, after, removed);
            addMissing(type, after, before, added);
        } else if (before.size() != after.size()) {
            removed.add(counted(type, before));
            added.add(counted(type, after));
        }
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

    private static String counted(RecordType type, List<Record> records) {
        return type + ": " + records.size() + (records.size() == 1 ? " record" : " records");
    }
}
