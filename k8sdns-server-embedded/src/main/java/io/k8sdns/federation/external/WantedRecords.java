package io.k8sdns.federation.external;

import io.k8sdns.arguments.Copies;
import io.k8sdns.name.DnsLabels;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The desired state of an external zone: all names of one owner.
 *
 * @param owner the owner; its other names are removed from the zone
 * @param names the records by their names
 * @param problems the Services and clusters without records, with the reasons, for logs
 */
public record WantedRecords(RecordOwner owner, Map<DnsLabels, OwnedRecords> names, List<String> problems) {
    /**
     * Copies the collections.
     *
     * @throws IllegalArgumentException if records have another name or owner, or a name has no records
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
