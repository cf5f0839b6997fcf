package io.k8sdns.dnsjava;

import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.Objects;
import java.util.RandomAccess;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/**
 * The addresses of one family of a name as records, in canonical order, without duplicates. Each call of {@link #get} creates the record: a
 * Service may have thousands, but an answer holds about thirty.
 */
@Internal
public final class AddressRecords extends AbstractList<Record> implements RandomAccess {
    private final byte[] addresses;
    private final int from;
    private final int count;
    private final IpFamily family;
    private final Name owner;
    private final long ttlSeconds;

    /**
     * Creates a list of the addresses in an array, which are sorted and follow one another.
     *
     * @param addresses the array; not copied
     * @param from the offset of the first address
     * @param count the number of addresses
     * @param family the family of all addresses
     * @param owner the owner name of the records, absolute
     * @param ttlSeconds the TTL of the records in seconds
     */
    public AddressRecords(byte[] addresses, int from, int count, IpFamily family, Name owner, long ttlSeconds) {
        this.addresses = addresses;
        this.from = from;
        this.count = count;
        this.family = family;
        this.owner = owner;
        this.ttlSeconds = ttlSeconds;
    }

    /** Returns whether the records are of this owner, type and TTL. */
    public boolean areOf(Name someOwner, int someType, long someTtlSeconds) {
        return ttlSeconds == someTtlSeconds
                && someType == (family == IpFamily.IPV4 ? Type.A : Type.AAAA)
                && owner.equals(someOwner);
    }

    @Override
    public int size() {
        return count;
    }

    @Override
    public Record get(int index) {
        int at = from + Objects.checkIndex(index, count) * family.byteCount();
        return record(owner, family, Arrays.copyOfRange(addresses, at, at + family.byteCount()), ttlSeconds);
    }

    /** Returns the A or AAAA record of an address. */
    public static Record record(Name owner, IpAddress address, long ttlSeconds) {
        return record(owner, address.family(), address.bytes(), ttlSeconds);
    }

    private static Record record(Name owner, IpFamily family, byte[] address, long ttlSeconds) {
        return family == IpFamily.IPV4
                ? new ARecord(owner, DClass.IN, ttlSeconds, address)
                : new AAAARecord(owner, DClass.IN, ttlSeconds, address);
    }
}
