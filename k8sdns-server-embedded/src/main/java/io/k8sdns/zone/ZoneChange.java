package io.k8sdns.zone;

import io.k8sdns.arguments.Copies;
import io.k8sdns.rules.OwnerName;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.xbill.DNS.Name;

/** The effect of a batch of changes on a zone: the revisions before and after it, and the changed names. */
public final class ZoneChange {
    private final ZoneRevision before;
    private final ZoneRevision revision;
    private final List<OwnerName> stored;

    ZoneChange(ZoneRevision before, ZoneRevision revision, List<OwnerName> stored) {
        this.before = Objects.requireNonNull(before, "before");
        this.revision = Objects.requireNonNull(revision, "revision");
        this.stored = Copies.list("stored", stored);
    }

    /** Returns the revision that holds the whole batch. */
    public ZoneRevision revision() {
        return revision;
    }

    /** Returns the revision before the batch. */
    public ZoneRevision before() {
        return before;
    }

    /** Returns whether no name has changed. */
    public boolean isEmpty() {
        return stored.isEmpty();
    }

    /**
     * Returns the names whose answers may have changed: names that were added or removed, names with different records, and parent
     * names that started or ceased to exist. Includes reverse names, dashed endpoint names and pod names.
     *
     * <p>Cost: each call computes the names again.
     *
     * @return absolute names, each once, in no particular order; in every zone that owns them
     */
    public List<Name> names() {
        return stored.stream()
                .flatMap(name -> Stream.concat(before.namesOf(name), revision.namesOf(name)))
                .distinct()
                .toList();
    }

    /** Returns the stored names whose data changed, each once. */
    List<OwnerName> stored() {
        return stored;
    }

    /** Returns the names. */
    @Override
    public String toString() {
        return "ZoneChange" + names();
    }
}
