package io.k8sdns.resolvconf;

import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/** Quotes input for messages: line breaks and control characters are escaped, and long input is cut. */
final class Quoted {
    /** More than any valid value has. */
    private static final int MAX_CHARACTERS = 1000;

    private static final int MAX_ELEMENTS = 40;

    private Quoted() {}

    /** Returns the text in quotes as Go's {@code %q} prints it, cut after 1000 characters. */
    static String of(String text) {
        StringBuilder quoted = new StringBuilder(Math.min(text.length(), MAX_CHARACTERS) + 2).append('"');
        text.codePoints().limit(MAX_CHARACTERS).forEach(c -> escape(quoted, c));
        boolean cut = text.codePointCount(0, Math.min(text.length(), 2 * MAX_CHARACTERS + 2)) > MAX_CHARACTERS;
        return quoted.append(cut ? "...\"" : "\"").toString();
    }

    /** Returns the texts as a list in brackets, each quoted, cut after 40 of them. */
    static String list(List<String> texts) {
        return texts.stream()
                .limit(MAX_ELEMENTS)
                .map(Quoted::of)
                .collect(Collectors.joining(",", "[", texts.size() > MAX_ELEMENTS ? ",...]" : "]"));
    }

    /** Returns the text as it is, cut after 1000 characters. */
    static String bare(String text) {
        return text.length() <= MAX_CHARACTERS ? text : text.substring(0, MAX_CHARACTERS) + "...";
    }

    private static void escape(StringBuilder quoted, int c) {
        switch (c) {
            case '"', '\\' -> quoted.append('\\').append((char) c);
            case 7 -> quoted.append("\\a");
            case '\b' -> quoted.append("\\b");
            case '\f' -> quoted.append("\\f");
            case '\n' -> quoted.append("\\n");
            case '\r' -> quoted.append("\\r");
            case '\t' -> quoted.append("\\t");
            case 11 -> quoted.append("\\v");
            default -> {
                if (isPrintable(c)) {
                    quoted.appendCodePoint(c);
                } else if (c < ' ' || c == 127) {
                    quoted.append("\\x").append(HexFormat.of().toHexDigits((byte) c));
                } else if (c < 0x10000) {
                    quoted.append("\\u").append(HexFormat.of().toHexDigits((char) c));
                } else {
                    quoted.append("\\U").append(HexFormat.of().toHexDigits(c));
                }
            }
        }
    }

    /** Go's {@code strconv.IsPrint}: letters, marks, numbers, punctuation, symbols, and the ASCII space. */
    private static boolean isPrintable(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            case Character.SPACE_SEPARATOR -> c == ' ';
            default -> true;
        };
    }
}
