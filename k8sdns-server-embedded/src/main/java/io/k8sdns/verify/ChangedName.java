package io.k8sdns.verify;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.Internal;
import java.util.List;
import java.util.Objects;
import org.xbill.DNS.Name;

/**
 * A name whose records differ between two zones.
 *
 * @param name the name, absolute
 * @param kind what happens to it
 * @param removed what only the first zone has: a type and the data of a record each, for example {@code A 10.96.0.11}; or a type and a
 *     number, if records are compared by their number
 * @param added what only the second zone has
 */
public record ChangedName(Name name, Kind kind, List<String> removed, List<String> added) {
    /** The kinds of changes. */
    public enum Kind {
        /** It has records in the first zone only. */
        VANISHES,

        /** It has records in both zones, and they differ. */
        CHANGES,

        /** It has records in the second zone only. */
        APPEARS
    }

    /** Copies the lists. */
    @Internal
    public ChangedName {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(kind, "kind");
        removed = Copies.list("removed", removed);
        added = Copies.list("added", added);
    }
}
