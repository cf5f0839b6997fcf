package io.k8sdns.forward;

import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.xbill.DNS.DClass;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.Type;

/**
 * A question as it is sent to a server. Equal questions share one query.
 *
 * @param name the name in the letter case that is sent; compared case-insensitively
 * @param type the type
 * @param dnssecOk the DO bit
 * @param checkingDisabled the CD bit
 * @param options EDNS options as code, length and data, one after the other
 */
record UpstreamQuery(DnsLabels name, RecordType type, boolean dnssecOk, boolean checkingDisabled, ByteBuffer options) {
    /** The UDP payload size, in bytes; small enough to avoid fragmentation (DNS flag day 2020). */
    static final int PAYLOAD = 1_232;

    private static final ByteBuffer NO_OPTIONS = ByteBuffer.allocate(0).asReadOnlyBuffer();
    private static final int HEADER_LENGTH = 12;
    private static final int OPT_LENGTH = 11;
    private static final int RECURSION_DESIRED = 0x0100;
    private static final int CHECKING_DISABLED = 0x0010;
    private static final int DNSSEC_OK = 0x8000;

    /** Returns the options in wire form. */
    static ByteBuffer wire(List<EDNSOption> options) {
        if (options.isEmpty()) {
            return NO_OPTIONS;
        }
        List<byte[]> parts = new ArrayList<>();
        int length = 0;
        for (EDNSOption option : options) {
            byte[] part = option.toWire();
            parts.add(part);
            length += part.length;
        }
        ByteBuffer wire = ByteBuffer.allocate(length);
        parts.forEach(wire::put);
        return wire.flip().asReadOnlyBuffer();
    }

    /**
     * Returns the query as a message.
     *
     * @param id its id
     * @param edns whether to add an OPT record; otherwise DO and the options are not sent
     * @param cases random bits, one for the case of each letter; null to keep the client's letter case
     */
    byte[] message(int id, boolean edns, byte @org.jspecify.annotations.Nullable [] cases) {
        int nameEnd = HEADER_LENGTH + name.wireLength();
        int length = nameEnd + 5 + (edns ? OPT_LENGTH + options.remaining() : 0);
        ByteBuffer message = ByteBuffer.allocate(length);
        message.putShort((short) id)
                .putShort((short) (RECURSION_DESIRED | (checkingDisabled ? CHECKING_DISABLED : 0)))
                .putShort((short) 1)
                .putInt(0)
                .putShort((short) (edns ? 1 : 0));
        name.copyTo(message.array(), HEADER_LENGTH);
        if (cases != null) {
            randomize(message.array(), HEADER_LENGTH, nameEnd, cases);
        }
        message.position(nameEnd);
        message.put((byte) 0).putShort((short) type.number()).putShort((short) DClass.IN);
        if (edns) {
            message.put((byte) 0)
                    .putShort((short) Type.OPT)
                    .putShort((short) PAYLOAD)
                    .putInt(dnssecOk ? DNSSEC_OK : 0)
                    .putShort((short) options.remaining())
                    .put(options.duplicate());
        }
        return message.array();
    }

    /** Randomizes the letter case of a name. Bytes of label lengths are below 64, and so are never taken for letters. */
    private static void randomize(byte[] message, int from, int to, byte[] bits) {
        for (int i = from; i < to; i++) {
            int lower = message[i] | 0x20;
            if (lower >= 'a' && lower <= 'z') {
                int bit = bits[(i - from) / 8 % bits.length] >>> ((i - from) % 8) & 1;
                message[i] = (byte) (bit == 0 ? lower : lower & ~0x20);
            }
        }
    }

    /**
     * Returns whether a message is the response to a query: has QR, the query's id and opcode, and its question. Letter case of the
     * question may differ; a response with an error RCODE may have no question.
     *
     * @param sent the query
     * @param response the message from position to limit, at least a header long
     * @param exactCase whether there must be a question, with equal letter case
     */
    static boolean isResponse(byte[] sent, ByteBuffer response, boolean exactCase) {
        int at = response.position();
        if (response.getShort(at) != (short) ((sent[0] & 0xFF) << 8 | sent[1] & 0xFF)
                || (response.get(at + 2) & 0xF8) != 0x80) {
            return false;
        }
        int questions = response.getShort(at + 4);
        int rcode = response.get(at + 3) & 0xF;
        if (questions == 0) {
            return !exactCase && rcode != 0 && rcode != 3;
        }
        int end = questionEnd(sent);
        if (questions != 1 || response.remaining() < end) {
            return false;
        }
        int nameEnd = end - 4;
        for (int i = HEADER_LENGTH; i < end; i++) {
            byte ours = sent[i];
            byte theirs = response.get(at + i);
            if (ours != theirs && (exactCase || i >= nameEnd || fold(ours) != fold(theirs))) {
                return false;
            }
        }
        return true;
    }

    private static int questionEnd(byte[] sent) {
        int at = HEADER_LENGTH;
        while (sent[at] != 0) {
            at += 1 + sent[at];
        }
        return at + 5;
    }

    private static int fold(byte letter) {
        return letter >= 'A' && letter <= 'Z' ? letter + 32 : letter;
    }

    /** Returns name, type, flags and options, for logs and debuggers. */
    @Override
    public String toString() {
        return name + ". " + type + (dnssecOk ? " DO" : "") + (checkingDisabled ? " CD" : "")
                + (options.hasRemaining() ? " " + Arrays.toString(bytes(options)) : "");
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] copy = new byte[buffer.remaining()];
        buffer.duplicate().get(copy);
        return copy;
    }
}
