package io.k8sdns.cli;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An object of a command's output, with its members in order. It is printed as JSON ({@link JsonText}) or as YAML ({@link
 * YamlOutput}).
 *
 * <p>A value is a text, a number, a boolean, null, a list of values, or another object.
 */
final class OutputObject {
    private final Map<String, @Nullable Object> members = new LinkedHashMap<>();

    /**
     * Returns a record as an object: {@code {"name": ..., "ttl": 5, "class": "IN", "type": "A", "data": ...}}.
     *
     * @param line the record in the format of {@code records}, which escapes spaces inside a name
     */
    static OutputObject ofRecord(String line) {
        String[] fields = recordFields(line);
        return new OutputObject()
                .put("name", fields[0])
                .put("ttl", Long.valueOf(fields[1]))
                .put("class", fields[2])
                .put("type", fields[3])
                .put("data", fields[4]);
    }

    /** Returns name, TTL, class, type and data of a record in the format of {@code records}. */
    static String[] recordFields(String line) {
        return line.split(" ", 5);
    }

    /** Adds a member, and returns this object. */
    OutputObject put(String name, @Nullable Object value) {
        members.put(name, value);
        return this;
    }

    /** Adds all members of another object, and returns this object. */
    OutputObject putAll(OutputObject other) {
        members.putAll(other.members);
        return this;
    }

    /** Returns the members. */
    Map<String, @Nullable Object> members() {
        return Collections.unmodifiableMap(members);
    }

    /** Returns a copy as maps and lists of the JDK, each of which occurs only once. */
    Map<String, @Nullable Object> toMap() {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        members.forEach((name, value) -> map.put(name, plain(value)));
        return map;
    }

    private static @Nullable Object plain(@Nullable Object value) {
        if (value instanceof OutputObject object) {
            return object.toMap();
        }
        if (value instanceof List<?> list) {
            List<@Nullable Object> copy = new ArrayList<>();
            list.forEach(one -> copy.add(plain(one)));
            return copy;
        }
        return value;
    }
}
