package io.k8sdns.zone;

import io.k8sdns.model.IpAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/** Writes what {@link ByteReader} reads. */
final class ByteWriter {
    private static final int UUID_LENGTH = 36;

    private byte[] bytes;
    private int at;

    /** Creates a writer with room for some bytes, which grows. */
    ByteWriter(int capacity) {
        bytes = new byte[capacity];
    }

    private void ensureRoom(int more) {
        if (at + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(at + more, 2 * bytes.length));
        }
    }

    void putByte(int value) {
        ensureRoom(1);
        bytes[at++] = (byte) value;
    }

    void putBytes(byte[] source) {
        ensureRoom(source.length);
        System.arraycopy(source, 0, bytes, at, source.length);
        at += source.length;
    }

    /** Writes a number of variable length: seven bits in each byte, the lowest first; the upper bit is set if another byte follows. */
    void putVarint(int value) {
        int left = value;
        for (; left > 0x7F; left >>>= 7) {
            putByte(left | 0x80);
        }
        putByte(left);
    }

    /** Writes the length of a text in bytes plus one, and the text; 0 if there is none. */
    void putText(Optional<String> text) {
        if (text.isPresent()) {
            putText(text.get());
        } else {
            putVarint(0);
        }
    }

    void putText(String text) {
        int length = text.length();
        ensureRoom(5 + length);
        int start = at;
        putVarint(1 + length);
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c > 0x7F) {
                at = start;
                byte[] source = text.getBytes(StandardCharsets.UTF_8);
                putVarint(1 + source.length);
                putBytes(source);
                return;
            }
            bytes[at++] = (byte) c;
        }
    }

    void putAddress(IpAddress address) {
        if (address.isIpv4()) {
            putNumber(address.low(), 4);
        } else {
            putNumber(address.high(), 8);
            putNumber(address.low(), 8);
        }
    }

    private void putNumber(long number, int length) {
        ensureRoom(length);
        for (int shift = 8 * (length - 1); shift >= 0; shift -= 8) {
            bytes[at++] = (byte) (number >>> shift);
        }
    }

    /** Writes a UUID, which is what API servers assign, in 16 bytes, any other UID as a text. */
    void putUid(Optional<String> uid) {
        if (uid.isEmpty() || !isUuid(uid.get())) {
            putByte(0);
            putText(uid);
            return;
        }
        putByte(1);
        putBytes(HexFormat.of().parseHex(uid.get().replace("-", "")));
    }

    byte[] written() {
        return at == bytes.length ? bytes : Arrays.copyOf(bytes, at);
    }

    /** Returns whether a UID is a UUID in lower case, as Kubernetes writes it. */
    private static boolean isUuid(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean dash = i == 8 || i == 13 || i == 18 || i == 23;
            if (dash ? c != '-' : !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f')) {
                return false;
            }
        }
        return text.length() == UUID_LENGTH;
    }
}
