package io.k8sdns.resolvconf;

/** Lengths as Go counts them: in octets of UTF-8. */
final class Utf8 {
    private Utf8() {}

    /** Returns how many octets the text has. */
    static long length(String text) {
        long octets = 0;
        for (int i = 0; i < text.length(); i++) {
            octets += octets(text.charAt(i));
        }
        return octets;
    }

    /** Returns whether the text has that many octets or more. */
    static boolean isAtLeast(String text, int octets) {
        return text.length() >= octets || text.length() >= octets / 3 && length(text) >= octets;
    }

    private static int octets(char c) {
        if (c < 0x80) {
            return 1;
        }
        // Each half of a surrogate pair stands for two of the four octets.
        return c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
    }
}
