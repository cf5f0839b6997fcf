package io.k8sdns.name;

import java.util.Arrays;

/** Converts the wire form of labels, without the root label, to and from the presentation form (RFC 1035, 5.1). */
final class PresentationForm {
    private PresentationForm() {}

    /**
     * Reads the presentation form; see {@link DnsLabels#parse}. The length of the whole name is not checked.
     *
     * @throws InvalidNameException if the text is not a name
     */
    static byte[] parse(String text) {
        if (text.isEmpty() || text.equals(".")) {
            return new byte[0];
        }
        byte[] wire = new byte[text.length() + 1];
        int lengthAt = 0;
        int position = 1;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '.') {
                endLabel(text, wire, lengthAt, position);
                lengthAt = position++;
                continue;
            }
            if (c == '\\') {
                int escaped = escaped(text, i);
                i += escaped >= 256 ? 3 : 1;
                c = (char) (escaped & 0xFF);
            }
            if (c > 0xFF) {
                throw new InvalidNameException("not a byte: \"" + c + "\" in " + text);
            }
            wire[position++] = (byte) c;
        }
        if (position - lengthAt > 1) {
            endLabel(text, wire, lengthAt, position);
        } else {
            position = lengthAt;
        }
        return Arrays.copyOf(wire, position);
    }

    /** Returns the byte that a backslash escapes, plus 256 if it has the three-digit form. */
    private static int escaped(String text, int at) {
        if (at + 1 >= text.length()) {
            throw new InvalidNameException("ends in a backslash: " + text);
        }
        char next = text.charAt(at + 1);
        if (next < '0' || next > '9') {
            if (next > 0xFF) {
                throw new InvalidNameException("not a byte: \"" + next + "\" in " + text);
            }
            return next;
        }
        int value = 0;
        for (int i = at + 1; i <= at + 3; i++) {
            if (i >= text.length() || text.charAt(i) < '0' || text.charAt(i) > '9') {
                throw new InvalidNameException("a backslash before fewer than three digits: " + text);
            }
            value = value * 10 + (text.charAt(i) - '0');
        }
        if (value > 255) {
            throw new InvalidNameException("not a byte: \\" + value + " in " + text);
        }
        return 256 + value;
    }

    private static void endLabel(String text, byte[] wire, int lengthAt, int end) {
        int length = end - lengthAt - 1;
        if (length == 0 || length > 63) {
            throw new InvalidNameException("a label of " + length + " bytes, 1 to 63 are allowed: " + text);
        }
        wire[lengthAt] = (byte) length;
    }

    static String of(byte[] wire) {
        StringBuilder text = new StringBuilder(wire.length);
        for (int position = 0; position < wire.length; position += 1 + wire[position]) {
            if (position > 0) {
                text.append('.');
            }
            for (int i = 1; i <= wire[position]; i++) {
                int value = wire[position + i] & 0xFF;
                if (value == '.'
                        || value == '\\'
                        || value == '"'
                        || value == ';'
                        || value == '('
                        || value == ')'
                        || value == '@'
                        || value == '$') {
                    text.append('\\').append((char) value);
                } else if (value <= 0x20 || value >= 0x7F) {
                    text.append('\\')
                            .append((char) ('0' + value / 100))
                            .append((char) ('0' + value / 10 % 10))
                            .append((char) ('0' + value % 10));
                } else {
                    text.append((char) value);
                }
            }
        }
        return text.toString();
    }
}
