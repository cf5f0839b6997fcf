package io.k8sdns.manifest.objects;

import io.k8sdns.json.BrokenDocumentException;
import io.k8sdns.json.ConfigMap;
import io.k8sdns.json.Documents;
import io.k8sdns.json.FileNotes;
import io.k8sdns.json.ObjectReader;
import io.k8sdns.json.ObjectType;
import io.k8sdns.json.Value;
import io.k8sdns.manifest.checks.ManifestChecks;
import io.k8sdns.manifest.syntax.FileSection;
import io.k8sdns.manifest.syntax.SectionReader;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Workload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads one file: its sections, their documents and the objects in them. The objects of a broken document are omitted;
 * those of other documents are kept.
 */
public final class FileReading implements Documents.DocumentReceiver {
    /** The only ConfigMap that is read. */
    public static final ObjectRef KUBE_DNS = ObjectRef.of(ConfigMap.KIND, "kube-system", "kube-dns");

    private static final int MAX_OF_A_FAULT = 100;

    private final FileNotes notes;
    private final List<Inventory.Entry> entries = new ArrayList<>();
    private final Map<SkippedDocument, Integer> skipped = new HashMap<>();
    private final List<Inventory.Entry> refused = new ArrayList<>();
    private final List<Diagnostic> broken = new ArrayList<>();
    private final List<Diagnostic> notKubernetes = new ArrayList<>();
    private final ObjectReader objects;
    private final SectionReader documents;
    private final ObjectRenaming renaming;

    /** The objects of the current document; they are added when the document has been read to its end. */
    private final List<Inventory.Entry> pending = new ArrayList<>();

    /** The skipped parts of the current document. */
    private final List<SkippedDocument> pendingSkipped = new ArrayList<>();

    /** The refused workloads of the current document. */
    private final List<Inventory.Entry> pendingRefused = new ArrayList<>();

    private final List<Value> itemsWithoutType = new ArrayList<>();

    /** The notes before the current document, for {@link FileNotes#forgetSince}. */
    private int mark;

    private FileReading(FileNotes notes, String defaultNamespace, boolean asIs, ObjectRenaming renaming, long size) {
        this.notes = notes;
        this.renaming = renaming;
        this.objects =
                new ObjectReader(notes, defaultNamespace, new ManifestChecks(!asIs), new ObjectReader.Receiver() {
                    @Override
                    public void object(
                            ObjectRef ref, Object object, int line, boolean addressRefused, boolean faultless) {
                        pending.add(new Inventory.Entry(
                                ref, object, notes.position(line), addressRefused, faultless, Optional.empty()));
                    }

                    @Override
                    public void skipped(String kind, Optional<String> namespace, Optional<String> name) {
                        pendingSkipped.add(new SkippedDocument(kind, namespace, name));
                    }

                    @Override
                    public void refused(Workload workload, int line) {
                        pendingRefused.add(new Inventory.Entry(
                                workload.ref(), workload, notes.position(line), false, false, Optional.empty()));
                    }

                    @Override
                    public boolean readsConfigMap(ObjectRef ref) {
                        return ref.equals(KUBE_DNS);
                    }
                });
        this.documents = new SectionReader(this, size);
    }

    /**
     * Reads a file.
     *
     * @param bytes the whole file
     * @param notes receives the diagnostics
     * @param defaultNamespace the namespace of objects that name none
     * @param asIs whether fields that an API server requires may be missing
     * @param renaming changes the names of the objects
     */
    public static FileContents read(
            byte[] bytes, FileNotes notes, String defaultNamespace, boolean asIs, ObjectRenaming renaming) {
        FileReading reading = new FileReading(notes, defaultNamespace, asIs, renaming, bytes.length);
        for (FileSection section : FileSection.of(bytes)) {
            reading.read(section);
        }
        return new FileContents(
                notes, reading.entries, reading.skipped, reading.refused, reading.broken, reading.notKubernetes);
    }

    private void read(FileSection section) {
        try {
            documents.read(section);
        } catch (BrokenDocumentException e) {
            broken(section, e);
        }
    }

    private void read(Value value, ObjectType fromList) {
        objects.read(renaming.in(value, fromList), fromList);
    }

    private void broken(FileSection section, BrokenDocumentException e) {
        forget();
        boolean template = section.isText() && (section.contains("{{") || section.contains("{%"));
        Diagnostic why = notes.brokenDocument(template, e.line(), String.valueOf(e.getMessage()));
        if (broken.size() < MAX_OF_A_FAULT) {
            broken.add(why);
        }
        mark = notes.mark();
    }

    private void notKubernetes(Value document) {
        Diagnostic why = notes.noObject(document);
        if (notKubernetes.size() < MAX_OF_A_FAULT) {
            notKubernetes.add(why);
        }
    }

    @Override
    public void forget() {
        pending.clear();
        pendingSkipped.clear();
        pendingRefused.clear();
        itemsWithoutType.clear();
        notes.forgetSince(mark);
    }

    @Override
    public void item(Value value) {
        if (ObjectType.of(value).isNone()) {
            // The type may be that of the list, whose kind may follow its items.
            itemsWithoutType.add(value);
        } else {
            read(value, ObjectType.NONE);
        }
    }

    @Override
    public void document(Value value) {
        ObjectType type = ObjectType.of(value);
        if (type.isList()) {
            itemsWithoutType.forEach(item -> read(item, type.ofEntries()));
        } else {
            // Its items are those of an object of another kind.
            forget();
        }
        if (type.isNone() && !value.isEmpty()) {
            notKubernetes(value);
        } else {
            read(value, ObjectType.NONE);
        }
        entries.addAll(pending);
        pendingSkipped.forEach(one -> skipped.merge(one, 1, Integer::sum));
        refused.addAll(pendingRefused);
        pending.clear();
        pendingSkipped.clear();
        pendingRefused.clear();
        itemsWithoutType.clear();
        mark = notes.mark();
    }
}
