package io.k8sdns.zone;

import io.k8sdns.model.IpAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/** Reads what {@link ByteWriter} wrote. */
final class ByteReader {
    private static final int UUID_LENGTH = 36;

    private final byte[] bytes;
    private int at;

    /** Creates a reader that begins at a position. */
    ByteReader(byte[] bytes, int at) {
        this.bytes = bytes;
        this.at = at;
    }

    /** Returns the position of the next byte. */
    int at() {
        return at;
    }

    boolean isAtEnd() {
        return at == bytes.length;
    }

    void skip(int count) {
        at += count;
    }

    /** Returns the next byte, 0 to 255. */
    int unsignedByte() {
        return bytes[at++] & 0xFF;
    }

    /** Reads a number of two bytes. */
    int unsignedShort() {
        return unsignedByte() << 8 | unsignedByte();
    }

    /** Reads a number of variable length. */
    int varint() {
        int result = 0;
        for (int shift = 0; ; shift += 7) {
            int value = unsignedByte();
            result |= (value & 0x7F) << shift;
            if (value <= 0x7F) {
                return result;
            }
        }
    }

    Optional<String> text() {
        int length = varint() - 1;
        if (length < 0) {
            return Optional.empty();
        }
        at += length;
        return Optional.of(new String(bytes, at - length, length, StandardCharsets.UTF_8));
    }

    void skipText() {
        int length = varint() - 1;
        at += Math.max(length, 0);
    }

    void skipUid() {
        if (unsignedByte() == 0) {
            skipText();
        } else {
            at += 16;
        }
    }

    Optional<String> uid() {
        if (unsignedByte() == 0) {
            return text();
        }
        StringBuilder text = new StringBuilder(UUID_LENGTH);
        for (int i = 0; i < 16; i++) {
            if (i == 4 || i == 6 || i == 8 || i == 10) {
                text.append('-');
            }
            int value = unsignedByte();
            text.append(Character.forDigit(value >>> 4, 16)).append(Character.forDigit(value & 0xF, 16));
        }
        return Optional.of(text.toString());
    }

    IpAddress address(int length) {
        at += length;
        return IpAddress.ofBytes(Arrays.copyOfRange(bytes, at - length, at));
    }
}
