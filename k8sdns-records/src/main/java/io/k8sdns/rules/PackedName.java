package io.k8sdns.rules;

import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.name.DnsLabels;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The form in which a name is stored: one array. Lookup time is dominated by dependent memory loads, memory by object headers; one array
 * needs the fewest of both.
 *
 * <pre>
 * name      wire form with its root label; for an address the first PTR target, else the first Service, else the root
 * flags     one byte, a bit for each section that follows, in this order:
 *   A         count, 4 bytes each
 *   AAAA      count, 16 bytes each
 *   TXT       TTL (8 bytes), length byte, text
 *   CNAME     name
 *   PTR       count, names; count, names of the other candidates, best first
 *   services  count, names (those that publish an address)
 *   pods      count, names of one label (namespaces of an address)
 *   SRV       number of pairs of address and port (a count), count, {@link PackedSrvs records}
 * </pre>
 *
 * <p>The first name of an address is there only to shorten the names that follow: {@code 10.96.0.20} begins with {@code
 * cart.shop.svc}, so that its PTR target is one byte.
 *
 * <p>A count up to 127 is one byte, a larger one four bytes with the first bit set. A name is written as its labels and the root label. If
 * it ends with the first name of the array, or with that name without its first {@code n} labels, the byte {@code 0xC0 + n} replaces this
 * end: after {@code web.shop.svc} the name {@code web-0.web.shop.svc} is {@code 05 'w' 'e' 'b' '-' '0' C0}, and {@code shop.svc} is {@code
 * C1}. Equal data of one name have equal bytes, except for SRV records: different numbers of pairs may give the same weight, and edits may
 * divide the records into other runs.
 */
final class PackedName {
    static final int A = 1;
    static final int AAAA = 1 << 1;
    static final int TXT = 1 << 2;
    static final int CNAME = 1 << 3;
    static final int PTR = 1 << 4;
    static final int SERVICES = 1 << 5;
    static final int PODS = 1 << 6;
    static final int SRV = 1 << 7;

    /** The last byte of a name that ends like the first name. Its lower six bits are {@code n}, the number of labels to skip there. */
    private static final int REFERENCE = 0xC0;

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private PackedName() {}

    /** Returns the offset of the flags, which follow the first name. */
    static int flagsAt(byte[] packed) {
        int at = 0;
        while (packed[at] != 0) {
            at += 1 + packed[at];
        }
        return at + 1;
    }

    static int count(byte[] packed, int at) {
        int count = packed[at];
        return count >= 0 ? count : (int) INT.get(packed, at) & 0x7FFF_FFFF;
    }

    static int afterCount(byte[] packed, int at) {
        return packed[at] >= 0 ? at + 1 : at + 4;
    }

    static int ipv4(byte[] packed, int at) {
        return (int) INT.get(packed, at);
    }

    /** Returns the offset of a section, or the offset that it would have. */
    static int sectionAt(byte[] packed, int flagsAt, int section) {
        int flags = packed[flagsAt];
        int at = flagsAt + 1;
        if (section > A && (flags & A) != 0) {
            at = afterCount(packed, at) + count(packed, at) * IpFamily.IPV4.byteCount();
        }
        if (section > AAAA && (flags & AAAA) != 0) {
            at = afterCount(packed, at) + count(packed, at) * IpFamily.IPV6.byteCount();
        }
        if (section > TXT && (flags & TXT) != 0) {
            at += 9 + (packed[at + 8] & 0xFF);
        }
        if (section > CNAME && (flags & CNAME) != 0) {
            at = afterName(packed, at);
        }
        for (int list = PTR; list < SRV; list <<= 1) {
            if (section > list && (flags & list) != 0) {
                at = afterNames(packed, at);
                if (list == PTR) {
                    at = afterNames(packed, at);
                }
            }
        }
        return at;
    }

    /** Returns the offset after a list of names; the list begins with its count. */
    static int afterNames(byte[] packed, int list) {
        int left = count(packed, list);
        int at = afterCount(packed, list);
        for (; left > 0; left--) {
            at = afterName(packed, at);
        }
        return at;
    }

    /** Writes a count and returns the offset after it. */
    private static int writeCount(int count, byte[] bytes, int at) {
        if (count <= 0x7F) {
            bytes[at] = (byte) count;
            return at + 1;
        }
        INT.set(bytes, at, count | 1 << 31);
        return at + 4;
    }

    static int afterName(byte[] packed, int from) {
        int at = from;
        while (packed[at] > 0) {
            at += 1 + packed[at];
        }
        return at + 1;
    }

    /** Returns whether a name is a reference to the whole first name. */
    static boolean isReferenceToFirst(byte[] packed, int at) {
        return (packed[at] & 0xFF) == REFERENCE;
    }

    /** Returns the offset in the first name that a reference stands for. */
    static int referenceAt(byte[] packed, int reference) {
        int at = 0;
        for (int label = packed[reference] & 0x3F; label > 0; label--) {
            at += 1 + packed[at];
        }
        return at;
    }

    static DnsLabels name(byte[] packed, int from) {
        int end = afterName(packed, from) - 1;
        if (packed[end] == 0) {
            return DnsLabels.ofWire(packed, from, end);
        }
        int restAt = referenceAt(packed, end);
        int restEnd = flagsAt(packed) - 1;
        if (end == from) {
            return DnsLabels.ofWire(packed, restAt, restEnd);
        }
        byte[] wire = new byte[end - from + restEnd - restAt];
        System.arraycopy(packed, from, wire, 0, end - from);
        System.arraycopy(packed, restAt, wire, end - from, restEnd - restAt);
        return DnsLabels.ofWire(wire, 0, wire.length);
    }

