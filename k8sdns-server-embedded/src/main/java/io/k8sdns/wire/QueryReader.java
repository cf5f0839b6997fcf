package io.k8sdns.wire;

import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Question;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.GenericEDNSOption;
import org.xbill.DNS.Header;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/**
 * Reusable decoder of queries. It keeps the fields that the fast path needs in its own arrays, and allocates only for a message longer than
 * all before. {@link #query} returns the same query as a value, for the slow path. Not thread-safe.
 *
 * <p>Hostile bytes make a message {@linkplain Query#malformed malformed}; the decoder throws nothing. Unlike dnsjava's parser, it
 * rejects bytes after the last record and compression pointers that point forwards or into the header, it treats a message with
 * TC like any other, and its cost is proportional to the length of the message: dnsjava allocates lists by the counts in the
 * header (750 KB for twelve bytes) and follows 8,000 compression pointers for each name of a crafted message. The decoder skips
 * the data of all records except OPT, because this server uses only the question and OPT.
 */
final class QueryReader {
    /** The bits of QR, OPCODE, QDCOUNT, ANCOUNT and NSCOUNT in the eight bytes after the id. */
    private static final long HEADER_MASK = 0xF800_FFFF_FFFF_FFFFL;

    /** The masked header of a query with one question and no record before the additional section. */
    private static final long ORDINARY_HEADER = 0x0000_0001_0000_0000L;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);

    /** The largest length of a name in bytes, including the root label. */
    private static final int MAX_NAME_BYTES = 255;

    /** A name of 255 bytes has at most 127 labels; more pointers than that are an attack. */
    private static final int MAX_POINTERS = 127;

    private static final int OPT_LENGTH = 11;

    /** The message. Longer than any question, so that the decoder can read a question without bounds checks. */
    private byte[] bytes = new byte[512];

    private int length;
    private int position;

    private final int[] labels = new int[128];
    private int labelCount;

    /** The offset of the question's root label; 0 unless there is exactly one question and it can be decoded. */
    private int root;

    /** The offset of the first OPT record; 0 if there is none. */
    private int opt;

    private boolean malformed;

    /**
     * Decodes a message, from position to limit. The buffer's position and limit do not change.
     *
     * @return whether the message gets a response: it is at least as long as a header, and is not a response itself
     */
    boolean read(ByteBuffer message) {
        length = message.remaining();
        if (length < Header.LENGTH) {
            return false;
        }
        if (length > bytes.length) {
            bytes = new byte[length];
        }
        message.get(message.position(), bytes, 0, length);
        position = Header.LENGTH;
        root = 0;
        opt = 0;
        readQuestions();
        malformed = hasRecords() && !readRecords() || position != length || root == 0;
        return bytes[2] >= 0;
    }

    /**
     * Decodes the question. Skips the questions if there is any other number of them, because the FORMERR response needs to know
     * whether the message has an OPT record.
     */
    private void readQuestions() {
        int questions = u16(4);
        if (questions == 1) {
            readQuestion();
            return;
        }
        for (int i = 0; i < questions && readName() != 0; i++) {
            position += 4;
        }
    }

    /** Decodes the first question. It has no compression pointer, which could point only forwards or into the header. */
    private void readQuestion() {
        byte[] message = bytes;
        int count = 0;
        int at = Header.LENGTH;
        while (message[at] != 0) {
            int label = message[at] & 0xFF;
            int next = at + 1 + label;
            if (label > 63 || next > Header.LENGTH + MAX_NAME_BYTES - 1) {
                return;
            }
            labels[count++] = at;
            at = next;
        }
        // Type and class follow the root label.
        if (at + 5 <= length) {
            labelCount = count;
            root = at;
            position = at + 5;
        }
    }

    /** Returns whether ANCOUNT, NSCOUNT or ARCOUNT is not 0. */
    private boolean hasRecords() {
        return ((long) LONG.get(bytes, 4) & 0xFFFF_FFFF_FFFFL) != 0;
    }

    /** Returns whether the records can be decoded. */
    private boolean readRecords() {
        for (int section = Section.ANSWER; section <= Section.ADDITIONAL; section++) {
            for (int i = u16(4 + 2 * section); i > 0; i--) {
                if (!readRecord(section)) {
                    return false;
                }
            }
        }
        return true;
    }

    private boolean readRecord(int section) {
        int owner = readName();
        if (owner == 0 || position + 10 > length) {
            return false;
        }
        int type = u16(position);
        int data = u16(position + 8);
        position += 10;
        if (position + data > length) {
            return false;
        }
        boolean valid = true;
        if (type == Type.OPT && section == Section.ADDITIONAL) {
            valid = opt == 0 && owner == 1 && areOptions(position, position + data);
            if (opt == 0) {
                opt = position - OPT_LENGTH;
            }
        }
        position += data;
        return valid;
    }

    /** Returns whether some data is a sequence of options: each a code, a length and that many bytes. */
    private boolean areOptions(int from, int end) {
        int at = from;
        while (at + 4 <= end) {
            at += 4 + u16(at + 2);
        }
        return at == end;
    }

    /** Skips the name at the position. Returns its uncompressed length, or 0 if it is malformed. */
    private int readName() {
        int name = 0;
        int pointers = 0;
        int at = position;
        int lowest = position;
        while (true) {
            // After the end of the message: 0x80, which is no valid length byte.
            int first = at < length ? bytes[at] & 0xFF : 0x80;
            if (first >= 0xC0 && at + 1 < length) {
                if (pointers++ == 0) {
                    position = at + 2;
                }
                at = u16(at) & 0x3FFF;
                // Each pointer must point further back than the one before, so that this loop ends.
                if (at >= lowest || at < Header.LENGTH || pointers > MAX_POINTERS) {
                    return 0;
                }
                lowest = at;
                continue;
            }
            int longest = MAX_NAME_BYTES - name - (first == 0 ? 1 : 2);
            // The next iteration detects a label that ends after the message.
            if (first > 63 || first > longest) {
                return 0;
            }
            name += 1 + first;
            at += 1 + first;
            if (first == 0) {
                if (pointers == 0) {
                    position = at;
                }
                return name;
            }
        }
    }

    private int u16(int at) {
        return (short) SHORT.get(bytes, at) & 0xFFFF;
    }

    /** Returns the buffer, which starts with the message and may be longer. */
    byte[] bytes() {
        return bytes;
    }

    /** Returns the length of the message in bytes. */
    int length() {
        return length;
    }

    /** Returns the offsets of the labels of the question's name; the first {@link #labelCount} are valid. */
    int[] labels() {
        return labels;
    }

    /** Returns the number of labels of the question's name. */
    int labelCount() {
        return labelCount;
    }

    /** Returns the offset of the question's root label; 0 unless there is exactly one question and it can be decoded. */
    int root() {
        return root;
    }

    /** Returns whether the question's name is a domain's name or lies below it. */
    boolean isIn(DnsLabels domain) {
        int at = root - domain.wireLength();
        if (at < Header.LENGTH || !domain.matches(bytes, at, root)) {
            return false;
        }
        // The same bytes may occur inside a label.
        int label = Header.LENGTH;
        while (label < at) {
            label += 1 + bytes[label];
        }
        return label == at;
    }

    /** Returns the type of the question. */
    int type() {
        return u16(root + 1);
    }

    /** Returns the class of the question. */
    int dnsClass() {
        return u16(root + 3);
    }

    /** Returns whether there is an OPT record. */
    boolean hasEdns() {
        return opt != 0;
    }

    /** Returns the UDP payload size of the OPT record: the largest datagram that the client accepts, in bytes. */
    int payload() {
        return u16(opt + 3);
    }

    /** Returns the DO bit at its position in the OPT record's flags: 0x8000 or 0. */
    int dnssecOk() {
        return u16(opt + 7) & 0x8000;
    }

    /** Returns whether the CD bit is set. */
    boolean checkingDisabled() {
        return (bytes[3] & 0x10) != 0;
    }

    /** Returns whether a well-formed message has an EDNS option with this code. */
    boolean hasEdnsOption(int code) {
        int at = opt + OPT_LENGTH;
        int end = opt == 0 ? at : at + u16(opt + 9);
        while (at < end) {
            if (u16(at) == code) {
                return true;
            }
            at += 4 + u16(at + 2);
        }
        return false;
    }

    /** Returns the EDNS options; none if the message is malformed. */
    List<EDNSOption> ednsOptions() {
        int length = opt == 0 || malformed ? 0 : u16(opt + 9);
        if (length == 0) {
            return List.of();
        }
        List<EDNSOption> options = new ArrayList<>();
        int at = opt + OPT_LENGTH;
        int end = at + length;
        while (at < end) {
            int data = at + 4;
            options.add(new GenericEDNSOption(u16(at), Arrays.copyOfRange(bytes, data, data + u16(at + 2))));
            at = data + u16(at + 2);
        }
        return options;
    }

    /** Returns whether the message is well-formed and has opcode QUERY and one question. */
    boolean isQuestion() {
        return !malformed && (bytes[2] & 0x78) == 0;
    }

    /** Returns whether the message is a well-formed query with one question and no record except an OPT record of version 0. */
    boolean isOrdinary() {
        return ((long) LONG.get(bytes, 2) & HEADER_MASK) == ORDINARY_HEADER
                && !malformed
                && (opt == 0 ? u16(10) == 0 : u16(10) == 1 && bytes[opt + 6] == 0);
    }

    /** Returns the decoded message as a value. */
    Query query() {
        Optional<Question> question = root == 0
                ? Optional.empty()
                : Optional.of(
                        new Question(DnsLabels.ofWire(bytes, Header.LENGTH, root), RecordType.of(type()), dnsClass()));
        Optional<Query.Edns> edns = opt == 0
                ? Optional.empty()
                : Optional.of(new Query.Edns(bytes[opt + 6] & 0xFF, payload(), dnssecOk() != 0));
        return new Query(u16(0), u16(2), question, edns, malformed);
    }
}
