package io.k8sdns.hosts;

import io.k8sdns.model.Internal;
import io.k8sdns.name.DnsLabels;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Converts the names of programs and files to absolute names. Each character of a text is one byte. */
@Internal
public final class NameText {
    /** The maximum length of a name on the wire in bytes, with the root label. */
    private static final int MAX_WIRE = 255;

    private static final int MAX_LABEL = 63;

    private NameText() {}

    /** Returns the UTF-8 bytes of a text, each as a character. */
    public static String utf8(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    /** Returns the text of which each character is a UTF-8 byte. */
    public static String text(String bytes) {
        return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    /** Returns the number of dots. */
    public static int dots(String name) {
        int dots = 0;
        for (int i = 0; i < name.length(); i++) {
            if (name.charAt(i) == '.') {
                dots++;
            }
        }
        return dots;
    }

    /**
     * Returns the name of these labels, absolute and in presentation form. Dots separate labels; no other character is
     * special. Empty if a label is empty, or a label or the name is too long.
     *
     * @param text the labels, with or without a trailing dot
     */
    public static Optional<String> plain(String text) {
        if (text.length() > MAX_WIRE) {
            return Optional.empty();
        }
        return absolute(List.of(withoutDot(text).split("\\.", -1)));
    }

    /**
     * Returns the name of a text in presentation form, as {@code ns_name_pton} of glibc reads it: {@code \DDD} and
     * {@code \.} are escapes. Empty if the text is not a name.
     */
    public static Optional<String> escaped(String text) {
        List<String> labels = new ArrayList<>();
        StringBuilder label = new StringBuilder();
        int length = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '.') {
                labels.add(label.toString());
                label.setLength(0);
                continue;
            }
            if (c == '\\') {
                if (++i == text.length()) {
                    return Optional.empty();
                }
                c = text.charAt(i);
                if (isDigit(c)) {
                    if (i + 2 >= text.length() || !isDigit(text.charAt(i + 1)) || !isDigit(text.charAt(i + 2))) {
                        return Optional.empty();
                    }
                    int value = Integer.parseInt(text, i, i + 3, 10);
                    if (value > 255) {
                        return Optional.empty();
                    }
                    c = (char) value;
                    i += 2;
                }
            }
            if (++length > MAX_WIRE) {
                return Optional.empty();
            }
            label.append(c);
        }
        if (!label.isEmpty() || labels.isEmpty()) {
            labels.add(label.toString());
        }
        return absolute(labels);
    }

    /** Returns {@link #plain} of a name and a domain with a dot between them. */
    public static Optional<String> plain(String name, String domain) {
        return name.length() > MAX_WIRE ? Optional.empty() : plain(name + "." + domain);
    }

    /** Returns the name of these labels; a backslash makes the next character, even a dot, part of a label. */
    public static Optional<String> backslashed(String text) {
        if (text.isEmpty()) {
            return Optional.of(".");
        }
        List<String> labels = new ArrayList<>();
        StringBuilder label = new StringBuilder();
        for (int i = 0; i < text.length() && label.length() <= MAX_LABEL && labels.size() <= MAX_WIRE; i++) {
            char c = text.charAt(i);
            if (c == '.') {
                labels.add(label.toString());
                label.setLength(0);
            } else {
                label.append(c == '\\' && i + 1 < text.length() ? text.charAt(++i) : c);
            }
        }
        if (!label.isEmpty() || labels.isEmpty()) {
            labels.add(label.toString());
        }
        return absolute(labels);
    }

    /** Returns a text without a trailing dot. */
    public static String withoutDot(String text) {
        return text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
    }

    /** Returns whether a name in presentation form has a byte beyond ASCII. */
    public static boolean hasHighByte(String absolute) {
        for (int i = absolute.indexOf('\\'); i >= 0 && i + 1 < absolute.length(); i = absolute.indexOf('\\', i + 2)) {
            if (isDigit(absolute.charAt(i + 1)) && Integer.parseInt(absolute, i + 1, i + 4, 10) > 127) {
                return true;
            }
        }
        return false;
    }

    public static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    /** Returns the name of these labels; a single empty label is the root. */
    private static Optional<String> absolute(List<String> labels) {
        if (labels.size() == 1 && labels.get(0).isEmpty()) {
            return Optional.of(".");
        }
        int wire = 1;
        for (String label : labels) {
            wire += 1 + label.length();
            if (label.isEmpty() || label.length() > MAX_LABEL || wire > MAX_WIRE) {
                return Optional.empty();
            }
        }
        return Optional.of(DnsLabels.of(labels.toArray(String[]::new)) + ".");
    }
}
