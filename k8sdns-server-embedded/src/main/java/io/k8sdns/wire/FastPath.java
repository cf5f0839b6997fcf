package io.k8sdns.wire;

import io.k8sdns.model.IpFamily;
import io.k8sdns.name.AddressLabels;
import io.k8sdns.records.StoredName;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.wire.FastZones.FastZone;
import io.k8sdns.wire.FastZones.Kind;
import io.k8sdns.zone.ZoneRevision;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Header;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/**
 * Answers ordinary questions from the index alone: octets in, octets out, and nothing allocated.
 *
 * <p>It is no second resolver. It knows the questions that one lookup in a revision answers (A, AAAA, TXT, PTR with one
 * target, NODATA and NXDOMAIN, with or without an OPT record), and writes the bytes that the slow path would write,
 * rotation included. It leaves to the slow path: aliases, SRV, SOA, NS and ANY, names that spell an address, names in
 * nested and in partial reverse zones, malformed reverse names, malformed messages, and addresses that do not fit into a
 * response over TCP.
 *
 * <p>How it is fast: the name is hashed and compared in the message, eight octets at a time; its entry holds raw addresses;
 * the owner of each record is a pointer at the question, so that the asker's spelling comes back by itself; the SOA of a
 * negative answer is copied from the zone's own, and its pointers moved.
 */
