package io.k8sdns.rfc2136;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.federation.external.NameChange;
import io.k8sdns.federation.external.OwnedRecords;
import io.k8sdns.records.RecordType;
import java.util.List;
import java.util.Optional;
import org.xbill.DNS.Name;
import org.xbill.DNS.Type;
import org.xbill.DNS.Update;

/**
 * Creates the dynamic update (RFC 2136) of one name: one message with the owner record as its prerequisite, which the server applies
 * atomically.
 *
 * <p>A message always removes and adds all records of the name, because servers ignore a CNAME that is added to other records, and the
 * reverse, and Knot DNS ignores a record that differs only in its TTL.
 */
final class UpdateMessages {
    /** The removed types, in this order. Other types at the name are not changed. */
    private static final List<RecordType> REMOVED = List.of(RecordType.A, RecordType.AAAA, RecordType.CNAME);

    /** The TTL of owner records of names without records. */
    private static final long DEFAULT_TTL_SECONDS = 180;

    private UpdateMessages() {}

    /**
     * Returns the message of a change.
     *
     * @param zone the apex
     */
    static Update of(Name zone, NameChange change) {
        Update update = new Update(zone);
        Name name = DnsNames.absolute(change.name());
        Optional<OwnedRecords> before = change.before();
        Optional<OwnedRecords> after = change.after();
        if (before.isPresent()) {
            // Servers reject a prerequisite whose TTL is not 0 (FORMERR), and dnsjava does not set it to 0.
            update.present(before.get().ownerRecord(0));
            REMOVED.forEach(type -> update.delete(name, type.number()));
        } else {
            update.absent(name);
            update.absent(ownerName(after.orElseThrow()), Type.TXT);
        }
        after.ifPresent(
                records -> records.records().forEach(set -> set.records().forEach(update::add)));
        boolean isSameOwner = before.map(OwnedRecords::owner).equals(after.map(OwnedRecords::owner));
        if (!isSameOwner) {
            before.ifPresent(old -> update.delete(ownerName(old), Type.TXT));
            after.ifPresent(records -> update.add(records.ownerRecord(ttlSeconds(records))));
        }
        return update;
    }

    private static Name ownerName(OwnedRecords records) {
        return records.ownerRecord(0).getName();
    }

    private static long ttlSeconds(OwnedRecords records) {
        return records.records().isEmpty()
                ? DEFAULT_TTL_SECONDS
                : records.records().get(0).ttlSeconds();
    }
}
