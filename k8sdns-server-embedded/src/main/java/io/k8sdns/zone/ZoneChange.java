package io.k8sdns.zone;

import io.k8sdns.model.Copies;
import io.k8sdns.records.OwnerName;
import java.util.List;
import java.util.Objects;

/**
 * What a batch of changes came to.
 *
 * @param revision the revision that holds the whole batch
 * @param names the stored names that own something else than before, appeared or went; empty when the batch changed
 *     nothing. Each once, in no particular order. An address stands for its PTR as well as for the dashed endpoint
 *     names and pod names that it lends
 */
public record ZoneChange(ZoneRevision revision, List<OwnerName> names) {
    /** Copies the list. */
    public ZoneChange {
        Objects.requireNonNull(revision, "revision");
        names = Copies.list("names", names);
    }
}
