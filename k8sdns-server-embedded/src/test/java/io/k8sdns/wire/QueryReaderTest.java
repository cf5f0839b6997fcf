package io.k8sdns.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.Type;

/** Limits of a message: a field of the largest size is read, and a field with one byte more is malformed. */
class QueryReaderTest {
    private static final int ADDITIONAL = 3;

    /** The size of the reader's buffer; reading past the end of a message of this size would throw. */
    private static final int BUFFER = 512;

    /** A label of 63 bytes, the longest. */
    private static final String LONG = "x".repeat(63);

    /** A name of 255 bytes, the longest. */
    private static final String LONGEST = LONG + "." + LONG + "." + LONG + "." + "y".repeat(61) + ".";

    private final QueryReader reader = new QueryReader();

    @Test
    void aQuestionHasANameOf255Bytes() {
        assertThat(malformed(Packet.query(LONGEST, Type.A))).isFalse();
        assertThat(reader.root()).isEqualTo(12 + 254);
        assertThat(reader.labelCount()).isEqualTo(4);

        assertThat(malformed(new Packet()
                        .count(0, 1)
                        .raw(63)
                        .raw(bytes(63))
                        .raw(63)
                        .raw(bytes(63))
                        .raw(63)
                        .raw(bytes(63))
                        .raw(62)
                        .raw(bytes(62))
                        .raw(0)
                        .number(Type.A)
                        .number(1)))
                .isTrue();
    }

    @Test
    void aQuestionHasUpTo127Labels() {
        assertThat(malformed(Packet.query("a.".repeat(127), Type.A))).isFalse();
        assertThat(reader.labelCount()).isEqualTo(127);
        Packet tooMany = new Packet().count(0, 1);
        for (int i = 0; i < 128; i++) {
            tooMany.raw(1, 'a');
        }
        assertThat(malformed(tooMany.raw(0).number(Type.A).number(1))).isTrue();
    }

    @Test
    void aLabelOfAQuestionHas63Bytes() {
        assertThat(malformed(Packet.query(LONG + ".", Type.A))).isFalse();
        assertThat(malformed(new Packet()
                        .count(0, 1)
                        .raw(64)
                        .raw(bytes(64))
                        .raw(0)
                        .number(Type.A)
                        .number(1)))
                .isTrue();
    }

    @Test
    void aQuestionEndsWithItsClass() {
        byte[] whole = Packet.query("a.b.", Type.A).bytes();
        for (int length = 12; length < whole.length; length++) {
            // The rest is still in the buffer.
            assertThat(malformed(whole, whole.length)).isFalse();
            assertThat(malformed(whole, length)).as("%d bytes", length).isTrue();
            assertThat(reader.root()).isZero();
        }
    }

    @Test
    void recordsOfAMessageWithAnyNumberOfQuestionsAreRead() {
        assertThat(malformed(new Packet().opt(1232, 0, 0))).isTrue();
        assertThat(reader.hasEdns()).isTrue();
        assertThat(malformed(
                        Packet.query("a.", Type.A).question("b.", Type.A, 1).opt(1232, 0, 0)))
                .isTrue();
        assertThat(reader.hasEdns()).isTrue();
        assertThat(malformed(new Packet()
                        .count(0, 2)
                        .raw(0)
                        .number(1)
                        .number(1)
                        .raw(0xC0, 12)
                        .number(1)
                        .number(1)
                        .opt(1232, 0, 0)))
                .isTrue();
        assertThat(reader.hasEdns()).isTrue();
    }

    @Test
    void anOwnerNameHas255Bytes() {
        assertThat(malformed(Packet.query("a.", Type.A)
                        .count(ADDITIONAL, 1)
                        .name(LONGEST)
                        .number(1)
                        .number(1)
                        .number(0)
                        .number(0)
                        .number(0)))
                .isFalse();
        assertThat(malformed(Packet.query("a.", Type.A)
                        .count(ADDITIONAL, 1)
                        .raw(2)
                        .raw(bytes(2))
                        .raw(63)
                        .raw(bytes(63))
                        .raw(63)
                        .raw(bytes(63))
                        .raw(63)
                        .raw(bytes(63))
                        .raw(59)
                        .raw(bytes(59))
                        .raw(0)
                        .number(1)
                        .number(1)
                        .number(0)
                        .number(0)
                        .number(0)))
                .isTrue();
    }

    @Test
    void aCompressedOwnerNameHas255Bytes() {
        // The question's name with two labels before it: 251 + 2 + 2 bytes, then 251 + 2 + 3.
        String name = LONGEST.substring(4);
        assertThat(malformed(questionAndRecordOwnedBy(name, 1, 'a', 1, 'b', 0xC0, 12)))
                .isFalse();
        assertThat(malformed(questionAndRecordOwnedBy(name, 1, 'a', 2, 'b', 'c', 0xC0, 12)))
                .isTrue();
    }

