package io.k8sdns.zone;

import io.k8sdns.model.IpAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/** Writes what {@link OctetReader} reads. */
final class OctetWriter {
    private static final int UUID_LENGTH = 36;

    private byte[] octets;
    private int at;

    /**
     * Creates a writer.
     *
     * @param roughly how many octets to expect
     */
    OctetWriter(int roughly) {
        octets = new byte[roughly];
    }

    private void room(int more) {
        if (at + more > octets.length) {
            octets = Arrays.copyOf(octets, Math.max(at + more, 2 * octets.length));
        }
    }

    void octet(int octet) {
        room(1);
        octets[at++] = (byte) octet;
    }

    void octets(byte[] some) {
        room(some.length);
        System.arraycopy(some, 0, octets, at, some.length);
        at += some.length;
    }

    /** Seven bits an octet, the lowest first; the last one has no upper bit. */
    void count(int count) {
        int left = count;
        for (; left > 0x7F; left >>>= 7) {
            octet(left | 0x80);
        }
        octet(left);
    }

    /** A count of one more than its octets, or 0 for none. */
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
                octets(some);
                return;
            }
            octets[at++] = (byte) c;
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
            octets[at++] = (byte) (number >>> shift);
        }
    }

    /** 16 octets for a UUID, which is what API servers give; else a text. */
    void uid(Optional<String> uid) {
        if (uid.isEmpty() || !isUuid(uid.get())) {
            octet(0);
            text(uid);
            return;
        }
        octet(1);
        String text = uid.get();
        for (int i = 0; i < UUID_LENGTH; i += 2) {
            i += text.charAt(i) == '-' ? 1 : 0;
            octet(Character.digit(text.charAt(i), 16) << 4 | Character.digit(text.charAt(i + 1), 16));
        }
    }

    byte[] written() {
        return at == octets.length ? octets : Arrays.copyOf(octets, at);
    }

    /** Returns whether this is a UUID as Kubernetes writes it, letters in lower case. */
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
