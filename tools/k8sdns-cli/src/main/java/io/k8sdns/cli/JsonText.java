package io.k8sdns.cli;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Formats JSON for the output of the command: records as objects, strings, and arrays. */
final class JsonText {
    private JsonText() {}

    /**
     * Returns a record as an object: {@code {"name": ..., "ttl": 5, "class": "IN", "type": "A", "data": ...}}.
     *
     * @param line the record in the format of {@code records}, which escapes spaces inside a name
     */
    static String record(String line) {
        String[] fields = line.split(" ", 5);
        return "{\"name\": " + string(fields[0]) + ", \"ttl\": " + fields[1] + ", \"class\": " + string(fields[2])
                + ", \"type\": " + string(fields[3]) + ", \"data\": " + string(fields[4]) + "}";
    }

    /** Returns an array of JSON values. */
    static String array(List<String> values) {
        return values.stream().collect(Collectors.joining(", ", "[", "]"));
    }

    /** Returns an array of strings. */
    static String strings(List<String> texts) {
        return array(texts.stream().map(JsonText::string).toList());
    }

    /** Returns a string in quotes (RFC 8259, 7). */
    static String string(String text) {
        StringBuilder json = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < 0x20 || c > 0x7E) {
                json.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        return json.append('"').toString();
    }
}
