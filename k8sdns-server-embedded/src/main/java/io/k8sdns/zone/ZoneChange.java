package io.k8sdns.zone;

import io.k8sdns.records.OwnerName;
import java.util.Objects;
import java.util.Set;

/**
 * What a batch of changes came to.
 *
 * @param revision the revision that holds the whole batch
 * @param names the stored names that own something else than before, appeared or went; empty when the batch changed
 *     nothing. An address stands for its PTR as well as for the dashed endpoint names and pod names that it lends
 */
public record ZoneChange(ZoneRevision revision, Set<OwnerName> names) {
    /** Copies the set. */
    public ZoneChange {
        Objects.requireNonNull(revision, "revision");
        names = Set.copyOf(names);
    }
}
