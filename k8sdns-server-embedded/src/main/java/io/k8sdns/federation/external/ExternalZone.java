package io.k8sdns.federation.external;

import io.k8sdns.arguments.Copies;
import io.k8sdns.name.DnsLabels;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A zone that clients outside of the clusters use, at whoever serves it. An extension point; {@code io.k8sdns.rfc2136.Rfc2136Zone}, in
 * a module of its own, changes the zone of a name server by RFC 2136.
 *
 * <p>Calls block, and end in bounded time. Used by one thread at a time, but closed by any.
 */
public interface ExternalZone extends AutoCloseable {
    /** The most changes of one call. */
    int MAX_BATCH = 100;

    /**
     * Returns the names that have an owner record, of any owner.
     *
     * @param names what is wanted: a zone that cannot list all of its names has to look for these at least
     * @throws ExternalZoneException if the zone cannot be read
     */
    Listing list(Set<DnsLabels> names) throws ExternalZoneException;

    /**
     * Makes changes, each of them wholly or not at all, and independently of the others. Reads each name afterwards.
     *
     * @param changes at most {@link #MAX_BATCH}, each of another name
     * @return a result for each name
     */
    Map<DnsLabels, ChangeResult> apply(List<NameChange> changes);

    /** Ends a call under way, which then fails, and frees what the zone uses. Closing again does nothing. */
    @Override
    void close();

    /**
     * What a zone has.
     *
     * @param isComplete whether every name with an owner record is here; otherwise names that are no longer wanted may stay
     * @param owned the records of the names that have an owner record
     */
    record Listing(boolean isComplete, Map<DnsLabels, OwnedRecords> owned) {
        /** Copies the map. */
        public Listing {
            owned = Copies.map("owned", owned);
        }
    }
}
