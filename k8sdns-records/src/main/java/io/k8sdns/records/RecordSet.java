package io.k8sdns.records;

import java.util.List;
import java.util.Objects;
import org.xbill.DNS.Name;
import org.xbill.DNS.RRset;
import org.xbill.DNS.Record;

/**
 * All records of one name and type: an RRset that does not change, in canonical order (RFC 4034, 6.3), without
 * duplicates.
 *
 * @param owner the owner name, absolute
 * @param type the type number
 * @param ttlSeconds the lifetime in seconds, equal for all records (RFC 2181, 5.2)
 * @param records the records; at least one
 */
public record RecordSet(Name owner, int type, long ttlSeconds, List<Record> records) {
    /** Checks that there is a record and copies the list. */
    public RecordSet {
        Objects.requireNonNull(owner, "owner");
        records = List.copyOf(records);
        if (records.isEmpty()) {
            throw new IllegalArgumentException("an RRset has at least one record: " + owner);
        }
    }

    /** Returns a set of one record. */
    public static RecordSet of(Record only) {
        return new RecordSet(only.getName(), only.getType(), only.getTTL(), List.of(only));
    }

    /**
     * Returns these records as dnsjava's type, for callers that need it.
     *
     * <p>Cost: quadratic in the number of records (dnsjava compares each new record with all before it).
     */
    public RRset toRRset() {
        return new RRset(records.toArray(Record[]::new));
    }
}
