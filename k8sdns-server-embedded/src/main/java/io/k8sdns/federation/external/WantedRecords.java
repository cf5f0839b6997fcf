package io.k8sdns.federation.external;

import io.k8sdns.arguments.Copies;
import io.k8sdns.name.DnsLabels;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * All names that an owner wants in an external zone.
 *
 * @param owner the owner; its names that are not wanted are removed
 * @param names the records by their names
 * @param problems what has no records, and why; for a person
 */
public record WantedRecords(RecordOwner owner, Map<DnsLabels, OwnedRecords> names, List<String> problems) {
    /**
     * Copies the collections.
     *
     * @throws IllegalArgumentException if records are of another name or owner, or a name has none
     */
    public WantedRecords {
        Objects.requireNonNull(owner, "owner");
        names = Copies.map("names", names);
        problems = Copies.list("problems", problems);
        for (Map.Entry<DnsLabels, OwnedRecords> entry : names.entrySet()) {
            OwnedRecords records = entry.getValue();
            if (!records.name().equals(entry.getKey())
                    || !owner.owns(records.owner())
                    || records.records().isEmpty()) {
                throw new IllegalArgumentException(
                        "not records of " + entry.getKey() + " and " + owner + ": " + records);
            }
        }
    }
}
