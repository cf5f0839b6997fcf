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
 * The form in which a name is stored: one array, since the cost of a look-up is that of the memory loads that depend on each other, and
 * the cost of memory that of object headers.
 *
 * <pre>
 * name      wire form with its root label; of an address the first PTR target, else the first Service, else the root
 * kinds     one byte, a bit for each section that follows, in this order:
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
 * <p>A count is one byte up to 127, else four bytes with the first bit set. A name is written as its labels and the root label; if it ends
 * like the name at the beginning of the array from that name's label {@code n} on, the byte {@code 0xC0 + n} replaces that end. Equal data
 * of one name are equal arrays, except for the number of pairs: two numbers may give one weight.
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

    /** The octet of a name that goes on like the first one, from the label with this number on. */
    private static final int REFERENCE = 0xC0;

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private PackedName() {}

    /** Returns where the kinds are. */
    static int kinds(byte[] packed) {
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

    /** Returns where the section of this kind is, or would be. */
    static int section(byte[] packed, int kindsAt, int kind) {
        int kinds = packed[kindsAt];
        int at = kindsAt + 1;
        if (kind > A && (kinds & A) != 0) {
            at = afterCount(packed, at) + count(packed, at) * IpFamily.IPV4.octets();
        }
        if (kind > AAAA && (kinds & AAAA) != 0) {
            at = afterCount(packed, at) + count(packed, at) * IpFamily.IPV6.octets();
        }
        if (kind > TXT && (kinds & TXT) != 0) {
            at += 9 + (packed[at + 8] & 0xFF);
        }
        if (kind > CNAME && (kinds & CNAME) != 0) {
            at = afterName(packed, at);
        }
        for (int list = PTR; list < SRV; list <<= 1) {
            if (kind > list && (kinds & list) != 0) {
                at = afterNames(packed, at);
                if (list == PTR) {
                    at = afterNames(packed, at);
                }
            }
        }
        return at;
    }

    /** Returns where a list of names ends that begins with its count. */
    static int afterNames(byte[] packed, int list) {
        int left = count(packed, list);
        int at = afterCount(packed, list);
        for (; left > 0; left--) {
            at = afterName(packed, at);
        }
        return at;
    }

    /** Writes a count; returns where it ends. */
    private static int put(int count, byte[] octets, int at) {
        if (count <= 0x7F) {
            octets[at] = (byte) count;
            return at + 1;
        }
        INT.set(octets, at, count | 1 << 31);
        return at + 4;
    }

    static int afterName(byte[] packed, int from) {
        int at = from;
        while (packed[at] > 0) {
            at += 1 + packed[at];
        }
        return at + 1;
    }

    /** Returns whether a name is the one at the beginning. */
    static boolean isFirst(byte[] packed, int at) {
        return (packed[at] & 0xFF) == REFERENCE;
    }

    static DnsLabels name(byte[] packed, int from) {
        int end = afterName(packed, from) - 1;
        if (packed[end] == 0) {
            return DnsLabels.ofWire(packed, from, end);
        }
        int restAt = 0;
        for (int label = packed[end] & 0x3F; label > 0; label--) {
            restAt += 1 + packed[restAt];
        }
        int restEnd = kinds(packed) - 1;
        if (end == from) {
            return DnsLabels.ofWire(packed, restAt, restEnd);
        }
        byte[] wire = new byte[end - from + restEnd - restAt];
        System.arraycopy(packed, from, wire, 0, end - from);
        System.arraycopy(packed, restAt, wire, end - from, restEnd - restAt);
        return DnsLabels.ofWire(wire, 0, wire.length);
    }

    /** Writes the form. */
    static final class Writer {
        /** The first name; null where it is known by its octets alone. */
        private final @Nullable DnsLabels firstName;

        /** Holds the first name from its beginning on, so many octets without the root label. */
        private final byte[] first;

        private final int firstLength;

        private byte[] octets;
        private int at;

        /** Begins with a name. */
        Writer(DnsLabels name, int roughly) {
            firstName = name;
            firstLength = name.wireLength();
            octets = new byte[firstLength + 1 + roughly];
            name.copyTo(octets, 0);
            at = firstLength + 1;
            first = octets;
        }

        /** Writes what is to stand behind a name that is written already. */
        Writer(byte[] packed, int kindsAt) {
            firstName = null;
            first = packed;
            firstLength = kindsAt - 1;
            octets = new byte[256];
        }

        /** Returns a writer of what is to stand here later. */
        Writer another() {
            return new Writer(first, firstLength + 1);
        }

        @SuppressWarnings("ReferenceEquality") // found without a look at the octets; an equal one is found by them
        private boolean isFirst(DnsLabels name) {
            return name == firstName;
        }

        /** Writes the addresses of a family, one at least. */
        void addresses(List<IpAddress> some) {
            count(some.size());
            room(some.size() * some.get(0).family().octets());
            for (IpAddress address : some) {
                if (!address.isIpv4()) {
                    word((int) (address.high() >>> 32));
                    word((int) address.high());
                    word((int) (address.low() >>> 32));
                }
                word((int) address.low());
            }
        }

        private void word(int word) {
            INT.set(octets, at, word);
            at += 4;
        }

        void range(byte[] some, int from, int to) {
            room(to - from);
            System.arraycopy(some, from, octets, at, to - from);
            at += to - from;
        }

        void octet(int value) {
            room(1);
            octets[at++] = (byte) value;
        }

        void octets(byte[] some) {
            room(some.length);
            System.arraycopy(some, 0, octets, at, some.length);
            at += some.length;
        }

        void count(int count) {
            room(count <= 0x7F ? 1 : 4);
            at = put(count, octets, at);
        }

        void number(long value, int length) {
            for (int shift = 8 * (length - 1); shift >= 0; shift -= 8) {
                octet((int) (value >>> shift));
            }
        }

        void name(DnsLabels name) {
            if (isFirst(name)) {
                octet(REFERENCE);
                return;
            }
            int length = name.wireLength();
            room(length + 1);
            name.copyTo(octets, at);
            int label = commonLabel(octets, at, at + length);
            at += length - common(label);
            octet(end(label));
        }

        /** Returns whether a name is written as a reference alone: it is the first name, or one above it. */
        boolean isReference(byte[] wire) {
            return common(commonLabel(wire, 0, wire.length)) == wire.length;
        }

        /** Returns from which label on the first name is what this one ends with; -1 if from none. */
        private int commonLabel(byte[] wire, int from, int to) {
            for (int label = 0, firstFrom = 0; firstFrom < firstLength && label < 0x3F; label++) {
                if (endsWithFirst(wire, from, to, firstFrom)) {
                    return label;
                }
                firstFrom += 1 + first[firstFrom];
            }
            return -1;
        }

        /** Returns how long the first name is from a label on. */
        private int common(int label) {
            if (label < 0) {
                return 0;
            }
            int from = 0;
            for (int left = label; left > 0; left--) {
                from += 1 + first[from];
            }
            return firstLength - from;
        }

        private static int end(int label) {
            return label < 0 ? 0 : REFERENCE | label;
        }

        /** As octets: references keep the case that a name was written in. */
        private boolean endsWithFirst(byte[] wire, int from, int to, int firstFrom) {
            int start = to - (firstLength - firstFrom);
            int label = from;
            while (label < start) {
                label += 1 + wire[label];
            }
            return label == start && Arrays.equals(wire, start, to, first, firstFrom, firstLength);
        }

        private void room(int more) {
            if (at + more > octets.length) {
                octets = Arrays.copyOf(octets, Math.max(at + more, octets.length * 2));
            }
        }

        /** Returns the whole form: the first name, the kinds, and what was written behind them. */
        byte[] whole(int kinds) {
            byte[] whole = new byte[firstLength + 2 + at];
            System.arraycopy(first, 0, whole, 0, firstLength);
            whole[firstLength + 1] = (byte) kinds;
            System.arraycopy(octets, 0, whole, firstLength + 2, at);
            return whole;
        }

        byte[] written() {
            return at == octets.length ? octets : Arrays.copyOf(octets, at);
        }
    }
}
