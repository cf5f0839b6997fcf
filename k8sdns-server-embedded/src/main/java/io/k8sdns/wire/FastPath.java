package io.k8sdns.wire;

import io.k8sdns.model.IpFamily;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DirectAnswers;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.rules.StoredName;
import io.k8sdns.schema.NameSchema;
import io.k8sdns.wire.FastZones.FastZone;
import io.k8sdns.wire.FastZones.Kind;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Header;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/**
 * Answers ordinary questions from the index: bytes in, bytes out, without allocation.
 *
 * <p>The fast path handles questions that a lookup in a revision answers: A, AAAA, TXT, SRV with the Service's own name as the only
 * target, PTR with one target, NODATA and NXDOMAIN, with or without an OPT record. It writes exactly the bytes that the slow path would
 * write, including the order of addresses. The slow path handles everything else: aliases, SRV with other targets, SOA, NS and ANY, zone
 * transfers, other classes than IN, names that contain an address, names in nested and in partial reverse zones, reverse names that are not
 * those of a whole address, malformed messages, addresses that do not fit into a response over TCP, and a text or an SRV record with its
 * addresses that does not fit. {@link DirectAnswers} can exclude more: missing names of some zones or domains, and messages with some EDNS
 * option.
 *
 * <p>Why it is fast: it hashes and compares the name in place in the message, eight bytes at a time; the name's entry holds raw
 * addresses; the owner of each record is a pointer to the question, which keeps the client's spelling; a negative answer copies
 * the zone's encoded SOA record and relocates its pointers.
 */
