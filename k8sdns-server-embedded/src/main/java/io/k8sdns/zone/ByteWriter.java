package io.k8sdns.zone;

import io.k8sdns.model.IpAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
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

    private void room(int more) {
        if (at + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(at + more, 2 * bytes.length));
        }
    }

    void put(int value) {
        room(1);
        bytes[at++] = (byte) value;
    }

    void bytes(byte[] some) {
        room(some.length);
        System.arraycopy(some, 0, bytes, at, some.length);
        at += some.length;
    }

    /** Writes a number in groups of seven bits, the lowest first; the upper bit of a byte says that another one follows. */
    void count(int count) {
        int left = count;
        for (; left > 0x7F; left >>>= 7) {
            put(left | 0x80);
        }
        put(left);
    }

    /** Writes a count, one more than the bytes of the text, and the text; a count of 0 if there is none. */
    void text(Optional<String> text) {
        if (text.isPresent()) {
            text(text.get());
        } else {
            count(0);
        }
    }

    void text(String text) {
        int length = text.length();
        room(5 + length);
        int start = at;
        count(1 + length);
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c > 0x7F) {
                at = start;
                byte[] some = text.getBytes(StandardCharsets.UTF_8);
                count(1 + some.length);
                bytes(some);
                return;
            }
            bytes[at++] = (byte) c;
        }
    }

    void address(IpAddress address) {
        if (address.isIpv4()) {
            number(address.low(), 4);
        } else {
            number(address.high(), 8);
            number(address.low(), 8);
        }
    }

    private void number(long number, int length) {
        room(length);
        for (int shift = 8 * (length - 1); shift >= 0; shift -= 8) {
            bytes[at++] = (byte) (number >>> shift);
        }
    }

    /** Writes a UUID, which is what API servers assign, in 16 bytes, any other UID as a text. */
    void uid(Optional<String> uid) {
        if (uid.isEmpty() || !isUuid(uid.get())) {
            put(0);
            text(uid);
            return;
        }
        put(1);
        String text = uid.get();
        for (int i = 0; i < UUID_LENGTH; i += 2) {
            i += text.charAt(i) == '-' ? 1 : 0;
            put(Character.digit(text.charAt(i), 16) << 4 | Character.digit(text.charAt(i + 1), 16));
        }
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
