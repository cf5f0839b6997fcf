package io.k8sdns.manifest.objects;

import io.k8sdns.json.ObjectType;
import io.k8sdns.json.Value;
import java.util.Map;

/** Changes the names and the namespaces of the objects of a file before they are read. */
@FunctionalInterface
public interface ObjectRenaming {
    /** Changes nothing. */
    ObjectRenaming NONE = (object, type) -> object;

    /**
     * Returns an object with its new names.
     *
     * @param type its type, which in a list may be that of the list's entries
     */
    Value.Mapping renamed(Value.Mapping object, ObjectType type);

    /**
     * Returns a value of a document with the new names: an object, or a list of objects.
     *
     * @param fromList the default type, from the enclosing list
     */
    default Value in(Value value, ObjectType fromList) {
        if (!(value instanceof Value.Mapping mapping)) {
            return value;
        }
        ObjectType own = ObjectType.of(value);
        ObjectType type = own.isNone() ? fromList : own;
        if (!type.isList()) {
            return renamed(mapping, type);
        }
        if (!(mapping.get("items") instanceof Value.Sequence items) || items.isEmpty()) {
            return mapping;
        }
        return mapping.with(Map.of(
                "items",
                new Value.Sequence(
                        items.items().stream()
                                .map(item -> in(item, type.ofEntries()))
                                .toList(),
                        items.line())));
    }
}
