package io.k8sdns.wire;

import io.k8sdns.name.DnsLabels;
import io.k8sdns.resolver.Question;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Header;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/**
 * A message that asks, as far as it could be read: hostile octets are a {@linkplain #malformed() value}, never an
 * exception.
 *
 * <p>Unlike dnsjava's parser, which the answers' records go through in tests, this one refuses octets after the last
 * record and names that point forwards or into the header, is no kinder to a message whose TC bit is set, and does work
 * in proportion to the octets it is given: dnsjava reserves lists for the counts of the header (three quarters of a
 * megabyte for twelve octets) and follows 8,000 compression pointers for each name of a crafted message. The data of
 * records is not read, that of OPT excepted: nothing in a query but the question and OPT has a meaning here.
 *
 * @param id the message id
 * @param flags the second 16 bits of the header
 * @param question the question; empty if there is not exactly one that can be read
 * @param edns the first OPT record; empty if there is none
 * @param malformed whether this message deserves FORMERR
 */
record Query(int id, int flags, Optional<Question> question, Optional<Edns> edns, boolean malformed) {
    /**
     * What an OPT record says (RFC 6891, 6.1.3); its options mean nothing to us.
     *
     * @param version the EDNS version
     * @param payload the largest datagram that the asker takes, in octets
     * @param dnssecOk the DO bit
     */
    record Edns(int version, int payload, boolean dnssecOk) {}

    /** Returns the OPCODE, 0 to 15. */
    int opcode() {
        return flags >>> 11 & 0xF;
    }

    /** Returns whether the QR bit is set. */
    private boolean isResponse() {
        return (flags & 0x8000) != 0;
    }

    /**
     * Reads a message, from position to limit; the buffer does not change.
     *
     * @return empty when the octets deserve no answer: shorter than a header, or a response
     */
    static Optional<Query> read(ByteBuffer message) {
        if (message.remaining() < Header.LENGTH) {
            return Optional.empty();
        }
        byte[] octets = new byte[message.remaining()];
        message.duplicate().get(octets);
        Reader reader = new Reader(octets);
        int id = reader.number(0);
        int flags = reader.number(2);
        Query query;
        try {
            reader.read();
            query = new Query(id, flags, reader.question(), Optional.ofNullable(reader.edns), false);
        } catch (Malformed malformed) {
            query = new Query(id, flags, reader.question(), Optional.ofNullable(reader.edns), true);
        }
        return query.isResponse() ? Optional.empty() : Optional.of(query);
    }

    /** Walks through the octets of one message. */
    private static final class Reader {
        /** The most octets of a name, the root label included. */
        private static final int LONGEST_NAME = 255;

        /** A name of 255 octets has at most 127 labels; more pointers than that are an attack. */
        private static final int MOST_POINTERS = 127;

        private final byte[] octets;
        private int position = Header.LENGTH;
        private @Nullable Question question;
        private @Nullable Edns edns;

        Reader(byte[] octets) {
            this.octets = octets;
        }

        Optional<Question> question() {
            return Optional.ofNullable(question);
        }

        void read() throws Malformed {
            int questions = count(Section.QUESTION);
            for (int i = 0; i < questions; i++) {
                int length = readName();
                position += 4;
                require(0);
                if (questions == 1) {
                    // Nothing stands before it that it could point to.
                    DnsLabels asked = DnsLabels.ofWire(octets, Header.LENGTH, Header.LENGTH + length - 1);
                    question = new Question(asked, number(position - 4), number(position - 2));
                }
            }
            for (int section = Section.ANSWER; section <= Section.ADDITIONAL; section++) {
                for (int i = count(section); i > 0; i--) {
                    readRecord(section);
                }
            }
            if (questions != 1 || position != octets.length) {
                throw new Malformed();
            }
        }

        private int count(int section) {
            return number(4 + 2 * section);
        }

        private void readRecord(int section) throws Malformed {
            int owner = readName();
            require(10);
            int type = number(position);
            int payload = number(position + 2);
            int version = octets[position + 5] & 0xFF;
            boolean dnssecOk = (octets[position + 6] & 0x80) != 0;
            int length = number(position + 8);
            position += 10;
            require(length);
            if (type == Type.OPT && section == Section.ADDITIONAL) {
                boolean first = edns == null;
                if (first) {
                    edns = new Edns(version, payload, dnssecOk);
                }
                if (!first || owner != 1) {
                    throw new Malformed();
                }
                checkOptions(position + length);
            }
            position += length;
        }

        /** Options are a code, a length, and as many octets; they fill the record. */
        private void checkOptions(int end) throws Malformed {
            int at = position;
            while (at < end) {
                at += at + 4 <= end ? 4 + number(at + 2) : end;
            }
            if (at != end) {
                throw new Malformed();
            }
        }

        /** Reads the name at the position, goes on behind it and returns how long it is when nothing is left out. */
        private int readName() throws Malformed {
            int length = 0;
            int pointers = 0;
            int at = position;
            int lowest = position;
            while (true) {
                int octet = at < octets.length ? octets[at] & 0xFF : 0x80;
                if (octet >= 0xC0 && at + 1 < octets.length) {
                    if (pointers++ == 0) {
                        position = at + 2;
                    }
                    at = number(at) & 0x3FFF;
                    // Only ever backwards, so that it comes to an end.
                    if (at >= lowest || at < Header.LENGTH || pointers > MOST_POINTERS) {
                        throw new Malformed();
                    }
                    lowest = at;
                    continue;
                }
                int left = LONGEST_NAME - length - (octet == 0 ? 1 : 2);
                // A label that ends behind the message is found by the next step.
                if (octet > 63 || octet > left) {
                    throw new Malformed();
                }
                length += 1 + octet;
                at += 1 + octet;
                if (octet == 0) {
                    if (pointers == 0) {
                        position = at;
                    }
                    return length;
                }
            }
        }

        private void require(int more) throws Malformed {
            if (position + more > octets.length) {
                throw new Malformed();
            }
        }

        private int number(int at) {
            return (octets[at] & 0xFF) << 8 | octets[at + 1] & 0xFF;
        }
    }

    /** Ends the reading; without a stack trace, so that a flood of malformed messages costs little. */
    private static final class Malformed extends Exception {
        private static final long serialVersionUID = 1L;

        Malformed() {
            super("malformed", null, false, false);
        }
    }
}
