package io.k8sdns.manifest.objects;

import io.k8sdns.json.BrokenDocumentException;
import io.k8sdns.json.Documents;
import io.k8sdns.json.ObjectType;
import io.k8sdns.json.Value;
import io.k8sdns.manifest.syntax.FileSection;
import io.k8sdns.manifest.syntax.SectionReader;
import java.util.ArrayList;
import java.util.List;

/** Collects the objects of one type in a file: documents of their own, and entries of lists. */
public final class TypedObjects implements Documents.DocumentReceiver {
    private final ObjectType type;
    private final List<Value.Mapping> found = new ArrayList<>();

    /** The entries of the current document. */
    private final List<Value> items = new ArrayList<>();

    private TypedObjects(ObjectType type) {
        this.type = type;
    }

    /** Reads a file. A document that cannot be read is skipped: {@link FileReading} reports it. */
    public static List<Value.Mapping> read(byte[] bytes, ObjectType type) {
        TypedObjects objects = new TypedObjects(type);
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
            items.forEach(item -> collect(item, own.ofEntries()));
        }
        items.clear();
        collect(value, ObjectType.NONE);
    }

    private void collect(Value value, ObjectType fromList) {
        ObjectType own = ObjectType.of(value);
        ObjectType actual = own.isNone() ? fromList : own;
        if (value instanceof Value.Mapping mapping) {
            if (actual.equals(type)) {
                found.add(mapping);
            } else if (actual.isList() && mapping.get("items") instanceof Value.Sequence nested) {
                nested.items().forEach(item -> collect(item, actual.ofEntries()));
            }
        }
    }
}
