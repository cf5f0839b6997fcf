package io.k8sdns.cli;

import io.k8sdns.records.RecordSet;
import java.util.List;

/**
 * One of the two zones that {@code diff} compares.
 *
 * @param sets the record sets
 * @param invented the records with invented addresses, which only manifests and zone files of manifests have
 * @param manifests the manifests, to be read for host names; empty if the records come from elsewhere
 */
record ComparedZone(List<RecordSet> sets, InventedRecords invented, List<String> manifests) {
    ComparedZone {
        sets = List.copyOf(sets);
        manifests = List.copyOf(manifests);
    }

    static ComparedZone of(List<RecordSet> sets) {
        return new ComparedZone(sets, InventedRecords.NONE, List.of());
    }
}
