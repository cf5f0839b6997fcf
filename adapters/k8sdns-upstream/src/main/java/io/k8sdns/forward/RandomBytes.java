package io.k8sdns.forward;

import java.security.SecureRandom;

/** Unpredictable bytes for message ids, ports and letter case, generated in bulk. Not thread-safe. */
final class RandomBytes {
    private final SecureRandom source = new SecureRandom();
    private final byte[] buffer = new byte[4_096];
    private int used = buffer.length;

    /** Returns a number of 16 bits. */
    int next16() {
        byte[] two = bytes(2);
        return (two[0] & 0xFF) << 8 | two[1] & 0xFF;
    }

    /** Returns a number from 0 (inclusive) to a bound (exclusive), which is at most 65536. */
    int below(int bound) {
        return next16() % bound;
    }

    byte[] bytes(int count) {
        if (used + count > buffer.length) {
            source.nextBytes(buffer);
            used = 0;
        }
        byte[] bytes = new byte[count];
        System.arraycopy(buffer, used, bytes, 0, count);
        used += count;
        return bytes;
    }
}
