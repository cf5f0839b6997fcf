package io.k8sdns.federation.controller;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Objects of JSON as maps, lists and values, as {@link io.k8sdns.federation.json.RelaxedJson} reads them. */
final class JsonTree {
    private JsonTree() {}

    /**
     * Returns a member that is an object; without members if it is absent or null.
     *
     * @throws IllegalArgumentException if it is of another type
     */
    static Map<String, @Nullable Object> object(Map<String, @Nullable Object> parent, String member) {
        Object value = parent.get(member);
        if (value == null) {
            return new LinkedHashMap<>();
        }
        if (value instanceof Map<?, ?> object) {
            return members(object);
        }
        throw new IllegalArgumentException(member + ": not an object");
    }

    /** Returns the text at a path of members; the empty text if there is none. */
    static String text(Map<String, @Nullable Object> root, String... path) {
        Object at = root;
        for (String member : path) {
            at = at instanceof Map<?, ?> object ? object.get(member) : null;
        }
        return at instanceof String text ? text : "";
    }

    static Map<String, @Nullable Object> members(Map<?, ?> object) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        object.forEach((key, value) -> members.put(String.valueOf(key), value));
        return members;
    }

    /** Returns the object without null and empty members, which API servers remove. */
    static Map<String, @Nullable Object> withoutEmpty(Map<?, ?> object) {
        Map<String, @Nullable Object> result = new LinkedHashMap<>();
        object.forEach((key, value) -> {
            Object kept = value instanceof Map<?, ?> inner
                    ? withoutEmpty(inner)
                    : value instanceof List<?> items ? withoutEmpty(items) : value;
            boolean isEmpty = kept == null
                    || kept instanceof Map<?, ?> map && map.isEmpty()
                    || kept instanceof List<?> list && list.isEmpty();
            if (!isEmpty) {
                result.put(String.valueOf(key), kept);
            }
        });
        return result;
    }

    private static List<@Nullable Object> withoutEmpty(List<?> items) {
        List<@Nullable Object> result = new ArrayList<>();
        items.forEach(item -> result.add(item instanceof Map<?, ?> inner ? withoutEmpty(inner) : item));
        return result;
    }

    /** Returns whether a {@code spec} is that of a headless Service. */
    static boolean isHeadless(Map<String, @Nullable Object> spec) {
        return "None".equals(spec.get("clusterIP"))
                || spec.get("clusterIPs") instanceof List<?> all && all.contains("None");
    }

    /** Returns whether this is a zero value, which API servers may omit. */
    static boolean isZero(@Nullable Object value) {
        return value == null || value.equals(false) || value.equals(0) || value.equals("");
    }

    /** Returns whether a value has all members of another one, at all levels; lists must have as many items, in the same order. */
    static boolean covers(@Nullable Object value, @Nullable Object part) {
        if (part instanceof Map<?, ?> wanted) {
            return value instanceof Map<?, ?> present
                    && wanted.entrySet().stream()
                            .allMatch(member -> covers(present.get(member.getKey()), member.getValue()));
        }
        if (part instanceof List<?> wanted) {
            if (!(value instanceof List<?> present) || present.size() != wanted.size()) {
                return false;
            }
            for (int i = 0; i < wanted.size(); i++) {
                if (!covers(present.get(i), wanted.get(i))) {
                    return false;
                }
            }
            return true;
        }
        return Objects.equals(value, part) || value == null && isZero(part);
    }
}
