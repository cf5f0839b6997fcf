package io.k8sdns.federation;

import io.k8sdns.dnsjava.AddressRecords;
import io.k8sdns.model.IpAddress;
import io.k8sdns.records.RecordSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;

/** Addresses of one family, grouped by the distance of their shards. Not thread-safe. */
final class AddressGroups {
    private final Map<ShardDistance, Set<IpAddress>> groups = new EnumMap<>(ShardDistance.class);

    void add(ShardDistance distance, Collection<IpAddress> addresses) {
        groups.computeIfAbsent(distance, any -> new LinkedHashSet<>()).addAll(addresses);
    }

    /** Returns one set for each group, nearest first. An address in several groups is only in the nearest set. */
    List<RecordSet> recordSets(Name owner, long ttlSeconds) {
        List<RecordSet> sets = new ArrayList<>();
        Set<IpAddress> added = new HashSet<>();
        for (Set<IpAddress> group : groups.values()) {
            List<Record> records = group.stream()
                    .filter(added::add)
                    .map(address -> AddressRecords.record(owner, address, ttlSeconds))
                    .toList();
            if (!records.isEmpty()) {
                sets.add(RecordSet.of(records));
            }
        }
        return sets;
    }
}
