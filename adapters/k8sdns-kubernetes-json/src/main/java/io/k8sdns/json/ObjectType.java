package io.k8sdns.json;

import org.jspecify.annotations.Nullable;

/** Group, version and kind of an object; a missing part is "". */
public record ObjectType(String apiVersion, String kind) {
    /** The type of a value without kind and apiVersion. */
    public static final ObjectType NONE = new ObjectType("", "");

    public static ObjectType of(Value value) {
        return value instanceof Value.Mapping mapping
                ? new ObjectType(text(mapping.get("apiVersion")), text(mapping.get("kind")))
                : NONE;
    }

    private static String text(@Nullable Value value) {
        return value instanceof Value.Scalar scalar && scalar.type() != ScalarType.NULL ? scalar.text() : "";
    }

    /** Returns this type with missing parts from another one. */
    ObjectType completedBy(ObjectType other) {
        return new ObjectType(apiVersion.isEmpty() ? other.apiVersion : apiVersion, kind.isEmpty() ? other.kind : kind);
    }

    public boolean isWhole() {
        return !apiVersion.isEmpty() && !kind.isEmpty();
    }

    public boolean isNone() {
        return apiVersion.isEmpty() && kind.isEmpty();
    }

    public boolean isList() {
        return kind.endsWith("List");
    }

    /** Returns the type of a list's entries without a type: a ServiceList holds Services. */
    public ObjectType ofEntries() {
        String entryKind = isList() ? kind.substring(0, kind.length() - "List".length()) : "";
        return entryKind.isEmpty() ? NONE : new ObjectType(apiVersion, entryKind);
    }

    @Override
    public String toString() {
        return kind + " of " + apiVersion;
    }
}