    @Test
    void aLabelOfAnOwnerNameHas63Bytes() {
        assertThat(malformed(questionAndRecordOwnedBy("a.", 63, bytes(63), 0xC0, 12)))
                .isFalse();
        assertThat(malformed(questionAndRecordOwnedBy("a.", 64, bytes(64), 0xC0, 12)))
                .isTrue();
    }

    @Test
    void anOwnerNamePointsBackwardAndNotIntoTheHeader() {
        assertThat(malformed(questionAndRecordOwnedBy("a.", 0xC0, 12))).isFalse();
        assertThat(malformed(questionAndRecordOwnedBy("a.", 0xC0, 11))).isTrue();
        int own = 12 + 3 + 4;
        assertThat(malformed(questionAndRecordOwnedBy("a.", 0xC0, own))).isTrue();
        assertThat(malformed(questionAndRecordOwnedBy("a.", 0xC0, own + 1))).isTrue();
        assertThat(malformed(questionAndRecordOwnedBy("a.", 0x80, 12))).isTrue();
    }

    @Test
    void noBytesAfterTheMessageAreRead() {
        // The message fills the buffer; its last record has 0, 1, 2, .. bytes.
        int[] record = {0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0};
        for (int there = 0; there < record.length; there++) {
            int[] cut = Arrays.copyOf(record, there);
            assertThat(malformed(fullBufferEndingWith(cut)))
                    .as("%d bytes of the record", there)
                    .isTrue();
        }
        assertThat(malformed(fullBufferEndingWith(record))).isFalse();
        // A root owner, and type 41: the OPT record's options are cut as well.
        for (int there = 0; there < 4; there++) {
            int[] opt = new int[11 + there];
            opt[2] = Type.OPT;
            opt[10] = there;
            assertThat(malformed(fullBufferEndingWith(opt)))
                    .as("%d bytes of an option", there)
                    .isEqualTo(there != 0);
            assertThat(reader.hasEdns()).isTrue();
        }
    }

    @Test
    void optionsFillTheOptRecord() {
        assertThat(malformed(Packet.query("a.", Type.A).opt(1232, 0, 0, 0, 10, 0, 1, 7)))
                .isFalse();
        assertThat(reader.ednsOptions()).hasSize(1);
        assertThat(malformed(Packet.query("a.", Type.A).opt(1232, 0, 0, 0, 10, 0, 1, 7, 0, 11, 0, 0)))
                .isFalse();
        assertThat(reader.ednsOptions()).hasSize(2);
        assertThat(malformed(Packet.query("a.", Type.A).opt(1232, 0, 0, 0, 10, 0, 2, 7)))
                .isTrue();
        assertThat(reader.hasEdns()).isTrue();
        assertThat(reader.ednsOptions()).isEmpty();
        assertThat(malformed(Packet.query("a.", Type.A).opt(1232, 0, 0, 0, 10, 0, 0, 7)))
                .isTrue();
    }

    @Test
    void aLargeMessageIsReadWhole() {
        Packet packet = Packet.query("a.", Type.A).record(ADDITIONAL, Type.TXT, 1, 0, bytes(2000));
        assertThat(malformed(packet)).isFalse();
        assertThat(malformed(packet.raw(0))).isTrue();
        assertThat(malformed(Packet.query("a.", Type.A))).isFalse();
    }

    /** Returns a message of a question and a record of type A without data, whose owner is given in bytes. */
    private static Packet questionAndRecordOwnedBy(String question, Object... owner) {
        Packet packet = Packet.query(question, Type.A).count(ADDITIONAL, 1);
        for (Object part : owner) {
            if (part instanceof int[] several) {
                packet.raw(several);
            } else {
                packet.raw(part instanceof Character letter ? letter : (int) part);
            }
        }
        return packet.number(Type.A).number(1).number(0).number(0).number(0);
    }

    /**
     * Returns a message as long as the buffer: a question, a record of type TXT, and these bytes of another record at the
     * end.
     */
    private static Packet fullBufferEndingWith(int... end) {
        int padding = BUFFER - 12 - 7 - 11 - end.length;
        return Packet.query("a.", Type.A)
                .record(ADDITIONAL, Type.TXT, 1, 0, bytes(padding))
                .count(ADDITIONAL, 2)
                .raw(end);
    }

    private static int[] bytes(int count) {
        int[] bytes = new int[count];
        Arrays.fill(bytes, 'x');
        return bytes;
    }

    private boolean malformed(Packet packet) {
        byte[] bytes = packet.bytes();
        return malformed(bytes, bytes.length);
    }

    private boolean malformed(byte[] bytes, int length) {
        assertThat(reader.read(ByteBuffer.wrap(bytes, 0, length))).isTrue();
        return reader.query().malformed();
    }
}
