package io.k8sdns.apiserver;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Parses and serializes JSON as maps, lists, strings, numbers and booleans, for objects that clients write. */
final class JsonValue {
    private final String text;
    private int at;

    private JsonValue(String text) {
        this.text = text;
    }

    /**
     * Reads an object.
     *
     * @throws IllegalArgumentException if the text is not a JSON object
     */
    static Map<String, @Nullable Object> object(String text) {
        JsonValue reader = new JsonValue(text);
        Object value = reader.value();
        if (!reader.rest().isEmpty() || !(value instanceof Map<?, ?> members)) {
            throw new IllegalArgumentException("not a JSON object");
        }
        return members(members);
    }

    /** Returns a copy of an object's members; an empty map for any other value. */
    static Map<String, @Nullable Object> members(@Nullable Object object) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        if (object instanceof Map<?, ?> map) {
            map.forEach((key, value) -> members.put(String.valueOf(key), value));
        }
        return members;
    }

    private String rest() {
        return text.substring(at).strip();
    }

    private char next() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        if (at == text.length()) {
            throw new IllegalArgumentException("the JSON ends too early");
        }
        return text.charAt(at);
    }

    private boolean take(char expected) {
        boolean isThere = next() == expected;
        at += isThere ? 1 : 0;
        return isThere;
    }

    private void require(char expected) {
        if (!take(expected)) {
            throw new IllegalArgumentException("not JSON at " + at + ": " + expected + " is missing");
        }
    }

    private @Nullable Object value() {
        return switch (next()) {
            case '{' -> object();
            case '[' -> list();
            case '"' -> string();
            default -> word();
        };
    }

    private Map<String, @Nullable Object> object() {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        require('{');
        while (!take('}')) {
            if (!members.isEmpty()) {
                require(',');
            }
            next();
            String name = string();
            require(':');
            members.put(name, value());
        }
        return members;
    }

    private List<@Nullable Object> list() {
        List<@Nullable Object> items = new ArrayList<>();
        require('[');
        while (!take(']')) {
            if (!items.isEmpty()) {
                require(',');
            }
            items.add(value());
        }
        return items;
    }

    private String string() {
        require('"');
        StringBuilder string = new StringBuilder();
        for (char c = text.charAt(at++); c != '"'; c = text.charAt(at++)) {
            if (c != '\\') {
                string.append(c);
                continue;
            }
            char escaped = text.charAt(at++);
            switch (escaped) {
                case 'n' -> string.append('\n');
                case 't' -> string.append('\t');
                case 'r' -> string.append('\r');
                case 'b' -> string.append('\b');
                case 'f' -> string.append('\f');
                case 'u' -> {
                    string.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
                    at += 4;
                }
                default -> string.append(escaped);
            }
        }
        return string.toString();
    }

    private @Nullable Object word() {
        int from = at;
        while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String word = text.substring(from, at);
        return switch (word) {
            case "true" -> true;
            case "false" -> false;
            case "null" -> null;
            default -> new BigDecimal(word);
        };
    }

    /** Writes a value. */
    static String text(@Nullable Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(@Nullable Object value, StringBuilder out) {
        if (value instanceof Map<?, ?> members) {
            String separator = "{";
            for (Map.Entry<?, ?> member : members.entrySet()) {
                out.append(separator);
                quote(String.valueOf(member.getKey()), out);
                write(member.getValue(), out.append(": "));
                separator = ", ";
            }
            out.append(members.isEmpty() ? "{}" : "}");
        } else if (value instanceof List<?> items) {
            String separator = "[";
            for (Object item : items) {
                write(item, out.append(separator));
                separator = ", ";
            }
            out.append(items.isEmpty() ? "[]" : "]");
        } else if (value instanceof String string) {
            quote(string, out);
        } else {
            out.append(value);
        }
    }

    private static void quote(String string, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append(String.format(java.util.Locale.ROOT, "\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
