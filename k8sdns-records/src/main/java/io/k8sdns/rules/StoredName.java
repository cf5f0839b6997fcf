package io.k8sdns.rules;

import io.k8sdns.model.Internal;
import io.k8sdns.model.IpFamily;

/**
 * A reusable cursor over the data of a packed name; allocates nothing. {@link NameData} is the view for all other uses. Not thread-safe.
 */
@Internal
public final class StoredName {
    private static final byte[] NO_DATA = NameData.ABSENT.packed();

    private byte[] packed = NO_DATA;

    /** The offset of the flags, after the name. */
    private int flagsAt = 1;

    private int flags;

    /** Creates a cursor over a name without data. */
    public StoredName() {}

    /**
     * Moves to a name.
     *
     * @param stored the {@link NameData#packed} form of the name
     * @param nameLength the length of the name at the beginning of that form, in wire form without the root label
     */
    public void moveTo(byte[] stored, int nameLength) {
        packed = stored;
        flagsAt = nameLength + 1;
        flags = stored[flagsAt];
    }

    /** Moves to a name whose length is unknown. */
    public void moveTo(byte[] stored) {
        moveTo(stored, PackedName.flagsAt(stored) - 1);
    }

    /** Returns whether there are records of a type; see {@link NameData#has}. */
    public boolean has(int type) {
        return (flags & NameData.sectionBit(type)) != 0;
    }

    /** Returns whether this name is an alias. */
    public boolean isAlias() {
        return (flags & PackedName.CNAME) != 0;
    }

    /** Returns the number of addresses of a family. */
    public int addressCount(IpFamily family) {
        int section = NameData.sectionBit(family);
        return (flags & section) == 0 ? 0 : PackedName.count(packed, PackedName.sectionAt(packed, flagsAt, section));
    }

    /**
     * Returns the offset of the addresses of a family, for {@link #ipv4} and {@link #copyAddress}; there must be one.
     */
    public int addressesAt(IpFamily family) {
        return PackedName.afterCount(packed, PackedName.sectionAt(packed, flagsAt, NameData.sectionBit(family)));
    }

    /**
     * Returns an IPv4 address as a number.
     *
     * @param addressesAt the offset of the addresses of its family
     * @param index the index of the address, from 0
     */
    public int ipv4(int addressesAt, int index) {
        return PackedName.ipv4(packed, addressesAt + 4 * index);
    }

    /**
     * Copies an address, in network order.
     *
     * @param addressesAt the offset of the addresses of its family
     * @param index the index of the address, from 0
     * @param bytes the array to copy to
     * @param to the offset there; 4 or 16 bytes are written
     */
    public void copyAddress(IpFamily family, int addressesAt, int index, byte[] bytes, int to) {
        int length = family.byteCount();
        System.arraycopy(packed, addressesAt + length * index, bytes, to, length);
    }

    /** Returns the TTL in seconds of the text; there must be one. */
    public long textTtlSeconds() {
        int text = PackedName.sectionAt(packed, flagsAt, PackedName.TXT);
        return (long) PackedName.ipv4(packed, text) << 32 | PackedName.ipv4(packed, text + 4) & 0xFFFF_FFFFL;
    }

    /** Returns the length of the text in bytes; there must be one. */
    public int textLength() {
        return packed[PackedName.sectionAt(packed, flagsAt, PackedName.TXT) + 8] & 0xFF;
    }

    /** Copies the text; there must be one. */
    public void copyText(byte[] bytes, int to) {
        System.arraycopy(packed, PackedName.sectionAt(packed, flagsAt, PackedName.TXT) + 9, bytes, to, textLength());
    }

    /**
     * Returns the length in wire form, without the root label, of the only PTR target; -1 if there are none or several.
     */
    public int onlyPtrTargetLength() {
        if ((flags & PackedName.PTR) == 0) {
            return -1;
        }
        int list = PackedName.sectionAt(packed, flagsAt, PackedName.PTR);
        return packed[list] == 1 && PackedName.isReferenceToFirst(packed, list + 1) ? flagsAt - 1 : -1;
    }

    /** Returns whether there is one PTR target and no other candidate, so that every view shows this target or none. */
    public boolean hasOnlyPtrTarget() {
        return onlyPtrTargetLength() >= 0
                && packed[PackedName.afterNames(packed, PackedName.sectionAt(packed, flagsAt, PackedName.PTR))] == 0;
    }

    /**
     * Returns the packed form. If there is only one PTR target, the form begins with it, in wire form. The caller must not change the
     * array.
     */
    public byte[] packed() {
        return packed;
    }

    /**
     * Returns the offset, in this name in wire form, of the target of the only SRV record: the name of the Service that a port belongs to
     * is the end of the port's name. -1 if there are no or several SRV records, or the target is not the end of this name.
     */
    public int onlySrvTargetAt() {
        if ((flags & PackedName.SRV) == 0) {
            return -1;
        }
        int count = PackedName.afterCount(packed, srvsAt());
        return packed[count] == 1 ? PackedSrvs.wholeTargetAt(packed, PackedName.afterCount(packed, count)) : -1;
    }

    /** Returns the weight of the SRV records; there must be one. */
    public int srvWeight() {
        return NameAssembly.srvWeight(PackedName.count(packed, srvsAt()));
    }

    /** Returns the port of the first SRV record; there must be one. */
    public int srvPort() {
        int count = PackedName.afterCount(packed, srvsAt());
        return PackedSrvs.port(packed, PackedName.afterCount(packed, count));
    }

    private int srvsAt() {
        return PackedName.sectionAt(packed, flagsAt, PackedName.SRV);
    }

    /** Returns the length of the name in wire form, without the root label. */
    public int nameLength() {
        return flagsAt - 1;
    }

    /** Copies the labels of the name from an offset on, in wire form without the root label. */
    public void copyName(int from, byte[] bytes, int to) {
        System.arraycopy(packed, from, bytes, to, flagsAt - 1 - from);
    }

    /** Copies the only PTR target, in wire form without the root label; there must be one. */
    public void copyOnlyPtrTarget(byte[] bytes, int to) {
        copyName(0, bytes, to);
    }
}
