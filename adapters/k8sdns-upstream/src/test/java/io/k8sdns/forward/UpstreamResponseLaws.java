package io.k8sdns.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/** Properties of the parser for random queries and random responses. */
class UpstreamResponseLaws {
    private static final int TRIES = 60_000;
    private static final String[] NAMES = {
        "www.example.com",
        "WWW.EXAMPLE.COM",
        "a.example.com",
        "b.example.net",
        "example.com",
        "com",
        "",
        "www.bank.example",
        "deep.www.example.com",
        "_https._tcp.example.com"
    };
    private static final int[] TYPES = {
        Type.A,
        Type.AAAA,
        Type.CNAME,
        Type.DNAME,
        Type.NS,
        Type.SOA,
        Type.MX,
        Type.SRV,
        Type.TXT,
        Type.PTR,
        Type.OPT,
        Type.TSIG,
        Type.SIG,
        Type.RRSIG,
        Type.NSEC,
        Type.NSEC3,
        Type.DS,
        Type.DNSKEY,
        Type.HTTPS,
        Type.SVCB,
        Type.NAPTR,
        Type.CAA,
        Type.LOC,
        Type.TKEY,
        Type.APL,
        Type.HINFO,
        Type.IPSECKEY,
        Type.TLSA,
        Type.URI,
        Type.CERT,
        Type.NULL,
        Type.WKS,
        Type.GPOS,
        Type.HIP,
        Type.ANY,
        Type.AXFR,
        0,
        65_280
    };
    private static final int[] CLASSES = {
        DClass.IN, DClass.IN, DClass.IN, DClass.IN, DClass.CH, DClass.NONE, DClass.ANY, 0
    };
    private static final int[] RCODES = {0, 0, 0, 0, 3, 3, 2, 5, 1, 15};
    private static final int[] TTLS = {0, 60, Integer.MAX_VALUE, Integer.MIN_VALUE, -1};

    private static final AtomicInteger READ = new AtomicInteger();
    private static final AtomicInteger KEPT = new AtomicInteger();
    private static final AtomicInteger UNREADABLE = new AtomicInteger();

    /** A random query and response: well-formed records, sometimes with a few changed bytes. */
    private static final class Pair {
        private final Random random;
        private final UpstreamQuery query;
        private final byte[] sent;
        private final byte[] response;

        Pair(long seed) {
            this.random = new Random(seed);
            this.query = new UpstreamQuery(
                    DnsLabels.parse(chance(8) ? any(NAMES) : "www.example.com"),
                    RecordType.of(chance(2) ? Type.A : nonMeta()),
                    chance(4),
                    false,
                    ByteBuffer.allocate(0));
            this.sent = query.message(random.nextInt(0x10000), true, null);
            this.response = changed(grammatical());
        }

        private boolean chance(int in) {
            return random.nextInt(in) == 0;
        }

        private String any(String[] all) {
            return all[random.nextInt(all.length)];
        }

        private int any(int[] all) {
            return all[random.nextInt(all.length)];
        }

        private int nonMeta() {
            int type = any(TYPES);
            return type == 0 || type == Type.OPT || type == Type.TSIG || type == Type.AXFR ? Type.AAAA : type;
        }

        private byte[] grammatical() {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            int[] counts = {random.nextInt(5), random.nextInt(3), random.nextInt(4)};
            out.write(sent, 0, 2);
            put16(out, 0x8180 | any(RCODES) | (chance(6) ? 0x0400 : 0));
            put16(out, 1);
            for (int count : counts) {
                put16(out, count);
            }
            int questionLength = query.name().wireLength() + 5;
            out.write(sent, 12, questionLength);
            // Often a chain of aliases, so that the parser has to follow them.
            int chain = chance(3) ? 1 + random.nextInt(3) : 0;
            String owner = null;
            for (int i = 0; i < counts[0] + counts[1] + counts[2]; i++) {
                if (i < chain && i < counts[0]) {
                    String target = any(NAMES);
                    record(out, owner, Type.CNAME, DClass.IN, name(target));
                    owner = target;
                } else {
                    boolean isFollowed = i < counts[0] && chance(2);
                    int type = isFollowed && chance(2) ? query.type().number() : any(TYPES);
                    record(out, isFollowed ? owner : any(NAMES), type, any(CLASSES), data(type));
                }
            }
            return out.toByteArray();
        }

