package io.k8sdns.zone;

import io.k8sdns.model.Internal;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.rules.StoredName;
import java.util.Optional;

/**
 * A revision as a {@link ZoneView} shows it. A hidden name takes the same lookup as one that does not exist, and the
 * result is dropped.
 */
@Internal
@SuppressWarnings("exports")
public final class RevisionView {
    private final ZoneRevision revision;
    private final Optional<NamespaceFilter> filter;

    RevisionView(ZoneRevision revision, Optional<NamespaceFilter> filter) {
        this.revision = revision;
        this.filter = filter;
    }

    /** Returns the revision. */
    public ZoneRevision revision() {
        return revision;
    }

    /** Returns whether some of the revision's names may be hidden. */
    public boolean hidesNames() {
        return filter.isPresent();
    }

    /** Looks up a name, as {@link ZoneRevision#lookup(DnsLabels, int)} does. */
    public ZoneLookup lookup(DnsLabels belowZone, int type) {
        ZoneLookup found = revision.lookup(belowZone, type);
        return filter.isPresent() && !filter.get().shows(belowZone) ? new ZoneLookup.NoSuchName() : found;
    }

    /**
     * Looks up a reverse name, as {@link ZoneRevision#lookup(IpNetwork, int)} does.
     *
     * <p>If names are hidden, every network exists.
     */
    public ZoneLookup lookup(IpNetwork reverse, int type) {
        return filter.isPresent()
                ? revision.lookup(reverse, type, filter.get()::shows)
                : revision.lookup(reverse, type);
    }

    /**
     * Moves a cursor to the data stored at a name, as {@link ZoneRevision#moveToName} does. Returns false for a hidden name; the cursor's
     * position is then undefined.
     *
     * @param bytes holds the name in wire form
     * @param labels where each label begins
     * @param count how many of the labels are below the zone
     * @param apex where the zone's name begins
     */
    public boolean moveToName(byte[] bytes, int[] labels, int count, int apex, StoredName found) {
        boolean stored = revision.moveToName(bytes, count == 0 ? apex : labels[0], apex, found);
        return stored
                && (filter.isEmpty()
                        || count < 2
                        || filter.get().shows(bytes, labels[count - 2], labels[count - 1], apex));
    }

    /**
     * Moves a cursor to the data stored at a name that this view shows: a name that {@link #moveToName} has found, or a parent of one.
     * Returns false if the name is not stored.
     *
     * @param bytes holds the name in wire form
     * @param from where the name begins
     * @param apex where the zone's name begins
     */
    public boolean moveToShownName(byte[] bytes, int from, int apex, StoredName found) {
        return revision.moveToName(bytes, from, apex, found);
    }

    /**
     * Moves a cursor to the data of the reverse name of an address, as {@link ZoneRevision#moveToReverseName} does. Where names are hidden,
     * allocates nothing if the address has one PTR target at most.
     */
    public boolean moveToReverseName(IpFamily family, long high, long low, StoredName found) {
        boolean exists = revision.moveToReverseName(family, high, low, found);
        if (!exists || filter.isEmpty()) {
            return exists;
        }
        return found.hasOnlyPtrTarget()
                ? filter.get().shows(found.packed(), found.onlyPtrTargetLength())
                : revision.showPtrTargets(found, filter.get()::shows);
    }
}
