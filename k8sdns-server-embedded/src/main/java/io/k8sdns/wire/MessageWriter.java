package io.k8sdns.wire;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.records.RecordSet;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.Question;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Header;
import org.xbill.DNS.NSRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.PTRRecord;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.SRVRecord;
import org.xbill.DNS.Section;
import org.xbill.DNS.TXTRecord;
import org.xbill.DNS.Type;

/**
 * Encodes one response.
 *
 * <p>Compresses every owner name, against the question's name first, so that an equal name keeps the client's spelling. Names
 * in the data of CNAME, NS, PTR and SOA records are compressed and can be targets of pointers. SRV targets (RFC 2782) and the
 * data of other types (RFC 3597, 4) are not compressed.
 *
 * <p>Truncates a message that would exceed its limit: the answer section after a whole record, with TC set; the authority and
 * additional sections after a whole RRset, without TC (RFC 2181, 9). Only OPT follows a truncated answer section. OPT is never
 * omitted.
 *
 * <p>Cost: proportional to the bytes written. dnsjava's encoder compares each record with all records before it, and its {@code
 * toWire(max)} truncates a large set to no record at all.
 */
final class MessageWriter {
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    /** The largest size of a message over TCP, in bytes. */
    static final int MAX_MESSAGE_BYTES = 65535;

    /** The size of the largest datagram that this server accepts, in bytes (DNS flag day 2020). */
    static final int PAYLOAD = 1232;

    /** The EDNS option of an extended error (RFC 8914). */
    private static final int EDE_OPTION = 15;

    private static final int OPT_LENGTH = 11;

    private static final byte[] NO_OPTIONS = {};

    /** The length of an extended error without its text. */
    private static final int EDE_LENGTH = 6;

    private final int limit;
    private final NameCompression names = new NameCompression();
    /** The offsets of the labels of the name being written, enlarged for names with more labels. */
    private int[] starts = new int[16];

    /** The hash of the suffix that starts at each label. */
    private int[] hashes = new int[16];

    /** The message so far, enlarged when needed; large enough for most answers. */
    private byte[] bytes = new byte[256];

    /** The question's name in wire form, which owns most records. */
    private byte[] questionName = {};

    private int position;

    private MessageWriter(int limit) {
        this.limit = limit;
    }

    /**
     * Encodes a response.
     *
     * @param query the query: the response repeats its id, flags, question and EDNS
     * @param answer the answer
     * @param limit the largest size in bytes, at least 512
     * @param order returns the records of a set in the order to send; called for the sets of the last RRset of the answer section
     * @throws IllegalStateException if the RCODE is above 15 and the query has no EDNS, because OPT carries the upper bits
     */
    static ByteBuffer write(Query query, Answer answer, int limit, Function<RecordSet, List<Record>> order) {
        MessageWriter writer = new MessageWriter(limit);
        writer.writeMessage(query, answer, order);
        return ByteBuffer.wrap(writer.bytes, 0, writer.position);
    }

    /** Returns whether a message has TC set. */
    static boolean isTruncated(ByteBuffer message) {
        return (message.get(message.position() + 2) & 0x80 >>> Flags.TC) != 0;
    }

    private void writeMessage(Query query, Answer answer, Function<RecordSet, List<Record>> order) {
        if (answer.rcode() > 0xF && query.edns().isEmpty()) {
            throw new IllegalStateException("RCODE " + answer.rcode() + " (" + Rcode.string(answer.rcode())
                    + ") needs EDNS, and the query has none");
        }
        Optional<ExtendedError> error = query.edns().isPresent() ? answer.extendedError() : Optional.empty();
        position = Header.LENGTH;
        query.question().ifPresent(this::writeQuestion);
        int end = limit - (query.edns().isPresent() ? OPT_LENGTH : 0) - (error.isPresent() ? EDE_LENGTH : 0);
        byte[] options = query.edns().isPresent() ? options(answer.ednsOptions(), end - position) : NO_OPTIONS;
        end -= options.length;
        boolean whole = writeAnswers(answer.answer(), order, end);
        if (whole && writeSets(answer.authority(), Section.AUTHORITY, end)) {
            writeSets(answer.additional(), Section.ADDITIONAL, end);
        }
        query.edns().ifPresent(edns -> writeOpt(edns, answer.rcode(), error, options));
        writeHeader(query, answer, !whole);
    }

