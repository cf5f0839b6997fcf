package io.k8sdns.model;

import java.util.Collections;
import java.util.Map;
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
     * @throws InvalidFieldException if a key is no qualified name or a value no label value; its field is the key
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
                        "not a label value (letters, digits, inner dashes, underscores, dots, at most 63): \"" + value
                                + "\"");
            }
        });
        values = values.isEmpty() ? Map.of() : Collections.unmodifiableMap(new TreeMap<>(values));
    }

    /** Returns the value of a label; empty if the object does not have it. */
    public Optional<String> get(String key) {
        return Optional.ofNullable(values.get(key));
    }
}
