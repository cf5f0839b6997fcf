package io.k8sdns.zone;

import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.rules.NameData;
import io.k8sdns.rules.OwnerName;
import io.k8sdns.rules.RecordRules;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Compares the records of two revisions of one zone. */
final class RevisionDifference {
    /** Names with fewer records than this are compared first. */
    private static final int SMALL = 10;

    private final ZoneRevision before;
    private final ZoneRevision after;
    private final RecordRules rules;
    private final ServedZones served;
    private final List<DnsLabels> zones;

    RevisionDifference(ZoneRevision before, ZoneRevision after) {
        this.before = before;
        this.after = after;
        this.rules = after.rules();
        this.served = after.servedZones();
        this.zones = after.settings().zones();
    }

    /**
     * Returns whether a record in any zone differs. A changed name need not have a changed record: it may exist without records, or
     * belong to no zone.
     *
     * @param changed the stored names whose data differ between the two revisions
     */
    boolean hasRecords(Collection<OwnerName> changed) {
        // One difference is enough, and comparing a large name reads thousands of records.
        for (OwnerName name : changed) {
            if (isSmall(before.stored(name)) && isSmall(after.stored(name)) && !isSame(name)) {
                return true;
            }
        }
        for (OwnerName name : changed) {
            if (!isSame(name)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isSmall(@Nullable NameData data) {
        return data == null
                || data.srvCount() + data.addressCount(IpFamily.IPV4) + data.addressCount(IpFamily.IPV6) < SMALL;
    }

    /** Returns whether the records that depend on a stored name are the same. */
    private boolean isSame(OwnerName name) {
        if (name instanceof OwnerName.Forward forward) {
            return isSame(forward.labels());
        }
        if (name instanceof OwnerName.Reverse reverse) {
            return isSame(reverse.address());
        }
        throw new AssertionError(name);
    }

    /** Returns whether the records of a name below the forward zones are the same, synthesized ones included. */
    private boolean isSame(DnsLabels labels) {
        NameData old = orAbsent(before.data(labels));
        NameData now = orAbsent(after.data(labels));
        for (DnsLabels zone : zones) {
            if (rules.owns(zone, labels) && !now.in(zone).areSameAs(old.in(zone))) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the PTR records of an address, and the records of the names that contain it, are the same. */
    private boolean isSame(IpAddress address) {
        NameData old = orAbsent(before.at(address));
        NameData now = orAbsent(after.at(address));
        boolean samePtrTargets = served.reverseZoneOf(address).isEmpty()
                || now.in(rules.ptrTargetZone()).areSameAs(old.in(rules.ptrTargetZone()));
        return samePtrTargets
                && Stream.of(old, now)
                        .flatMap(data -> rules.synthesizedNames(address, data).stream())
                        .allMatch(this::isSame);
    }

    private static NameData orAbsent(@Nullable NameData data) {
        return data == null ? NameData.ABSENT : data;
    }
}
