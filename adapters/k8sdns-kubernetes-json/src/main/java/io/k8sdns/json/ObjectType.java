package io.k8sdns.json;

import org.jspecify.annotations.Nullable;

/** Group, version and kind of an object; what is missing is "". */
public record ObjectType(String apiVersion, String kind) {
    /** The type of something that does not say. */
    public static final ObjectType NONE = new ObjectType("", "");

    public static ObjectType of(Value value) {
        return value instanceof Value.Mapping mapping
                ? new ObjectType(text(mapping.get("apiVersion")), text(mapping.get("kind")))
                : NONE;
    }

    private static String text(@Nullable Value value) {
        return value instanceof Value.Scalar scalar && scalar.type() != ScalarType.NULL ? scalar.text() : "";
    }

    /** Returns this type with what it does not say taken from another. */
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

    /** The type of the entries of a list that do not say: a ServiceList holds Services. */
    public ObjectType ofEntries() {
        String entryKind = isList() ? kind.substring(0, kind.length() - "List".length()) : "";
        return entryKind.isEmpty() ? NONE : new ObjectType(apiVersion, entryKind);
    }

    @Override
    public String toString() {
        return kind + " of " + apiVersion;
    }
}