    private void writeHeader(Query query, Answer answer, boolean truncated) {
        int flags = 0x8000
                | query.flags() & 0x7800
                | query.flags() & (0x8000 >>> Flags.RD | 0x8000 >>> Flags.CD)
                | (answer.authoritative() ? 0x8000 >>> Flags.AA : 0)
                | (truncated ? 0x8000 >>> Flags.TC : 0)
                | (answer.recursionAvailable() ? 0x8000 >>> Flags.RA : 0)
                | answer.rcode() & 0xF;
        set16(0, query.id());
        set16(2, flags);
    }

    private void writeQuestion(Question question) {
        byte[] wire = new byte[question.labels().wireLength() + 1];
        question.labels().copyTo(wire, 0);
        writeName(wire);
        questionName = wire;
        put16(question.type().number());
        put16(question.dnsClass());
        addToCount(Section.QUESTION, 1);
    }

    private boolean writeAnswers(List<RecordSet> sets, Function<RecordSet, List<Record>> order, int end) {
        int last = sets.size() - 1;
        for (int i = 0; i <= last; i++) {
            RecordSet set = sets.get(i);
            List<Record> records = i == last || isGroupOf(set, sets.get(last)) ? order.apply(set) : set.records();
            int written = writeRecords(set, records, end);
            addToCount(Section.ANSWER, written);
            if (written < records.size()) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether two sets are groups of the same RRset. */
    private static boolean isGroupOf(RecordSet set, RecordSet last) {
        return set.typeNumber() == last.typeNumber() && set.owner().equals(last.owner());
    }

    /** Writes whole sets until one does not fit. Returns whether all fit. */
    private boolean writeSets(List<RecordSet> sets, int section, int end) {
        for (RecordSet set : sets) {
            int before = position;
            if (writeRecords(set, set.records(), end) < set.records().size()) {
                position = before;
                return false;
            }
            addToCount(section, set.records().size());
        }
        return true;
    }

    /** Writes records until one does not fit. Returns the number of records written. */
    private int writeRecords(RecordSet set, List<Record> records, int end) {
        int owner = -1;
        for (int i = 0; i < records.size(); i++) {
            int before = position;
            if (owner >= 0 && owner <= NameCompression.LAST_TARGET) {
                put16(0xC000 | owner);
            } else {
                owner = writeName(set.owner());
            }
            Record one = records.get(i);
            put16(set.typeNumber());
            put16(one.getDClass());
            put32(set.ttlSeconds());
            put16(0);
            int data = position;
            writeData(one);
            if (position > end) {
                position = before;
                return i;
            }
            set16(data - 2, position - data);
        }
        return records.size();
    }

    private void writeData(Record one) {
        if (one instanceof CNAMERecord cname) {
            writeName(cname.getTarget());
        } else if (one instanceof NSRecord ns) {
            writeName(ns.getTarget());
        } else if (one instanceof PTRRecord ptr) {
            writeName(ptr.getTarget());
        } else if (one instanceof SOARecord soa) {
            writeName(soa.getHost());
            writeName(soa.getAdmin());
            put32(soa.getSerial());
            put32(soa.getRefresh());
            put32(soa.getRetry());
            put32(soa.getExpire());
            put32(soa.getMinimum());
        } else if (one instanceof SRVRecord srv) {
            put16(srv.getPriority());
            put16(srv.getWeight());
            put16(srv.getPort());
            byte[] target = DnsNames.wire(srv.getTarget());
            put(target, 0, target.length);
        } else if (one instanceof ARecord || one instanceof AAAARecord || one instanceof TXTRecord) {
            // Data without a name has only one form. toWire() would write the owner, too, and getAddress() would create
            // a host name from it.
            byte[] data = one.rdataToWireCanonical();
            put(data, 0, data.length);
        } else {
            // toWire() writes owner, type, class, TTL and length before the data, and compresses nothing.
            byte[] whole = one.toWire(Section.ANSWER);
            int from = one.getName().length() + 10;
            put(whole, from, whole.length - from);
        }
    }

    /** Returns the EDNS options that fit, in wire form. */
    private static byte[] options(List<EDNSOption> options, int room) {
        if (options.isEmpty()) {
            return NO_OPTIONS;
        }
        ByteBuffer fitting = ByteBuffer.allocate(Math.max(0, room));
        for (EDNSOption option : options) {
            byte[] wire = option.toWire();
            if (wire.length <= fitting.remaining()) {
                fitting.put(wire);
            }
        }
        return Arrays.copyOf(fitting.array(), fitting.position());
    }

    private void writeOpt(Query.Edns edns, int rcode, Optional<ExtendedError> error, byte[] options) {
        put8(0);
        put16(Type.OPT);
        put16(PAYLOAD);
        put8(rcode >>> 4);
        put8(0);
        put16(edns.dnssecOk() ? 0x8000 : 0);
        byte[] text = error.map(ExtendedError::text).orElse("").getBytes(StandardCharsets.UTF_8);
        int length = error.isPresent() ? fitting(text, limit - position - 2 - options.length - EDE_LENGTH) : 0;
        put16(options.length + (error.isPresent() ? EDE_LENGTH + length : 0));
        put(options, 0, options.length);
        if (error.isPresent()) {
            put16(EDE_OPTION);
            put16(2 + length);
            put16(error.get().code());
            put(text, 0, length);
        }
        addToCount(Section.ADDITIONAL, 1);
    }

    /** Returns how many bytes of a text fit without splitting a character. */
    private static int fitting(byte[] utf8, int max) {
        int length = Math.min(utf8.length, max);
        while (length < utf8.length && length > 0 && (utf8[length] & 0xC0) == 0x80) {
            length--;
        }
        return length;
    }

    /** Writes a name, compressed. Returns its offset: the pointer's target if the name is written as a single pointer. */
    private int writeName(Name name) {
        return writeName(DnsNames.wire(name));
    }

    /** Writes a name, given in wire form with its root label. */
    private int writeName(byte[] wire) {
        // The question's name is at a fixed offset. The root is excluded, because it is shorter than a pointer.
        if (wire.length > 1 && Arrays.equals(wire, questionName)) {
            put16(0xC000 | Header.LENGTH);
            return Header.LENGTH;
        }
        int labels = 0;
        for (int at = 0; wire[at] != 0; at += 1 + wire[at]) {
            if (labels == starts.length) {
                starts = Arrays.copyOf(starts, 2 * labels);
                hashes = new int[2 * labels];
            }
            starts[labels++] = at;
        }
        int hash = 0;
        for (int i = labels - 1; i >= 0; i--) {
            hash = NameCompression.hash(wire, starts[i], hash);
            hashes[i] = hash;
        }
        int written = 0;
        int target = 0;
        while (written < labels && target == 0) {
            target = names.find(bytes, hashes[written], wire, starts[written]);
            written += target == 0 ? 1 : 0;
        }
        int begin = position;
        put(wire, 0, written == labels ? wire.length : starts[written]);
        if (target != 0) {
            put16(0xC000 | target);
        }
        for (int i = 0; i < written; i++) {
            names.add(hashes[i], begin + starts[i]);
        }
        return written == 0 && target != 0 ? target : begin;
    }

    private void addToCount(int section, int more) {
        int at = 4 + 2 * section;
        set16(at, ((bytes[at] & 0xFF) << 8 | bytes[at + 1] & 0xFF) + more);
    }

    private void put(byte[] from, int start, int length) {
        ensureRoom(length);
        System.arraycopy(from, start, bytes, position, length);
        position += length;
    }

    private void put8(int value) {
        ensureRoom(1);
        bytes[position++] = (byte) value;
    }

    private void put16(int value) {
        ensureRoom(2);
        set16(position, value);
        position += 2;
    }

    private void put32(long value) {
        ensureRoom(4);
        INT.set(bytes, position, (int) value);
        position += 4;
    }

    private void set16(int at, int value) {
        SHORT.set(bytes, at, (short) value);
    }

    private void ensureRoom(int more) {
        if (position + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(position + more, bytes.length * 4));
        }
    }
}
