package io.k8sdns.federation.external;

import io.k8sdns.arguments.Copies;
import io.k8sdns.name.DnsLabels;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** A zone in memory, for tests. Thread-safe. */
public final class MemoryExternalZone implements ExternalZone {
    // Guarded by this.
    private final Map<DnsLabels, OwnedRecords> owned = new HashMap<>();
    private final Set<DnsLabels> foreign = new HashSet<>();
    private long serial = 1;
    private boolean closed;

    /** Creates a zone without names. */
    public MemoryExternalZone() {}

    @Override
    public synchronized Listing list(Set<DnsLabels> names) throws ExternalZoneException {
        Objects.requireNonNull(names, "names");
        if (closed) {
            throw new ExternalZoneException("the zone is closed", false);
        }
        return new Listing(true, owned);
    }

    @Override
    public synchronized Map<DnsLabels, ChangeResult> apply(List<NameChange> changes) {
        Map<DnsLabels, ChangeResult> results = new HashMap<>();
        for (NameChange change : Copies.list("changes", changes)) {
            results.put(
                    change.name(),
                    closed ? new ChangeResult(ChangeResult.Kind.PERMANENT, "the zone is closed") : apply(change));
        }
        return results;
    }

    private ChangeResult apply(NameChange change) {
        Optional<String> owner = Optional.ofNullable(owned.get(change.name())).map(OwnedRecords::owner);
        if (!owner.equals(change.before().map(OwnedRecords::owner))) {
            return new ChangeResult(ChangeResult.Kind.CONFLICT, "the owner record is " + owner.orElse("absent"));
        }
        if (owner.isEmpty() && foreign.contains(change.name())) {
            return new ChangeResult(ChangeResult.Kind.CONFLICT, "the name is in use");
        }
        change.after().ifPresentOrElse(this::put, () -> remove(change.name()));
        return ChangeResult.APPLIED;
    }

    /** Sets the records of a name, like another program would. */
    public synchronized void put(OwnedRecords records) {
        owned.put(Objects.requireNonNull(records, "records").name(), records);
        serial++;
    }

    /** Removes a name and its owner record if present, like another program would. */
    public synchronized void remove(DnsLabels name) {
        owned.remove(Objects.requireNonNull(name, "name"));
        serial++;
    }

    /** Sets whether a name has records without an owner record. */
    public synchronized void foreign(DnsLabels name, boolean isThere) {
        Objects.requireNonNull(name, "name");
        boolean unused = isThere ? foreign.add(name) : foreign.remove(name);
    }

    /** Returns all names with an owner record. */
    public synchronized Map<DnsLabels, OwnedRecords> content() {
        return Map.copyOf(owned);
    }

    /** Returns a number that grows with each change. */
    public synchronized long serial() {
        return serial;
    }

    @Override
    public synchronized void close() {
        closed = true;
    }
}
