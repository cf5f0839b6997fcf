package io.k8sdns.federation.external;

import io.k8sdns.arguments.Copies;
import io.k8sdns.name.DnsLabels;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A zone for clients outside of the clusters, on another DNS server. An extension point: {@code Rfc2136Zone} in the module {@code
 * k8sdns-rfc2136} updates the zone of a name server with RFC 2136.
 *
 * <p>Calls block for a bounded time. Used by one thread at a time; {@link #close} can be called by any thread.
 */
public interface ExternalZone extends AutoCloseable {
    /** The largest number of changes in one call. */
    int MAX_BATCH = 100;

    /**
     * Returns the names with an owner record, of any owner.
     *
     * @param names the wanted names. An implementation that cannot list all names must look up at least these
     * @throws ExternalZoneException if the zone cannot be read
     */
    Listing list(Set<DnsLabels> names) throws ExternalZoneException;

    /**
     * Applies changes, each atomically and independently of the others. Reads each name afterwards.
     *
     * @param changes at most {@link #MAX_BATCH}, each of another name
     * @return a result for each name
     */
    Map<DnsLabels, ChangeResult> apply(List<NameChange> changes);

    /** Releases the resources of the zone. A running call fails. Idempotent. */
    @Override
    void close();

    /**
     * The names in a zone that have an owner record.
     *
     * @param isComplete whether all names with an owner record are listed; otherwise names that are no longer wanted may remain
     * @param owned the records of the names that have an owner record
     */
    record Listing(boolean isComplete, Map<DnsLabels, OwnedRecords> owned) {
        /** Copies the map. */
        public Listing {
            owned = Copies.map("owned", owned);
        }
    }
}