    /** Writes packed names. */
    static final class Writer {
        /** The first name; null if only its bytes are known. */
        private final @Nullable DnsLabels firstName;

        /** An array that begins with the first name: {@link #firstLength} bytes and the root label. */
        private final byte[] first;

        private final int firstLength;

        private byte[] bytes;
        private int at;

        /**
         * Creates a writer of a whole packed form, and writes the first name.
         *
         * @param sizeHint the estimated number of bytes after that name
         */
        Writer(DnsLabels name, int sizeHint) {
            firstName = name;
            firstLength = name.wireLength();
            bytes = new byte[firstLength + 1 + sizeHint];
            name.copyTo(bytes, 0);
            at = firstLength + 1;
            first = bytes;
        }

        /** Creates a writer of new sections for the first name of a packed form. */
        Writer(byte[] packed, int flagsAt) {
            firstName = null;
            first = packed;
            firstLength = flagsAt - 1;
            bytes = new byte[256];
        }

        /** Returns an empty writer of sections for the same first name. Its bytes can be appended to this writer. */
        Writer ofSameName() {
            return new Writer(first, firstLength + 1);
        }

        @SuppressWarnings("ReferenceEquality") // a shortcut; an equal name is found by its bytes
        private boolean isFirst(DnsLabels name) {
            return name == firstName;
        }

        /**
         * Writes a section of addresses.
         *
         * @param raw the addresses in network order, one after another
         */
        void putAddresses(IpFamily family, byte[] raw) {
            putCount(raw.length / family.byteCount());
            putBytes(raw);
        }

        /**
         * Writes a section of addresses; the same as {@link #putAddresses(IpFamily, byte[])}, without an array.
         *
         * @param addresses at least one address, all of one family
         */
        void putAddresses(List<IpAddress> addresses) {
            putCount(addresses.size());
            ensureRoom(addresses.size() * addresses.get(0).family().byteCount());
            for (IpAddress address : addresses) {
                if (!address.isIpv4()) {
                    putWord((int) (address.high() >>> 32));
                    putWord((int) address.high());
                    putWord((int) (address.low() >>> 32));
                }
                putWord((int) address.low());
            }
        }

        private void putWord(int word) {
            INT.set(bytes, at, word);
            at += 4;
        }

        void putRange(byte[] source, int from, int to) {
            ensureRoom(to - from);
            System.arraycopy(source, from, bytes, at, to - from);
            at += to - from;
        }

        void putByte(int value) {
            ensureRoom(1);
            bytes[at++] = (byte) value;
        }

        void putBytes(byte[] source) {
            putRange(source, 0, source.length);
        }

        void putCount(int count) {
            ensureRoom(count <= 0x7F ? 1 : 4);
            at = writeCount(count, bytes, at);
        }

        void putNumber(long value, int length) {
            for (int shift = 8 * (length - 1); shift >= 0; shift -= 8) {
                putByte((int) (value >>> shift));
            }
        }

        void putName(DnsLabels name) {
            if (isFirst(name)) {
                putByte(REFERENCE);
                return;
            }
            int length = name.wireLength();
            ensureRoom(length + 1);
            name.copyTo(bytes, at);
            // A reference overwrites the labels that both names end with.
            int shared = sharedFrom(bytes, at, at + length);
            at += length - sharedLength(shared);
            putByte(lastByte(shared));
        }

        /** Returns whether a name is written as a reference only, because it is the first name or a parent of it. */
        boolean isReference(byte[] wire) {
            return sharedLength(sharedFrom(wire, 0, wire.length)) == wire.length;
        }

        /**
         * Returns how many labels of the first name to skip, as few as possible, so that the rest is also the end of the other name; -1
         * if there is no common end.
         */
        private int sharedFrom(byte[] wire, int from, int to) {
            for (int label = 0, firstFrom = 0; firstFrom < firstLength && label < 0x3F; label++) {
                if (endsWithFirst(wire, from, to, firstFrom)) {
                    return label;
                }
                firstFrom += 1 + first[firstFrom];
            }
            return -1;
        }

        /** Returns the length of the first name from a label on; 0 for -1. */
        private int sharedLength(int label) {
            if (label < 0) {
                return 0;
            }
            int from = 0;
            for (int left = label; left > 0; left--) {
                from += 1 + first[from];
            }
            return firstLength - from;
        }

        private static int lastByte(int label) {
            return label < 0 ? 0 : REFERENCE | label;
        }

        /** Compares bytes, so that a reference preserves the case of a name. */
        private boolean endsWithFirst(byte[] wire, int from, int to, int firstFrom) {
            int start = to - (firstLength - firstFrom);
            int label = from;
            while (label < start) {
                label += 1 + wire[label];
            }
            return label == start && Arrays.equals(wire, start, to, first, firstFrom, firstLength);
        }

        private void ensureRoom(int more) {
            if (at + more > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(at + more, bytes.length * 2));
            }
        }

        /** Returns the whole packed form: the first name, the flags, and the sections that were written. */
        byte[] withFirstName(int flags) {
            byte[] whole = new byte[firstLength + 2 + at];
            System.arraycopy(first, 0, whole, 0, firstLength);
            whole[firstLength + 1] = (byte) flags;
            System.arraycopy(bytes, 0, whole, firstLength + 2, at);
            return whole;
        }

        byte[] written() {
            return at == bytes.length ? bytes : Arrays.copyOf(bytes, at);
        }
    }
}
