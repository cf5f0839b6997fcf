package io.k8sdns.manifest;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads one file: its pieces, their documents, the objects of those. A document that breaks takes its own objects with
 * it and no other's.
 */
final class FileReading implements Documents.Reader {
    private final FileNotes notes;
    private final Inventory inventory;
    private final ObjectReader objects;
    private final Documents documents;

    /** What the document that is being read holds; counts when it has been read to its end. */
    private final List<Inventory.Entry> pending = new ArrayList<>();

    private final List<Value> itemsWithoutType = new ArrayList<>();
    private int mark;

    private FileReading(FileNotes notes, ManifestOptions options, Inventory inventory, long size) {
        this.notes = notes;
        this.inventory = inventory;
        this.objects = new ObjectReader(
                notes,
                options.defaultNamespace(),
                !options.asIs(),
                (ref, object, line, addressRefused) ->
                        pending.add(new Inventory.Entry(ref, object, notes.position(line), addressRefused)));
        this.documents = new Documents(this, size);
    }

    /**
     * Reads a file into the inventory.
     *
     * @param octets the whole file
     */
    static void read(byte[] octets, FileNotes notes, ManifestOptions options, Inventory inventory) {
        FileReading reading = new FileReading(notes, options, inventory, octets.length);
        for (Piece piece : Piece.of(octets)) {
            reading.read(piece);
        }
    }

    private void read(Piece piece) {
        try {
            documents.read(piece);
        } catch (BrokenDocumentException e) {
            broken(piece, e);
        }
    }

    private void broken(Piece piece, BrokenDocumentException e) {
        forget();
        boolean template = piece.contains("{{") || piece.contains("{%");
        notes.warn(
                template ? FileNotes.TEMPLATE : "broken-document",
                Optional.empty(),
                Optional.empty(),
                e.line(),
                "the document is passed over: " + e.getMessage());
        mark = notes.mark();
    }

    @Override
    public void forget() {
        pending.clear();
        itemsWithoutType.clear();
        notes.forgetSince(mark);
    }

    @Override
    public void item(Value value) {
        if (ObjectType.of(Field.root(notes, value)).isNone()) {
            // Its type may be that of the list, whose kind can come behind its items.
            itemsWithoutType.add(value);
        } else {
            objects.read(value, ObjectType.NONE);
        }
    }

    @Override
    public void document(Value value) {
        ObjectType type = ObjectType.of(Field.root(notes, value));
        if (type.isList()) {
            itemsWithoutType.forEach(item -> objects.read(item, type.ofEntries()));
        } else {
            forget();
        }
        objects.read(value, ObjectType.NONE);
        pending.forEach(entry -> inventory.add(entry).ifPresent(notes::add));
        pending.clear();
        itemsWithoutType.clear();
        mark = notes.mark();
    }
}
