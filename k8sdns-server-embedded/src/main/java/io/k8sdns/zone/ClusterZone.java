package io.k8sdns.zone;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.records.OwnerName;
import io.k8sdns.records.RecordRules;
import java.util.List;
import java.util.Objects;

/**
 * The zone of a cluster: takes changes, publishes an immutable {@link ZoneRevision} after each batch.
 *
 * <p>Writing: one batch at a time. {@link #apply} may be called from several threads; a call waits for the one before.
 * Which batch comes first is then theirs to settle, so that a source delivers from one thread at a time.
 *
 * <p>Reading: {@link #current()} never waits. Whoever answers a question reads it once and takes everything from that
 * revision; a later read never gives an earlier revision, on whatever thread.
 *
 * <p>The state after any batches is that of all objects that are left, in whatever order and portions they came: the
 * same as {@link #of} of these objects, but for the serial.
 */
public final class ClusterZone {
    private final ClusterObjects objects;
    private volatile ZoneRevision current;

    private ClusterZone(RecordRules rules, Visibility visibility, Serial serial) {
        Objects.requireNonNull(rules, "rules");
        this.objects = new ClusterObjects(rules, Objects.requireNonNull(visibility, "visibility"));
        Ledger ledger = new Ledger(rules, NameTable.EMPTY, AddressTable.EMPTY);
        ledger.adds(new Publisher.Apex());
        ledger.finish();
        this.current =
                new ZoneRevision(rules, new ServedZones(rules.settings()), ledger.names(), ledger.addresses(), serial);
    }

    /**
     * Returns the zone of a cluster without objects, with the serial 0: the first record of the cluster makes it 1, or
     * what the host hands in.
     */
    public static ClusterZone empty(RecordRules rules, Visibility visibility) {
        return new ClusterZone(rules, visibility, new Serial(0));
    }

    /** Returns the zone of a snapshot, with the serial 1. */
    public static ClusterZone of(ClusterSnapshot snapshot, RecordRules rules, Visibility visibility) {
        return of(snapshot, rules, visibility, 1);
    }

    /**
     * Returns the zone of a snapshot.
     *
     * @param snapshot all objects
     * @param rules which records they make
     * @param visibility which of them are published
     * @param serial the SOA serial, an unsigned 32-bit number
     * @throws IllegalArgumentException if the serial is none
     */
    public static ClusterZone of(ClusterSnapshot snapshot, RecordRules rules, Visibility visibility, long serial) {
        Objects.requireNonNull(snapshot, "snapshot");
        Serial only = new Serial(serial);
        ClusterZone zone = new ClusterZone(rules, visibility, only);
        List<ClusterChange> all = snapshot.objects().stream()
                .<ClusterChange>map(ClusterChange.Put::new)
                .toList();
        zone.publish(all, only);
        return zone;
    }

    /** Returns the revision that was published last. */
    public ZoneRevision current() {
        return current;
    }

    /**
     * Applies some changes, all at once: no reader sees a part of them. The serial goes up by one if a record changed.
     *
     * <p>If a predicate of the {@link Visibility} throws, so does this, and nothing has changed.
     *
     * @param batch the changes, in their order
     */
    public synchronized ZoneChange apply(List<ClusterChange> batch) {
        return apply(batch, current.serialNumber().next());
    }

    /**
     * Applies some changes, all at once, or none, as {@link #apply(List)} does.
     *
     * @param batch the changes, in their order
     * @param serialHint the serial to take if a record changed and this one is later than the next (RFC 1982), for
     *     example the time in seconds, so that a server that starts anew does not fall behind itself; an unsigned 32-bit
     *     number
     * @throws IllegalArgumentException if the hint is no such number
     */
    public synchronized ZoneChange apply(List<ClusterChange> batch, long serialHint) {
        return apply(batch, current.serialNumber().next(new Serial(serialHint)));
    }

    private ZoneChange apply(List<ClusterChange> batch, Serial ifRecordsChange) {
        List<OwnerName> changed = publish(batch, ifRecordsChange);
        return new ZoneChange(current, changed);
    }

    /** Returns the names that own something else than before, each once. */
    private List<OwnerName> publish(List<ClusterChange> batch, Serial ifRecordsChange) {
        ZoneRevision before = current;
        Ledger ledger = before.edit();
        objects.apply(batch, ledger::alters);
        List<OwnerName> changed = ledger.finish();
        ZoneRevision after = before.with(ledger.names(), ledger.addresses());
        boolean recordsChange = after.differsFrom(before, changed);
        current = recordsChange ? after.with(ifRecordsChange) : after;
        return changed;
    }
}