        /** Writes a record; if the owner is null, at the question's name. */
        private void record(
                ByteArrayOutputStream out,
                @org.jspecify.annotations.Nullable String owner,
                int type,
                int dclass,
                byte[] data) {
            if (owner == null) {
                put16(out, 0xC00C);
            } else {
                out.writeBytes(name(owner));
            }
            put16(out, type);
            put16(out, dclass);
            put16(out, any(TTLS) >>> 16);
            put16(out, any(TTLS));
            put16(out, data.length);
            out.writeBytes(data);
        }

        private byte[] data(int type) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            if (chance(12)) {
                out.writeBytes(junk(random.nextInt(40)));
                return out.toByteArray();
            }
            switch (type) {
                case Type.A -> out.writeBytes(junk(4));
                case Type.AAAA -> out.writeBytes(junk(16));
                case Type.CNAME, Type.DNAME, Type.NS, Type.PTR -> out.writeBytes(name(any(NAMES)));
                case Type.MX -> {
                    put16(out, 10);
                    out.writeBytes(name(any(NAMES)));
                }
                case Type.SRV -> {
                    out.writeBytes(junk(6));
                    out.writeBytes(name(any(NAMES)));
                }
                case Type.SVCB, Type.HTTPS -> {
                    put16(out, random.nextInt(3));
                    out.writeBytes(name(any(NAMES)));
                }
                case Type.SOA -> {
                    out.writeBytes(name(any(NAMES)));
                    out.writeBytes(name(any(NAMES)));
                    out.writeBytes(junk(20));
                }
                case Type.OPT -> {
                    if (chance(2)) {
                        put16(out, 15);
                        byte[] text = junk(random.nextInt(6));
                        put16(out, text.length);
                        out.writeBytes(text);
                    }
                }
                case Type.TXT -> {
                    out.write(3);
                    out.writeBytes(junk(3));
                }
                case Type.RRSIG, Type.SIG -> {
                    out.writeBytes(junk(18));
                    out.writeBytes(name(any(NAMES)));
                    out.writeBytes(junk(8));
                }
                default -> out.writeBytes(junk(random.nextInt(24)));
            }
            return out.toByteArray();
        }