final class FastPath {
    /** What {@link #answer} returns for a message of the plain road. */
    static final int PLAIN = 0;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);

    /** QR, OPCODE, QDCOUNT, ANCOUNT and NSCOUNT, as they stand behind the id. */
    private static final long HEADER_MASK = 0xF800_FFFF_FFFF_FFFFL;

    /** A query with one question and nothing before the additional section. */
    private static final long PLAIN_HEADER = 0x0000_0001_0000_0000L;

    /** What every asker takes in a datagram (RFC 1035, 4.2.1). */
    private static final int LEAST_UDP = 512;

    private static final int OPT_LENGTH = 11;
    private static final int IPV4_RECORD = 12 + IpFamily.IPV4.octets();
    private static final int IPV6_RECORD = 12 + IpFamily.IPV6.octets();

    /** Labels of an address's reverse name: its octets, or its nibbles, and the two of {@code in-addr.arpa} or {@code ip6.arpa}. */
    private static final int IPV4_LABELS = IpFamily.IPV4.octets() + 2;

    private static final int IPV6_LABELS = 2 * IpFamily.IPV6.octets() + 2;

    private static final int OWNER_IS_QUESTION = 0xC000 | Header.LENGTH;

    private final ResolverChain chain;
    private final boolean rotate;
    private final int udpLimit;
    private final int flags;
    private volatile @Nullable FastZones zones;

    /**
     * Makes the fast path of a chain.
     *
     * @param rotate whether addresses rotate by message id; else they are in order
     * @param udpLimit the most octets of a response over UDP
     */
    FastPath(ResolverChain chain, boolean rotate, int udpLimit) {
        this.chain = chain;
        this.rotate = rotate;
        this.udpLimit = udpLimit;
        this.flags = 0x8000 | bit(Flags.AA) | (chain.recursionAvailable() ? bit(Flags.RA) : 0);
    }

    private static int bit(int flag) {
        return 0x8000 >>> flag;
    }

    /**
     * Answers a message into {@link Scratch#response}.
     *
     * @param message the message, from position to limit; not changed
     * @return the length of the response, or {@link #PLAIN}
     */
    int answer(ByteBuffer message, Client.Transport transport, Scratch scratch) {
        int length = message.remaining();
        if (length < Header.LENGTH + 5 || length > Scratch.LONGEST_QUERY) {
            return PLAIN;
        }
        byte[] query = scratch.query;
        message.get(message.position(), query, 0, length);
        int additional = u16(query, 10);
        if (((long) LONG.get(query, 2) & HEADER_MASK) != PLAIN_HEADER || additional > 1 || !readName(scratch, length)) {
            return PLAIN;
        }
        int end = scratch.root + 5;
        boolean edns = additional == 1;
        if (edns ? !isPlainOpt(query, end, length) : end != length) {
            return PLAIN;
        }
        Optional<ZoneRevision> answering = chain.answering();
        if (u16(query, scratch.root + 3) != DClass.IN || answering.isEmpty()) {
            return PLAIN;
        }
        FastZones served = zones(answering.get());
        FastZone zone = served.find(query, scratch.labels, scratch.count, scratch.root);
        if (zone == null) {
            return PLAIN;
        }
        int limit = transport == Client.Transport.TCP
                ? MessageWriter.MOST_OCTETS
                : edns ? Math.max(LEAST_UDP, Math.min(u16(query, end + 3), udpLimit)) : LEAST_UDP;
        scratch.room = limit - (edns ? OPT_LENGTH : 0);
        // What is cut over TCP is told to the host, by the plain road.
        scratch.overTcp = transport == Client.Transport.TCP;
        scratch.apex = zone.count == scratch.count ? Header.LENGTH : apex(scratch, zone);
        int written = switch (zone.kind) {
            case FORWARD -> forward(served, zone, scratch);
            case REVERSE_IPV4, REVERSE_IPV6 -> reverse(served, zone, scratch);
            case PLAIN -> PLAIN;
        };
        return edns && written != PLAIN ? opt(scratch, written, end) : written;
    }

    /**
     * Tells of a response that {@link #answer} has just made.
     *
     * @param queryOctets the length of the query
     * @param length what it returned
     */
    static void tell(
            ResponseObserver observer,
            long received,
            Client.Transport transport,
            int queryOctets,
            Scratch scratch,
            int length) {
        byte[] response = scratch.response;
        boolean edns = u16(response, 10) == 1;
        observer.response(
                received,
                transport,
                u16(response, scratch.root + 1),
                edns && (response[length - OPT_LENGTH + 7] & 0x80) != 0,
                response[3] & 0xF,
                (u16(response, 2) & bit(Flags.TC)) != 0,
                queryOctets,
                length);
    }

    private static int apex(Scratch scratch, FastZone zone) {
        return scratch.labels[scratch.count - zone.count];
    }

    private FastZones zones(ZoneRevision revision) {
        FastZones known = zones;
        if (known == null || known.revision() != revision) {
            known = known == null ? FastZones.of(revision) : known.at(revision);
            zones = known;
        }
        return known;
    }

    /** Finds the labels of the question's name; returns whether it is one without pointers, with a question around it. */
    private static boolean readName(Scratch scratch, int length) {
        byte[] query = scratch.query;
        int count = 0;
        int at = Header.LENGTH;
        while (query[at] != 0) {
            int label = query[at] & 0xFF;
            int next = at + 1 + label;
            // Behind the root label come type and class.
            if (label > 63 || next > Header.LENGTH + 254 || next + 5 > length) {
                return false;
            }
            scratch.labels[count++] = at;
            at = next;
        }
        scratch.count = count;
        scratch.root = at;
        return true;
    }

    /** Returns whether the only record is an OPT record of version 0 whose options are well-formed. */
    private static boolean isPlainOpt(byte[] query, int at, int length) {
        if (at + OPT_LENGTH > length
                || query[at] != 0
                || u16(query, at + 1) != Type.OPT
                || query[at + 6] != 0
                || at + OPT_LENGTH + u16(query, at + 9) != length) {
            return false;
        }
        int option = at + OPT_LENGTH;
        while (option < length) {
            option += option + 4 <= length ? 4 + u16(query, option + 2) : length;
        }
        return option == length;
    }

    // ---- what there is ----

    private int forward(FastZones served, FastZone zone, Scratch scratch) {
        byte[] query = scratch.query;
        int type = u16(query, scratch.root + 1);
        if (isThoughtful(type) || scratch.apex > Header.LENGTH && mayBeAddress(query)) {
            return PLAIN;
        }
        StoredName found = scratch.found;
        if (!served.revision().stored(query, Header.LENGTH, scratch.apex, found)) {
            return zone.hasZonesBelow ? PLAIN : negative(served, zone, scratch, Rcode.NXDOMAIN);
        }
        if (found.isAlias()) {
            return PLAIN;
        }
        if (!found.has(type)) {
            return negative(served, zone, scratch, Rcode.NOERROR);
        }
        return switch (type) {
            case Type.A -> ipv4(served, scratch);
            case Type.AAAA -> ipv6(served, scratch);
            case Type.TXT -> text(scratch);
            default -> PLAIN;
        };
    }

    private int reverse(FastZones served, FastZone zone, Scratch scratch) {
        byte[] query = scratch.query;
        int type = u16(query, scratch.root + 1);
        if (isThoughtful(type) || zone.hasZonesBelow) {
            return PLAIN;
        }
        boolean exists;
        if (zone.kind == Kind.REVERSE_IPV4 && scratch.count == IPV4_LABELS) {
            long address = spelledIpv4(scratch);
            if (address < 0) {
                return PLAIN;
            }
            exists = served.revision().reverse(IpFamily.IPV4, 0, address, scratch.found);
        } else if (zone.kind == Kind.REVERSE_IPV6 && scratch.count == IPV6_LABELS && isNibbles(scratch)) {
            long high = nibbles(scratch, 16);
            long low = nibbles(scratch, 0);
            exists = served.revision().reverse(IpFamily.IPV6, high, low, scratch.found);
        } else {
            return PLAIN;
        }
        if (!exists) {
            return negative(served, zone, scratch, Rcode.NXDOMAIN);
        }
        return type == Type.PTR ? pointer(served, scratch) : negative(served, zone, scratch, Rcode.NOERROR);
    }

    /** Types that own records at an apex, that every name answers, or that are no types of records. */
    private static boolean isThoughtful(int type) {
        return type == Type.SOA || type == Type.NS || type == Type.ANY || type == Type.AXFR || type == Type.IXFR;
    }

    /** Whether the first label may be an address with dashes, whose name exists though nothing is stored there. */
    private static boolean mayBeAddress(byte[] query) {
        int label = Header.LENGTH + 1;
        return AddressLabels.canSpell(query, label, label + query[Header.LENGTH]);
    }

    /** Returns the address of four decimal labels, the last octet first; -1 if they are none. */
    private static long spelledIpv4(Scratch scratch) {
        byte[] query = scratch.query;
        long address = 0;
        for (int label = 3; label >= 0; label--) {
            int at = scratch.labels[label];
            int digits = query[at];
            int octet = 0;
            for (int i = at + 1; i <= at + digits; i++) {
                int digit = query[i] - '0';
                if (digit < 0 || digit > 9) {
                    return -1;
                }
                octet = octet * 10 + digit;
            }
            if (digits > 3 || octet > 255 || digits > 1 && query[at + 1] == '0') {
                return -1;
            }
            address = address << 8 | octet;
        }
        return address;
    }

    private static boolean isNibbles(Scratch scratch) {
        byte[] query = scratch.query;
        for (int label = 0; label < 32; label++) {
            int at = scratch.labels[label];
            if (query[at] != 1 || Character.digit(query[at + 1], 16) < 0) {
                return false;
            }
        }
        return true;
    }

    /** Returns the number of sixteen labels, the last nibble first. */
    private static long nibbles(Scratch scratch, int from) {
        long number = 0;
        for (int label = from + 15; label >= from; label--) {
            number = number << 4 | Character.digit(scratch.query[scratch.labels[label] + 1], 16);
        }
        return number;
    }

    // ---- what is written ----

    private int ipv4(FastZones served, Scratch scratch) {
        StoredName found = scratch.found;
        int count = found.addressCount(IpFamily.IPV4);
        int addresses = found.addressesAt(IpFamily.IPV4);
        int at = scratch.root + 5;
        int fitting = Math.min(count, (scratch.room - at) / IPV4_RECORD);
        if (fitting < count && scratch.overTcp) {
            return PLAIN;
        }
        byte[] response = begin(scratch, fitting * IPV4_RECORD);
        int index = first(response, count);
        // Two words a record: the second one ends in the address.
        long ttl = served.ttlSeconds();
        long head = head(Type.A, ttl);
        long rest = ttl << 48 | (long) IpFamily.IPV4.octets() << 32;
        for (int i = 0; i < fitting; i++) {
            LONG.set(response, at, head);
            LONG.set(response, at + 8, rest | found.ipv4(addresses, index) & 0xFFFF_FFFFL);
            at += IPV4_RECORD;
            index = index + 1 == count ? 0 : index + 1;
        }
        return header(scratch, at, fitting < count ? bit(Flags.TC) : 0, Rcode.NOERROR, fitting, 0);
    }

    private int ipv6(FastZones served, Scratch scratch) {
        StoredName found = scratch.found;
        int count = found.addressCount(IpFamily.IPV6);
        int addresses = found.addressesAt(IpFamily.IPV6);
        int at = scratch.root + 5;
        int fitting = Math.min(count, (scratch.room - at) / IPV6_RECORD);
        if (fitting < count && scratch.overTcp) {
            return PLAIN;
        }
        byte[] response = begin(scratch, fitting * IPV6_RECORD);
        int index = first(response, count);
        for (int i = 0; i < fitting; i++) {
            record(response, at, Type.AAAA, served.ttlSeconds(), IpFamily.IPV6.octets());
            found.copyIpv6(addresses, index, response, at + 12);
            at += IPV6_RECORD;
            index = index + 1 == count ? 0 : index + 1;
        }
        return header(scratch, at, fitting < count ? bit(Flags.TC) : 0, Rcode.NOERROR, fitting, 0);
    }

    /** Returns the place of the address that comes first. */
    private int first(byte[] response, int count) {
        return rotate ? u16(response, 0) % count : 0;
    }

    // The methods below need no check of the limit, which is at least 512: a question has at most 271 bytes, one
    // about a reverse name at most 90. The only text is the schema version. A PTR or SOA record of a reverse zone
    // holds one whole name and less than 50 bytes besides; the SOA record of a forward zone points at the question's.

    private int text(Scratch scratch) {
        StoredName found = scratch.found;
        int length = found.textLength();
        int at = scratch.root + 5;
        byte[] response = begin(scratch, 13 + length);
        record(response, at, Type.TXT, found.textTtlSeconds(), 1 + length);
        response[at + 12] = (byte) length;
        found.copyText(response, at + 13);
        return header(scratch, at + 13 + length, 0, Rcode.NOERROR, 1, 0);
    }

    private int pointer(FastZones served, Scratch scratch) {
        StoredName found = scratch.found;
        int target = found.onlyPointerLength();
        if (target < 0) {
            return PLAIN;
        }
        byte[] zone = served.pointerZone();
        int at = scratch.root + 5;
        int length = target + zone.length + 1;
        byte[] response = begin(scratch, 12 + length);
        record(response, at, Type.PTR, served.ttlSeconds(), length);
        found.copyOnlyPointer(response, at + 12);
        System.arraycopy(zone, 0, response, at + 12 + target, zone.length);
        response[at + 11 + length] = 0;
        return header(scratch, at + 12 + length, 0, Rcode.NOERROR, 1, 0);
    }

    private int negative(FastZones served, FastZone zone, Scratch scratch, int rcode) {
        if (sharesWithSoa(zone, scratch)) {
            return PLAIN;
        }
        int at = scratch.root + 5;
        int length = zone.negativeLength();
        byte[] response = begin(scratch, length);
        zone.writeNegative(response, at, scratch.apex, served.serial());
        return header(scratch, at + length, 0, rcode, 0, 1);
    }

    /** Whether more of the question's name than the zone's is in the SOA, too, which would point at it. */
    private static boolean sharesWithSoa(FastZone zone, Scratch scratch) {
        return scratch.apex > Header.LENGTH
                && zone.isPartOfSoa(scratch.query, scratch.labels[scratch.count - zone.count - 1]);
    }

    /**
     * Copies header and question, and makes room for what follows. ARCOUNT stays as it is: the response has an OPT record iff
     * the query has one, and no other additional record.
     */
    private static byte[] begin(Scratch scratch, int more) {
        int length = scratch.root + 5;
        byte[] response = scratch.response(length + more + OPT_LENGTH);
        System.arraycopy(scratch.query, 0, response, 0, length);
        return response;
    }

    /** Writes what stands before the data of a record whose owner is the question's name. */
    private static void record(byte[] response, int at, int type, long ttlSeconds, int length) {
        LONG.set(response, at, head(type, ttlSeconds));
        INT.set(response, at + 8, (int) ttlSeconds << 16 | length);
    }

    /** Returns the first eight octets of such a record, and half of its lifetime. */
    private static long head(int type, long ttlSeconds) {
        return (long) OWNER_IS_QUESTION << 48 | (long) type << 32 | DClass.IN << 16 | ttlSeconds >>> 16;
    }

    private int header(Scratch scratch, int end, int cut, int rcode, int answers, int authorities) {
        byte[] response = scratch.response;
        int asked = u16(response, 2) & (bit(Flags.RD) | bit(Flags.CD));
        put16(response, 2, flags | asked | cut | rcode);
        put16(response, 6, answers);
        put16(response, 8, authorities);
        return end;
    }

    /** Adds the OPT record: our size, the asker's DO bit, no option. */
    private static int opt(Scratch scratch, int at, int asked) {
        byte[] response = scratch.response;
        response[at] = 0;
        put16(response, at + 1, Type.OPT);
        put16(response, at + 3, MessageWriter.PAYLOAD);
        INT.set(response, at + 5, (scratch.query[asked + 7] & 0x80) << 8);
        put16(response, at + 9, 0);
        return at + OPT_LENGTH;
    }

    private static int u16(byte[] octets, int at) {
        return (short) SHORT.get(octets, at) & 0xFFFF;
    }

    private static void put16(byte[] octets, int at, int value) {
        SHORT.set(octets, at, (short) value);
    }
}
