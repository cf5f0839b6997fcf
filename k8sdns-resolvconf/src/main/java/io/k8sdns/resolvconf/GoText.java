package io.k8sdns.resolvconf;

import java.util.ArrayList;
import java.util.List;

/** Splits text into words as Go's {@code strings.Fields} does, with which the kubelet reads lines. */
final class GoText {
    private GoText() {}

    /** Returns the words between two places of a text. */
    static List<String> fields(String text, int from, int to) {
        List<String> words = new ArrayList<>();
        int start = -1;
        for (int i = from; i < to; i++) {
            if (isSpace(text.charAt(i))) {
                if (start >= 0) {
                    words.add(text.substring(start, i));
                    start = -1;
                }
            } else if (start < 0) {
                start = i;
            }
        }
        if (start >= 0) {
            words.add(text.substring(start, to));
        }
        return words;
    }

    /**
     * Returns whether the character is white space: Go's {@code unicode.IsSpace}, which includes NEL and no-break
     * spaces.
     */
    static boolean isSpace(char c) {
        return c == ' ' || c >= '\t' && c <= '\r' || c == 0x85 || c == 0xA0 || c > 0xFF && isWideSpace(c);
    }

    private static boolean isWideSpace(char c) {
        return switch (Character.getType(c)) {
            case Character.SPACE_SEPARATOR, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }
}
