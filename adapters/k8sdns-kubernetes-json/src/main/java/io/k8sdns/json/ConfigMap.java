package io.k8sdns.json;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.ObjectRef;
import java.util.Map;
import java.util.Objects;

/** The texts of a ConfigMap by key. No record depends on a ConfigMap, so the model has no such type. */
public record ConfigMap(String namespace, String name, Map<String, String> data) {
    /** The kind. */
    public static final String KIND = "ConfigMap";

    /** Copies the texts. */
    public ConfigMap {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(name, "name");
        data = Copies.map("data", data);
    }

    /** Returns kind, namespace and name. */
    public ObjectRef ref() {
        return ObjectRef.of(KIND, namespace, name);
    }
}
