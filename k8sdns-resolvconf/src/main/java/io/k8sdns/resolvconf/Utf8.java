package io.k8sdns.resolvconf;

/** Counts lengths as Go does: in bytes of UTF-8. */
final class Utf8 {
    private Utf8() {}

    /** Returns the number of bytes of the text. */
    static long length(String text) {
        long bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            bytes += bytesOf(text.charAt(i));
        }
        return bytes;
    }

    /** Returns whether the text has at least that many bytes. */
    static boolean isAtLeast(String text, int bytes) {
        return text.length() >= bytes || text.length() >= bytes / 3 && length(text) >= bytes;
    }

    private static int bytesOf(char c) {
        if (c < 0x80) {
            return 1;
        }
        // Each half of a surrogate pair counts for two of the four bytes.
        return c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
    }
}
