package io.k8sdns.model;

import io.k8sdns.arguments.Copies;
import io.k8sdns.arguments.KubernetesNames;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The labels of an object: keys and values, in the order of the keys.
 *
 * @param values the labels; copied
 */
public record Labels(Map<String, String> values) {
    /** No label. */
    public static final Labels NONE = new Labels(Map.of());

    /**
     * Checks and copies the labels.
     *
     * @throws InvalidFieldException if a key is not a qualified name or a value is not a label value; its field is the key
     */
    public Labels {
        values = Copies.map("values", values);
        values.forEach((key, value) -> {
            if (!KubernetesNames.isQualifiedName(key)) {
                throw new InvalidFieldException(key, "not a label key");
            }
            if (!KubernetesNames.isLabelValue(value)) {
                throw new InvalidFieldException(
                        key,
                        "not a label value (letters, digits, inner dashes, underscores, dots, at most 63 characters): \""
                                + value + "\"");
            }
        });
        values = values.isEmpty() ? Map.of() : Collections.unmodifiableMap(new TreeMap<>(values));
    }

    /**
     * Reads labels as {@code kubectl label} writes them: keys and values joined by commas.
     *
     * @param text for example {@code app=shop,tier=front}; the empty text has no labels
     * @throws InvalidFieldException if a part has no {@code =}, a key is not a qualified name or given twice, or a
     *     value is not a label value; its field is the key, or the part
     */
    public static Labels parse(String text) {
        Objects.requireNonNull(text, "text");
        if (text.isBlank()) {
            return NONE;
        }
        Map<String, String> values = new TreeMap<>();
        for (String part : text.split(",", -1)) {
            int equals = part.indexOf('=');
            if (equals < 0) {
                throw new InvalidFieldException(part.strip(), "not a label (key=value)");
            }
            String key = part.substring(0, equals).strip();
            if (values.put(key, part.substring(equals + 1).strip()) != null) {
                throw new InvalidFieldException(key, "a label that is given twice");
            }
        }
        return new Labels(values);
    }

    /** Returns the value of a label; empty if the object does not have it. */
    public Optional<String> get(String key) {
        return Optional.ofNullable(values.get(key));
    }
}
