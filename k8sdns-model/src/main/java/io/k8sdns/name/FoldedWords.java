package io.k8sdns.name;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Reads eight bytes of a name at a time and folds their ASCII letters to lower case, for hashing and comparison. */
final class FoldedWords {
    /** Eight octets at a time: what a name costs to hash and to compare decides what a query costs. */
    static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private FoldedWords() {}

    /** Returns the last octets, fewer than eight, as a word; of a name of eight and more by one look at its end. */
    static long tail(byte[] octets, int from, int at, int to) {
        if (to - from >= 8) {
            return (long) WORDS.get(octets, to - 8) >>> 8 * (8 - (to - at));
        }
        long word = 0;
        for (int i = to - 1; i >= at; i--) {
            word = word << 8 | octets[i] & 0xFF;
        }
        return word;
    }

    /** Folds eight octets at once. Length octets are at most 63 and no letters. */
    static long folded(long word) {
        long low = word & 0x7F7F_7F7F_7F7F_7F7FL;
        long aboveZ = low + 0x2525_2525_2525_2525L;
        long fromA = low + 0x3F3F_3F3F_3F3F_3F3FL;
        long upper = (fromA ^ aboveZ) & ~word & 0x8080_8080_8080_8080L;
        return word | upper >>> 2;
    }

    static boolean differ(long word, long other) {
        return word != other && folded(word) != folded(other);
    }

    /** Returns the octet folded to lower case, 0 to 255. */
    static int fold(byte octet) {
        return octet >= 'A' && octet <= 'Z' ? octet + 32 : octet & 0xFF;
    }
}