        private byte[] junk(int length) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            return bytes;
        }

        private static byte[] name(String name) {
            DnsLabels labels = DnsLabels.parse(name.isEmpty() ? "." : name);
            byte[] wire = new byte[labels.wireLength() + 1];
            labels.copyTo(wire, 0);
            return wire;
        }

        private static void put16(ByteArrayOutputStream out, int value) {
            out.write(value >>> 8);
            out.write(value);
        }

        private byte[] changed(byte[] message) {
            int way = random.nextInt(4);
            if (way == 0) {
                int length = Math.max(12, random.nextInt(message.length + 1));
                return java.util.Arrays.copyOf(message, length);
            }
            if (way == 1) {
                for (int i = random.nextInt(6); i >= 0; i--) {
                    int at = 4 + random.nextInt(message.length - 4);
                    message[at] = (byte) (chance(3) ? 0xC0 : random.nextInt(256));
                }
            }
            return message;
        }
    }

    /** The parser throws only IOException, and keeps only records that belong to the question. */
    @Property(tries = TRIES, seed = "18")
    void onlyRecordsOfTheQuestionAreKept(@ForAll long seed) {
        Pair pair = new Pair(seed);
        Optional<Answer> read = read(pair.query, ByteBuffer.wrap(pair.response));
        if (read.isEmpty()) {
            UNREADABLE.incrementAndGet();
            return;
        }
        READ.incrementAndGet();
        Answer answer = read.get();
        Name asked = DnsNames.absolute(pair.query.name());
        Set<Name> chain = chain(asked, answer.answer());
        int type = pair.query.type().number();
        for (RecordSet set : answer.answer()) {
            KEPT.incrementAndGet();
            assertIn(set);
            boolean isChained = chain.contains(set.owner());
            boolean isAskedFor = set.typeNumber() == type
                    || type == Type.ANY
                    || set.typeNumber() == Type.CNAME
                    || pair.query.dnssecOk() && set.typeNumber() == Type.RRSIG;
            boolean isRename =
                    set.typeNumber() == Type.DNAME && chain.stream().anyMatch(one -> one.subdomain(set.owner()));
            assertThat(isChained && isAskedFor || isRename)
                    .as("%s in %s", set, answer)
                    .isTrue();
        }
        boolean isNegative = answer.rcode() == Rcode.NXDOMAIN || answer.rcode() == Rcode.NOERROR;
        for (RecordSet set : answer.authority()) {
            assertIn(set);
            boolean isSoa = isNegative
                    && set.typeNumber() == Type.SOA
                    && chain.stream().anyMatch(name -> name.subdomain(set.owner()));
            assertThat(isSoa || pair.query.dnssecOk())
                    .as("%s in %s", set, answer)
                    .isTrue();
        }
        Set<Name> targets = UpstreamResponse.targets(answer.answer());
        for (RecordSet set : answer.additional()) {
            assertIn(set);
            assertThat(set.typeNumber()).isIn(Type.A, Type.AAAA);
            assertThat(targets).contains(set.owner());
        }
        assertThat(answer.authoritative()).isFalse();
    }

    /** Checked only if no property failed earlier. */
    @AfterContainer
    static void enoughReadableAndUnreadableResponsesWereMade() {
        if (READ.get() + UNREADABLE.get() >= TRIES) {
            assertThat(List.of(READ.get(), KEPT.get(), UNREADABLE.get())).allMatch(count -> count > 1_000);
        }
    }

    /** Random bytes after a header. */
    @Property(tries = 20_000, seed = "18")
    void randomBytesAreParsedOrRejected(@ForAll long seed) {
        Random random = new Random(seed);
        byte[] bytes = new byte[12 + random.nextInt(80)];
        random.nextBytes(bytes);
        for (int at = 4; at < 12; at++) {
            bytes[at] = (byte) (at % 2 == 0 ? 0 : random.nextInt(3));
        }
        UpstreamQuery query = new Pair(seed).query;
        read(query, ByteBuffer.wrap(bytes));
    }

    /** A message whose header or question was changed is not the response to the query. */
    @Property(tries = 20_000, seed = "18")
    void aResponseHasIdFlagsAndQuestionOfItsQuery(@ForAll long seed) {
        Pair pair = new Pair(seed);
        int nameEnd = 12 + pair.query.name().wireLength() + 1;
        Random random = new Random(seed);
        byte[] message = pair.grammatical();
        assertThat(UpstreamQuery.isResponse(pair.sent, ByteBuffer.wrap(message), true))
                .isTrue();
        int bit = random.nextInt((nameEnd + 4) * 8);
        message[bit / 8] ^= (byte) (0x80 >>> bit % 8);
        // AA, TC, RD, RA, Z, AD, CD and RCODE, and the counts of records, may be anything.
        boolean isFree = bit >= 21 && bit < 32 || bit >= 48 && bit < 96;
        boolean isLetterCase = bit >= 96
                && bit / 8 < nameEnd
                && bit % 8 == 2
                && Character.isLetter(message[bit / 8] & 0xFF)
                && (message[bit / 8] & 0x80) == 0;
        boolean isFailureWithoutQuestion = bit == 47 && (message[3] & 0xF) != 0 && (message[3] & 0xF) != 3;
        assertThat(UpstreamQuery.isResponse(pair.sent, ByteBuffer.wrap(message), false))
                .as("bit %s", bit)
                .isEqualTo(isFree || isLetterCase || isFailureWithoutQuestion);
    }

    private static Optional<Answer> read(UpstreamQuery query, ByteBuffer response) {
        try {
            return Optional.of(
                    UpstreamResponse.read(query, DnsLabels.EMPTY, response).answer());
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }

    private static void assertIn(RecordSet set) {
        assertThat(set.records()).allMatch(one -> one.getDClass() == DClass.IN);
    }

    private static Set<Name> chain(Name asked, List<RecordSet> sets) {
        Set<Name> chain = new HashSet<>();
        chain.add(asked);
        boolean grows = true;
        while (grows) {
            grows = false;
            for (RecordSet set : sets) {
                for (Record one : set.records()) {
                    grows |= one instanceof CNAMERecord alias
                            && chain.contains(alias.getName())
                            && chain.add(alias.getTarget());
                }
            }
        }
        return chain;
    }
}
