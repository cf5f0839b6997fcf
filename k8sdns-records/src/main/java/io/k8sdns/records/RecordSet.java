package io.k8sdns.records;

import io.k8sdns.arguments.Copies;
import io.k8sdns.dnsjava.AddressRecords;
import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.RRset;
import org.xbill.DNS.Record;
import org.xbill.DNS.TXTRecord;

/**
 * All records of one name and type: an immutable RRset, in canonical order (RFC 4034, 6.3), without duplicates. {@link #inOrder}
 * keeps another order, which is then part of the value: sets that differ in order are not equal.
 *
 * @param owner the owner name, absolute
 * @param type the type
 * @param ttlSeconds the TTL in seconds, equal for all records (RFC 2181, 5.2)
 * @param records the records in canonical order, or in that of {@link #inOrder}; at least one. Address records may be created again
 *     at each access
 */
public record RecordSet(Name owner, RecordType type, long ttlSeconds, List<Record> records) {
    /**
     * Sorts the records canonically and removes duplicates.
     *
     * @throws IllegalArgumentException if there is no record, or one of another owner, type or TTL
     */
    @Internal
    public RecordSet {
        Objects.requireNonNull(owner, "owner");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(records, "records");
        if (records.isEmpty()) {
            throw new IllegalArgumentException("an RRset has at least one record: " + owner);
        }
        if (!(records instanceof AddressRecords addresses) || !addresses.areOf(owner, type.number(), ttlSeconds)) {
            boolean isOrdered = records instanceof OrderedRecords;
            records = isOrdered ? records : Copies.list("records", records);
            for (Record one : records) {
                if (one.getType() != type.number()
                        || one.getTTL() != ttlSeconds
                        || !one.getName().equals(owner)) {
                    throw new IllegalArgumentException("not of " + owner + " " + type + ": " + one);
                }
            }
            records = isOrdered ? ((OrderedRecords) records).withoutDuplicates() : canonical(records);
        }
    }

    /** Sorts by the unsigned bytes of the data. Encodes each record once, because dnsjava would encode it for each comparison. */
    private static List<Record> canonical(List<Record> records) {
        if (records.size() == 1) {
            return List.copyOf(records);
        }
        List<byte[]> data = new ArrayList<>(records.size());
        boolean inOrder = true;
        for (int i = 0; i < records.size(); i++) {
            data.add(records.get(i).rdataToWireCanonical());
            inOrder &= i == 0 || Arrays.compareUnsigned(data.get(i - 1), data.get(i)) < 0;
        }
        if (inOrder) {
            return List.copyOf(records);
        }
        Map<byte[], Record> byData = new TreeMap<>(Arrays::compareUnsigned);
        for (int i = 0; i < records.size(); i++) {
            byData.putIfAbsent(data.get(i), records.get(i));
        }
        return List.copyOf(byData.values());
    }

    /** Returns a set of one record. */
    public static RecordSet of(Record only) {
        Objects.requireNonNull(only, "only");
        return new RecordSet(only.getName(), RecordType.of(only.getType()), only.getTTL(), List.of(only));
    }

    /**
     * Returns a set of records that have one owner, type and TTL.
     *
     * @throws IllegalArgumentException if there is no record, or they differ in one of these
     */
    public static RecordSet of(List<Record> records) {
        List<Record> all = Copies.list("records", records);
        if (all.isEmpty()) {
            throw new IllegalArgumentException("records is empty: pass at least one");
        }
        return of(all.get(0), all);
    }

    /**
     * Returns a set of records that have one owner, type and TTL, in the order given: as a server sent them, or the nearest first.
     *
     * @throws IllegalArgumentException if there is no record, or they differ in one of these
     */
    public static RecordSet inOrder(List<Record> records) {
        List<Record> all = Copies.list("records", records);
        return all.isEmpty() ? of(all) : of(all.get(0), new OrderedRecords(all));
    }

    private static RecordSet of(Record first, List<Record> all) {
        return new RecordSet(first.getName(), RecordType.of(first.getType()), first.getTTL(), all);
    }

    /** Returns the number of the type. */
    @Internal
    public int typeNumber() {
        return type.number();
    }

    /**
     * Returns the records as text in order, one per line, without line breaks: {@code name TTL IN TYPE rdata} with one blank
     * between fields, absolute names, addresses as in RFC 5952, texts in quotes.
     */
    public Stream<String> lines() {
        String head = owner + " " + ttlSeconds + " IN " + type + " ";
        return records.stream().map(one -> head + data(one));
    }

    /** Returns the data of a record as text. dnsjava prints IPv6 addresses unshortened, and quotes a text only if necessary. */
    private static String data(Record one) {
        if (one instanceof AAAARecord aaaa) {
            return IpAddress.ofBytes(aaaa.getAddress().getAddress()).toString();
        }
        if (one instanceof TXTRecord txt) {
            return txt.getStrings().stream().map(text -> '"' + text + '"').collect(Collectors.joining(" "));
        }
        return one.rdataToString();
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
