package io.k8sdns.rfc2136;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.federation.external.OwnedRecords;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.xbill.DNS.Record;
import org.xbill.DNS.TXTRecord;

/** Groups the records of a zone by name and owner record. */
final class ZoneNames {
    private ZoneNames() {}

    /** Returns whether a record can belong to an external name or be its owner record. */
    static boolean isRelevant(Record record) {
        RecordType type = RecordType.of(record.getType());
        return OwnedRecords.TYPES.contains(type) || isOwner(record);
    }

    private static boolean isOwner(Record record) {
        return record instanceof TXTRecord
                && OwnedRecords.nameOfOwner(DnsNames.labels(record.getName())).isPresent();
    }

    /** Returns the names with exactly one owner record. A name with several belongs to several owners, and is omitted. */
    static Map<DnsLabels, OwnedRecords> owned(Collection<Record> records) {
        Map<DnsLabels, String> owners = new HashMap<>();
        Set<DnsLabels> withSeveral = new HashSet<>();
        for (Record one : records) {
            if (one instanceof TXTRecord txt) {
                OwnedRecords.nameOfOwner(DnsNames.labels(txt.getName())).ifPresent(name -> {
                    if (owners.putIfAbsent(name, OwnedRecords.text(txt)) != null) {
                        withSeveral.add(name);
                    }
                });
            }
        }
        owners.keySet().removeAll(withSeveral);
        Map<DnsLabels, List<Record>> byName = new HashMap<>();
        for (Record one : records) {
            DnsLabels name = DnsNames.labels(one.getName());
            if (OwnedRecords.TYPES.contains(RecordType.of(one.getType())) && owners.containsKey(name)) {
                byName.computeIfAbsent(name, any -> new ArrayList<>()).add(one);
            }
        }
        Map<DnsLabels, OwnedRecords> owned = new HashMap<>();
        owners.forEach((name, owner) ->
                owned.put(name, new OwnedRecords(name, owner, sets(byName.getOrDefault(name, List.of())))));
        return owned;
    }

    /** Returns the records of one name as sets. If the TTLs of a set differ, the smallest one is used (RFC 2181, 5.2). */
    private static List<RecordSet> sets(List<Record> records) {
        return records.stream().collect(Collectors.groupingBy(Record::getType)).values().stream()
                .map(set -> {
                    long ttl = set.stream().mapToLong(Record::getTTL).min().orElseThrow();
                    return RecordSet.of(
                            set.stream().map(one -> withTtl(one, ttl)).toList());
                })
                .toList();
    }

    private static Record withTtl(Record record, long ttl) {
        return record.getTTL() == ttl
                ? record
                : Record.newRecord(
                        record.getName(), record.getType(), record.getDClass(), ttl, record.rdataToWireCanonical());
    }

    /** Returns the records and the owner of a name; empty if it has no owner record. */
    static Optional<OwnedRecords> one(DnsLabels name, Collection<Record> records) {
        return Optional.ofNullable(owned(records).get(name));
    }
}
