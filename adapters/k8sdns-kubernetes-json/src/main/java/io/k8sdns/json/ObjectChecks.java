package io.k8sdns.json;

import io.k8sdns.model.IpAddress;
import java.util.Optional;

/**
 * Checks of objects that depend on their source. By default every method accepts everything.
 */
public interface ObjectChecks {
    /** No checks, for objects that an API server has checked. */
    ObjectChecks NONE = new ObjectChecks() {};

    /** Reports unknown fields of a list; its entries are checked one by one. */
    default void checkList(Field list) {}

    /** Returns the reason why a type does not exist; empty if it may exist. Called only for types that are not read. */
    default Optional<String> unknownKind(ObjectType type) {
        return Optional.empty();
    }

    /** Reports unknown and duplicate fields; returns whether this is an object, otherwise it is skipped. */
    default boolean hasKnownFields(Field object, String kind) {
        return true;
    }

    /** Returns whether an object has all required fields, otherwise it is skipped; the first missing one is reported. */
    default boolean hasRequiredFields(Field object, String kind) {
        return true;
    }

    /** Reports values that an API server refuses, for example an invalid annotation. */
    default void checkValues(Field object, String kind) {}

    /** Returns whether an endpoint may have an address, otherwise the address is omitted. Nothing is reported. */
    default boolean isEndpointAddress(IpAddress address) {
        return true;
    }

    /** Returns whether objects are read as if they were applied now, so that defaults are reported. */
    default boolean areApplied() {
        return false;
    }
}
