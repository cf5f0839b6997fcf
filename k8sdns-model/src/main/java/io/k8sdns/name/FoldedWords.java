package io.k8sdns.name;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Reads eight bytes of a name at a time and folds their ASCII letters to lower case, for hashing and comparison. */
final class FoldedWords {
    /** Eight bytes at a time: hashing and comparing names dominates the cost of a query. */
    static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private FoldedWords() {}

    /**
     * Returns the bytes from {@code at} on, fewer than eight, as a word. If the name has at least eight bytes, its last
     * eight are read at once.
     */
    static long tail(byte[] bytes, int from, int at, int to) {
        if (to - from >= 8) {
            return (long) WORDS.get(bytes, to - 8) >>> 8 * (8 - (to - at));
        }
        long word = 0;
        for (int i = to - 1; i >= at; i--) {
            word = word << 8 | bytes[i] & 0xFF;
        }
        return word;
    }

    /** Folds eight bytes at once. Length bytes stay as they are: they are at most 63, and all letters are above. */
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

    /** Returns the byte folded to lower case, 0 to 255. */
    static int fold(byte b) {
        return b >= 'A' && b <= 'Z' ? b + 32 : b & 0xFF;
    }
}
