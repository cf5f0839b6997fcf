package io.k8sdns.records;

import io.k8sdns.model.IpFamily;
import io.k8sdns.name.DnsLabels;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The form in which a name is kept: one array, because at a million names it is the number of arrays on the way that
 * decides what a question costs, and everywhere what a name costs.
 *
 * <pre>
 * name      wire form with its root label; of an address the first PTR target, else the first Service, else the root
 * kinds     one octet, a bit for each section that is there, in this order:
 *   A         count, 4 octets each
 *   AAAA      count, 16 octets each
 *   TXT       lifetime (8 octets), length octet, text
 *   CNAME     name
 *   PTR       count, names
 *   services  count, names (those that publish an address)
 *   pods      count, names of one label (namespaces of an address)
 *   SRV       pairs that share the weight (a count), count, port (2 octets) and name each
 * </pre>
 *
 * <p>A count is one octet up to 127, else four octets with the first bit set. A name is its labels up to the point where
 * it goes on like the name at the beginning from one of its labels on, which one octet {@code 0xC0 + n} says; else the
 * root label. Equal data at one name are equal arrays.
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
                int left = count(packed, at);
                for (at = afterCount(packed, at); left > 0; left--) {
                    at = afterName(packed, at);
                }
            }
        }
        return at;
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
        int rest = 0;
        for (int label = packed[end] & 0x3F; label > 0; label--) {
            rest += 1 + packed[rest];
        }
        int restEnd = kinds(packed) - 1;
        if (end == from) {
            return DnsLabels.ofWire(packed, rest, restEnd);
        }
        byte[] wire = Arrays.copyOfRange(packed, from, end + restEnd - rest);
        System.arraycopy(packed, rest, wire, end - from, restEnd - rest);
        return DnsLabels.ofWire(wire, 0, wire.length);
    }

    /** Writes the form. */
    static final class Writer {
        private final byte[] first;
        private byte[] octets;
        private int at;

        Writer(DnsLabels name, int kinds, int roughly) {
            first = name.toWire();
            octets = new byte[first.length + 2 + roughly];
            octets(first);
            octet(0);
            octet(kinds);
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
            if (count <= 0x7F) {
                octet(count);
            } else {
                room(4);
                INT.set(octets, at, count | 1 << 31);
                at += 4;
            }
        }

        void number(long value, int length) {
            for (int shift = 8 * (length - 1); shift >= 0; shift -= 8) {
                octet((int) (value >>> shift));
            }
        }

        void name(DnsLabels name) {
            byte[] wire = name.toWire();
            int common = 0;
            int commonLabel = -1;
            // The longest end of the first name that this one ends with, at a label of both.
            for (int label = 0, from = 0; from < first.length && label < 0x3F; label++) {
                if (endsWith(wire, first, from)) {
                    common = first.length - from;
                    commonLabel = label;
                    break;
                }
                from += 1 + first[from];
            }
            int own = wire.length - common;
            room(own + 1);
            System.arraycopy(wire, 0, octets, at, own);
            at += own;
            octet(common == 0 ? 0 : REFERENCE | commonLabel);
        }

        /** As octets: references keep the case that a name was written in. */
        private static boolean endsWith(byte[] wire, byte[] first, int from) {
            int start = wire.length - (first.length - from);
            int at = 0;
            while (at < start) {
                at += 1 + wire[at];
            }
            return at == start && Arrays.equals(wire, start, wire.length, first, from, first.length);
        }

        private void room(int more) {
            if (at + more > octets.length) {
                octets = Arrays.copyOf(octets, Math.max(at + more, octets.length * 2));
            }
        }

        byte[] packed() {
            return at == octets.length ? octets : Arrays.copyOf(octets, at);
        }
    }
}
