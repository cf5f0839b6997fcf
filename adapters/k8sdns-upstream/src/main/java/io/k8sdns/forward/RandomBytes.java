package io.k8sdns.forward;

import java.security.SecureRandom;

/** Unpredictable bytes for ids, ports and letters, drawn in bulk. For one thread. */
final class RandomBytes {
    private final SecureRandom source = new SecureRandom();
    private final byte[] drawn = new byte[4_096];
    private int used = drawn.length;

    /** Returns a number of 16 bits. */
    int next16() {
        byte[] two = bytes(2);
        return (two[0] & 0xFF) << 8 | two[1] & 0xFF;
    }

    /** Returns a number from 0 to a bound, which is excluded and at most 65536. */
    int below(int bound) {
        return next16() % bound;
    }

    byte[] bytes(int count) {
        if (used + count > drawn.length) {
            source.nextBytes(drawn);
            used = 0;
        }
        byte[] bytes = new byte[count];
        System.arraycopy(drawn, used, bytes, 0, count);
        used += count;
        return bytes;
    }
}