final class FastPath {
    /** The result of {@link #answer} for a message that the slow path has to answer. */
    static final int SLOW_PATH = 0;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);

    private static final int OPT_LENGTH = 11;

    /** The length of a record without its data: the owner as a pointer, type, class, TTL, and length of the data. */
    private static final int RECORD_HEAD = 12;

    private static final int IPV4_RECORD = RECORD_HEAD + IpFamily.IPV4.byteCount();
    private static final int IPV6_RECORD = RECORD_HEAD + IpFamily.IPV6.byteCount();

    /** The length of priority, weight and port, before the target of an SRV record. */
    private static final int SRV_NUMBERS = 6;

    /** The number of labels of the reverse name of an IPv4 address: its octets, then {@code in-addr.arpa}. */
    private static final int IPV4_LABELS = IpFamily.IPV4.byteCount() + 2;

    /** The number of labels of the reverse name of an IPv6 address: its nibbles, then {@code ip6.arpa}. */
    private static final int IPV6_LABELS = 2 * IpFamily.IPV6.byteCount() + 2;

    private static final int FLAGS = 0x8000 | 0x8000 >>> Flags.AA;

    private final AddressOrder order;
    private final int udpLimit;
    /** The zones of the last revision; a revision with the same rules reuses most of them. */
    private volatile @Nullable FastZones zones;

    /**
     * Creates a fast path.
     *
     * @param order the order of the addresses of an answer
     * @param udpLimit the largest size of a response over UDP, in bytes
     */
    FastPath(AddressOrder order, int udpLimit) {
        this.order = order;
        this.udpLimit = udpLimit;
    }

    private static int bit(int flag) {
        return 0x8000 >>> flag;
    }

    /**
     * Answers the session's query into {@link DnsSession#response}.
     *
     * @param direct the direct answers of the resolver
     * @return the length of the response, or {@link #SLOW_PATH}
     */
    int answer(DirectAnswers direct, DnsSession session) {
        QueryReader query = session.query;
        if (!query.isOrdinary() || query.dnsClass() != DClass.IN || isExcepted(direct, query)) {
            return SLOW_PATH;
        }
        FastZones served = zones(direct);
        FastZone zone = served.find(query.bytes(), query.labels(), query.labelCount(), query.root());
        if (zone == null) {
            return SLOW_PATH;
        }
        boolean edns = query.hasEdns();
        boolean overTcp = session.transport == Client.Transport.TCP;
        int limit = overTcp
                ? MessageWriter.MAX_MESSAGE_BYTES
                : edns
                        ? Math.max(Client.MIN_RESPONSE_LIMIT, Math.min(query.payload(), udpLimit))
                        : Client.MIN_RESPONSE_LIMIT;
        session.room = limit - (edns ? OPT_LENGTH : 0);
        session.flags = FLAGS | (direct.recursionAvailable() ? bit(Flags.RA) : 0);
        session.apex = zone.count == query.labelCount() ? Header.LENGTH : apex(query, zone);
        int written = switch (zone.kind) {
            case FORWARD -> answerForward(direct, served, zone, session);
            case REVERSE_IPV4, REVERSE_IPV6 -> answerReverse(direct, served, zone, session);
            case SLOW_PATH -> SLOW_PATH;
        };
        return edns && written != SLOW_PATH ? writeOpt(session, written) : written;
    }

    private static boolean isExcepted(DirectAnswers direct, QueryReader query) {
        List<Integer> codes = direct.exceptOptions();
        for (int i = 0; i < codes.size(); i++) {
            if (query.hasEdnsOption(codes.get(i))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Reports a response that {@link #answer} has just written.
     *
     * @param length the length of the response, as {@link #answer} returned it
     */
    static void report(ResponseObserver observer, DnsSession session, int length) {
        byte[] response = session.response;
        observer.response(
                session.received,
                session.transport,
                session.query.type(),
                session.query.hasEdns() && (response[length - OPT_LENGTH + 7] & 0x80) != 0,
                response[3] & 0xF,
                (u16(response, 2) & bit(Flags.TC)) != 0,
                session.query.length(),
                length);
    }

    private static int apex(QueryReader query, FastZone zone) {
        return query.labels()[query.labelCount() - zone.count];
    }

    private FastZones zones(DirectAnswers direct) {
        Optional<Object> attached = direct.attachment();
        if (attached.isPresent() && attached.get() instanceof FastZones current) {
            return current;
        }
        FastZones last = zones;
        FastZones created = last == null ? FastZones.of(direct.view()) : last.at(direct.view());
        zones = created;
        direct.attach(created);
        return created;
    }

    // ---- lookups ----

    private int answerForward(DirectAnswers direct, FastZones served, FastZone zone, DnsSession session) {
        QueryReader query = session.query;
        int type = query.type();
        if (isOfSlowPath(type) || mayBeSynthesized(session)) {
            return SLOW_PATH;
        }
        StoredName found = session.found;
        int below = query.labelCount() - zone.count;
        if (!served.view().moveToName(query.bytes(), query.labels(), below, session.apex, found)) {
            return zone.hasZonesBelow ? SLOW_PATH : answerMissing(direct, served, zone, session);
        }
        if (found.isAlias()) {
            return SLOW_PATH;
        }
        if (!found.has(type)) {
            return writeNegative(served, zone, session, Rcode.NOERROR);
        }
        return switch (type) {
            case Type.A -> writeIpv4(served, session);
            case Type.AAAA -> writeIpv6(served, session);
            case Type.TXT -> writeText(session);
            case Type.SRV -> writeSrv(served, zone, session);
            default -> SLOW_PATH;
        };
    }

    private int answerReverse(DirectAnswers direct, FastZones served, FastZone zone, DnsSession session) {
        QueryReader query = session.query;
        int type = query.type();
        if (isOfSlowPath(type) || zone.hasZonesBelow) {
            return SLOW_PATH;
        }
        boolean exists;
        if (zone.kind == Kind.REVERSE_IPV4 && query.labelCount() == IPV4_LABELS) {
            long address = ipv4Address(session);
            if (address < 0) {
                return SLOW_PATH;
            }
            exists = served.view().moveToReverseName(IpFamily.IPV4, 0, address, session.found);
        } else if (zone.kind == Kind.REVERSE_IPV6 && query.labelCount() == IPV6_LABELS && isNibbles(session)) {
            long high = nibbles(session, 16);
            long low = nibbles(session, 0);
            exists = served.view().moveToReverseName(IpFamily.IPV6, high, low, session.found);
        } else {
            return SLOW_PATH;
        }
        if (!exists) {
            return answerMissing(direct, served, zone, session);
        }
        return type == Type.PTR ? writePtr(served, session) : writeNegative(served, zone, session, Rcode.NOERROR);
    }

    /** Returns whether only the slow path answers a type: a type of the apex, ANY, or a zone transfer. */
    private static boolean isOfSlowPath(int type) {
        return RecordRules.isApexType(type) || type == Type.ANY || type == Type.AXFR || type == Type.IXFR;
    }

    /** Returns whether the name may exist without being stored. The apex of a zone is stored. */
    private static boolean mayBeSynthesized(DnsSession session) {
        return session.apex > Header.LENGTH && RecordRules.canBeSynthesized(session.query.bytes(), Header.LENGTH);
    }

    /** Returns the IPv4 address of a reverse name, whose labels are its octets, last octet first; -1 if a label is not an octet. */
    private static long ipv4Address(DnsSession session) {
        QueryReader query = session.query;
        long address = 0;
        for (int label = 3; label >= 0; label--) {
            int octet = NameSchema.octet(query.bytes(), query.labels()[label]);
            if (octet < 0) {
                return -1;
            }
            address = address << 8 | octet;
        }
        return address;
    }

    private static boolean isNibbles(DnsSession session) {
        QueryReader query = session.query;
        for (int label = 0; label < 32; label++) {
            if (NameSchema.nibble(query.bytes(), query.labels()[label]) < 0) {
                return false;
            }
        }
        return true;
    }

    /** Returns the number that sixteen labels spell, last nibble first. */
    private static long nibbles(DnsSession session, int from) {
        long number = 0;
        for (int label = from + 15; label >= from; label--) {
            number = number << 4
                    | NameSchema.nibble(session.query.bytes(), session.query.labels()[label]);
        }
        return number;
    }

    // ---- responses ----

    private int writeIpv4(FastZones served, DnsSession session) {
        StoredName found = session.found;
        int count = found.addressCount(IpFamily.IPV4);
        int addresses = found.addressesAt(IpFamily.IPV4);
        int at = session.query.root() + 5;
        int fitting = Math.min(count, (session.room - at) / IPV4_RECORD);
        if (fitting < count && session.transport == Client.Transport.TCP) {
            return SLOW_PATH;
        }
        byte[] response = begin(session, fitting * IPV4_RECORD);
        // Two 64-bit writes per record are faster than one write per field: first the owner, type, class and upper
        // half of the TTL; then its lower half, the data length and the address.
        long ttl = served.ttlSeconds();
        long head = head(Header.LENGTH, Type.A, ttl);
        long rest = ttl << 48 | (long) IpFamily.IPV4.byteCount() << 32;
        // Two loops: one with a test in each round is slower for all orders.
        if (order.isRandom()) {
            int[] shuffled = order.shuffle(session.indexes(count), count, fitting);
            for (int i = 0; i < fitting; i++, at += IPV4_RECORD) {
                LONG.set(response, at, head);
                LONG.set(response, at + 8, rest | found.ipv4(addresses, shuffled[i]) & 0xFFFF_FFFFL);
            }
        } else {
            int first = order.first(u16(response, 0), count);
            for (int i = 0; i < fitting; i++, at += IPV4_RECORD) {
                int index = first + i < count ? first + i : first + i - count;
                LONG.set(response, at, head);
                LONG.set(response, at + 8, rest | found.ipv4(addresses, index) & 0xFFFF_FFFFL);
            }
        }
        return writeHeader(session, at, fitting < count ? bit(Flags.TC) : 0, Rcode.NOERROR, fitting, 0);
    }

    private int writeIpv6(FastZones served, DnsSession session) {
        StoredName found = session.found;
        int count = found.addressCount(IpFamily.IPV6);
        int addresses = found.addressesAt(IpFamily.IPV6);
        int at = session.query.root() + 5;
        int fitting = Math.min(count, (session.room - at) / IPV6_RECORD);
        if (fitting < count && session.transport == Client.Transport.TCP) {
            return SLOW_PATH;
        }
        byte[] response = begin(session, fitting * IPV6_RECORD);
        if (order.isRandom()) {
            int[] shuffled = order.shuffle(session.indexes(count), count, fitting);
            for (int i = 0; i < fitting; i++, at += IPV6_RECORD) {
                writeRecordHead(response, at, Header.LENGTH, Type.AAAA, served.ttlSeconds(), IpFamily.IPV6.byteCount());
                found.copyAddress(IpFamily.IPV6, addresses, shuffled[i], response, at + RECORD_HEAD);
            }
        } else {
            int first = order.first(u16(response, 0), count);
            for (int i = 0; i < fitting; i++, at += IPV6_RECORD) {
                int index = first + i < count ? first + i : first + i - count;
                writeRecordHead(response, at, Header.LENGTH, Type.AAAA, served.ttlSeconds(), IpFamily.IPV6.byteCount());
                found.copyAddress(IpFamily.IPV6, addresses, index, response, at + RECORD_HEAD);
            }
        }
        return writeHeader(session, at, fitting < count ? bit(Flags.TC) : 0, Rcode.NOERROR, fitting, 0);
    }

    private int writeText(DnsSession session) {
        StoredName found = session.found;
        int length = found.textLength();
        int at = session.query.root() + 5;
        int text = at + RECORD_HEAD + 1;
        if (text + length > session.room) {
            return SLOW_PATH;
        }
        byte[] response = begin(session, RECORD_HEAD + 1 + length);
        writeRecordHead(response, at, Header.LENGTH, Type.TXT, found.textTtlSeconds(), 1 + length);
        response[text - 1] = (byte) length;
        found.copyText(response, text);
        return writeHeader(session, text + length, 0, Rcode.NOERROR, 1, 0);
    }

    /**
     * Writes the SRV record of a Service's port, and the addresses of the Service as additional records. The Service's name is the end of
     * the question's name: pointers to it own the addresses, but the target is not compressed, and has the stored spelling.
     */
    private int writeSrv(FastZones served, FastZone zone, DnsSession session) {
        StoredName found = session.found;
        int targetAt = found.onlySrvTargetAt();
        if (targetAt < 0) {
            return SLOW_PATH;
        }
        byte[] query = session.query.bytes();
        StoredName target = session.target;
        int owner = Header.LENGTH + targetAt;
        if (RecordRules.canBeSynthesized(query, owner)
                || !served.view().moveToShownName(query, owner, session.apex, target)
                || target.isAlias()) {
            return SLOW_PATH;
        }
        int ipv4 = target.addressCount(IpFamily.IPV4);
        int ipv6 = target.addressCount(IpFamily.IPV6);
        int targetLength = found.nameLength() - targetAt + zone.name.wireLength() + 1;
        int at = session.query.root() + 5;
        int length = RECORD_HEAD + SRV_NUMBERS + targetLength + ipv4 * IPV4_RECORD + ipv6 * IPV6_RECORD;
        if (at + length > session.room) {
            return SLOW_PATH;
        }
        byte[] response = begin(session, length);
        long ttl = served.ttlSeconds();
        writeRecordHead(response, at, Header.LENGTH, Type.SRV, ttl, SRV_NUMBERS + targetLength);
        at += RECORD_HEAD;
        // The priority is 0.
        INT.set(response, at, found.srvWeight());
        put16(response, at + 4, found.srvPort());
        at += SRV_NUMBERS;
        found.copyName(targetAt, response, at);
        at += found.nameLength() - targetAt;
        zone.name.copyTo(response, at);
        at += zone.name.wireLength();
        response[at++] = 0;
        at = writeAddresses(response, at, owner, target, IpFamily.IPV4, ttl);
        at = writeAddresses(response, at, owner, target, IpFamily.IPV6, ttl);
        put16(response, 10, u16(response, 10) + ipv4 + ipv6);
        return writeHeader(session, at, 0, Rcode.NOERROR, 1, 0);
    }

    /** Writes the addresses of one family, in their stored order. Returns the offset after them. */
    private static int writeAddresses(
            byte[] response, int from, int owner, StoredName target, IpFamily family, long ttlSeconds) {
        int count = target.addressCount(family);
        if (count == 0) {
            return from;
        }
        int type = family == IpFamily.IPV4 ? Type.A : Type.AAAA;
        int addresses = target.addressesAt(family);
        int at = from;
        for (int i = 0; i < count; i++) {
            writeRecordHead(response, at, owner, type, ttlSeconds, family.byteCount());
            target.copyAddress(family, addresses, i, response, at + RECORD_HEAD);
            at += RECORD_HEAD + family.byteCount();
        }
        return at;
    }

    // The methods below do not check the limit, because every response fits into 512 bytes: header and question have at
    // most 271 bytes, or 90 for a reverse name. A PTR or SOA record of a reverse zone holds one uncompressed name and
    // less than 50 other bytes; the SOA record of a forward zone points to the question's name.

    private int writePtr(FastZones served, DnsSession session) {
        StoredName found = session.found;
        int target = found.onlyPtrTargetLength();
        if (target < 0) {
            return SLOW_PATH;
        }
        byte[] zone = served.ptrTargetZone();
        int at = session.query.root() + 5;
        int length = target + zone.length + 1;
        int data = at + RECORD_HEAD;
        byte[] response = begin(session, RECORD_HEAD + length);
        writeRecordHead(response, at, Header.LENGTH, Type.PTR, served.ttlSeconds(), length);
        found.copyOnlyPtrTarget(response, data);
        System.arraycopy(zone, 0, response, data + target, zone.length);
        response[data + length - 1] = 0;
        return writeHeader(session, data + length, 0, Rcode.NOERROR, 1, 0);
    }

    private int answerMissing(DirectAnswers direct, FastZones served, FastZone zone, DnsSession session) {
        return direct.hasMissingNames(zone.name) && !isInAny(direct.exceptMissingBelow(), session.query)
                ? writeNegative(served, zone, session, Rcode.NXDOMAIN)
                : SLOW_PATH;
    }

    private static boolean isInAny(List<DnsLabels> domains, QueryReader query) {
        for (int i = 0; i < domains.size(); i++) {
            if (query.isIn(domains.get(i))) {
                return true;
            }
        }
        return false;
    }

    private int writeNegative(FastZones served, FastZone zone, DnsSession session, int rcode) {
        if (sharesWithSoa(zone, session)) {
            return SLOW_PATH;
        }
        int at = session.query.root() + 5;
        int length = zone.negativeLength();
        byte[] response = begin(session, length);
        zone.writeNegative(response, at, session.apex, served.serial());
        return writeHeader(session, at + length, 0, rcode, 0, 1);
    }

    /** Returns whether the SOA record would point to a label of the question's name below the zone. */
    private static boolean sharesWithSoa(FastZone zone, DnsSession session) {
        return session.apex > Header.LENGTH
                && zone.isPartOfSoa(
                        session.query.bytes(), session.query.labels()[session.query.labelCount() - zone.count - 1]);
    }

    /**
     * Copies header and question into the response buffer, and enlarges the buffer for the records. ARCOUNT is that of the query, which is
     * right if the response has no additional records but OPT: it has one if and only if the query does.
     */
    private static byte[] begin(DnsSession session, int more) {
        int length = session.query.root() + 5;
        byte[] response = session.response(length + more + OPT_LENGTH);
        System.arraycopy(session.query.bytes(), 0, response, 0, length);
        return response;
    }

    /**
     * Writes owner, type, class, TTL and data length of a record.
     *
     * @param owner the offset of the owner's name in the message: the question's name, or an end of it
     */
    private static void writeRecordHead(byte[] response, int at, int owner, int type, long ttlSeconds, int length) {
        LONG.set(response, at, head(owner, type, ttlSeconds));
        INT.set(response, at + 8, (int) ttlSeconds << 16 | length);
    }

    /** Returns the first eight bytes of a record; they end with the upper half of its TTL. */
    private static long head(int owner, int type, long ttlSeconds) {
        return (0xC000L | owner) << 48 | (long) type << 32 | DClass.IN << 16 | ttlSeconds >>> 16;
    }

    private int writeHeader(DnsSession session, int end, int cut, int rcode, int answers, int authorities) {
        byte[] response = session.response;
        int repeated = u16(response, 2) & (bit(Flags.RD) | bit(Flags.CD));
        long flags = session.flags | repeated | cut | rcode;
        // Flags, QDCOUNT, ANCOUNT and NSCOUNT.
        LONG.set(response, 2, flags << 48 | 1L << 32 | (long) answers << 16 | authorities);
        return end;
    }

    /** Writes the OPT record: this server's payload size, the client's DO bit, no option. */
    private static int writeOpt(DnsSession session, int at) {
        byte[] response = session.response;
        response[at] = 0;
        put16(response, at + 1, Type.OPT);
        put16(response, at + 3, MessageWriter.PAYLOAD);
        INT.set(response, at + 5, session.query.dnssecOk());
        put16(response, at + 9, 0);
        return at + OPT_LENGTH;
    }

    private static int u16(byte[] bytes, int at) {
        return (short) SHORT.get(bytes, at) & 0xFFFF;
    }

    private static void put16(byte[] bytes, int at, int value) {
        SHORT.set(bytes, at, (short) value);
    }
}
