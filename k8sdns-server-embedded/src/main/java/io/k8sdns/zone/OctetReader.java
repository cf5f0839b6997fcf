package io.k8sdns.zone;

import io.k8sdns.model.IpAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/** Reads what {@link OctetWriter} wrote. */
final class OctetReader {
    private static final int UUID_LENGTH = 36;

    private final byte[] octets;
    private int at;

    /**
     * Creates a reader.
     *
     * @param at where it begins
     */
    OctetReader(byte[] octets, int at) {
        this.octets = octets;
        this.at = at;
    }

    /** Returns where the next octet is. */
    int at() {
        return at;
    }

    boolean isAtEnd() {
        return at == octets.length;
    }

    void skip(int count) {
        at += count;
    }

    int octet() {
        return octets[at++] & 0xFF;
    }

    int number() {
        return octet() << 8 | octet();
    }

    int count() {
        int count = 0;
        for (int shift = 0; ; shift += 7) {
            int octet = octet();
            count |= (octet & 0x7F) << shift;
            if (octet <= 0x7F) {
                return count;
            }
        }
    }

    Optional<String> text() {
        int length = count() - 1;
        if (length < 0) {
            return Optional.empty();
        }
        at += length;
        return Optional.of(new String(octets, at - length, length, StandardCharsets.UTF_8));
    }

    void skipText() {
        int length = count() - 1;
        at += Math.max(length, 0);
    }

    void skipUid() {
        if (octet() == 0) {
            skipText();
        } else {
            at += 16;
        }
    }

    Optional<String> uid() {
        if (octet() == 0) {
            return text();
        }
        StringBuilder text = new StringBuilder(UUID_LENGTH);
        for (int i = 0; i < 16; i++) {
            if (i == 4 || i == 6 || i == 8 || i == 10) {
                text.append('-');
            }
            int octet = octet();
            text.append(Character.forDigit(octet >>> 4, 16)).append(Character.forDigit(octet & 0xF, 16));
        }
        return Optional.of(text.toString());
    }

    IpAddress address(int length) {
        at += length;
        return IpAddress.ofBytes(Arrays.copyOfRange(octets, at - length, at));
    }
}
