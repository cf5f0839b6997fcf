package io.k8sdns.manifest.objects;

import io.k8sdns.json.BrokenDocumentException;
import io.k8sdns.json.Documents;
import io.k8sdns.json.ObjectType;
import io.k8sdns.json.OpenShiftTemplate;
import io.k8sdns.json.Value;
import io.k8sdns.manifest.syntax.FileSection;
import io.k8sdns.manifest.syntax.SectionReader;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Collects the objects of some types in a file: documents of their own, and entries of lists and OpenShift Templates. */
public final class TypedObjects implements Documents.DocumentReceiver {
    private final Predicate<ObjectType> types;
    private final ObjectRenaming renaming;
    private final List<Found> found = new ArrayList<>();

    /** The entries of the current document. */
    private final List<Value> items = new ArrayList<>();

    /**
     * An object.
     *
     * @param type its type, which in a list may be that of the list's entries
     */
    public record Found(ObjectType type, Value.Mapping object) {}

    private TypedObjects(Predicate<ObjectType> types, ObjectRenaming renaming) {
        this.types = types;
        this.renaming = renaming;
    }

    /**
     * Reads a file. A document that cannot be read is skipped: {@link FileReading} reports it.
     *
     * @param renaming changes the names of the objects
     */
    public static List<Found> read(byte[] bytes, Predicate<ObjectType> types, ObjectRenaming renaming) {
        TypedObjects objects = new TypedObjects(types, renaming);
        SectionReader documents = new SectionReader(objects, bytes.length);
        for (FileSection section : FileSection.of(bytes)) {
            try {
                documents.read(section);
            } catch (BrokenDocumentException broken) {
                objects.forget();
            }
        }
        return objects.found;
    }

    @Override
    public void forget() {
        items.clear();
    }

    @Override
    public void item(Value value) {
        items.add(value);
    }

    @Override
    public void document(Value value) {
        ObjectType own = ObjectType.of(value);
        if (own.isList()) {
            // The kind of a list may follow its items.
            items.forEach(item -> collect(renaming.in(item, own.ofEntries()), own.ofEntries()));
        }
        items.clear();
        collect(renaming.in(value, ObjectType.NONE), ObjectType.NONE);
    }

    private void collect(Value value, ObjectType fromList) {
        ObjectType own = ObjectType.of(value);
        ObjectType actual = own.isNone() ? fromList : own;
        if (value instanceof Value.Mapping mapping) {
            if (types.test(actual)) {
                found.add(new Found(actual, mapping));
            } else if (OpenShiftTemplate.is(actual)) {
                OpenShiftTemplate.objects(mapping).forEach(item -> collect(item, ObjectType.NONE));
            } else if (actual.isList() && mapping.get("items") instanceof Value.Sequence nested) {
                nested.items().forEach(item -> collect(item, actual.ofEntries()));
            }
        }
    }
}
