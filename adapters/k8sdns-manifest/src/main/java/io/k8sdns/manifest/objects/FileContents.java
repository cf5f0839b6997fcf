package io.k8sdns.manifest.objects;

import io.k8sdns.json.FileNotes;
import io.k8sdns.json.ObjectReader;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.ObjectRef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The content of one file: objects and diagnostics.
 *
 * @param notes the diagnostics that do not depend on other files
 * @param objects in the order of the file
 * @param skipped the documents that were skipped because of a fault, with the number of equal ones
 * @param refused the workloads among them of which an API server requires a field that they do not have
 * @param broken the diagnostics of unreadable documents; empty if all are readable
 * @param foreign the diagnostics of readable documents that are neither empty nor Kubernetes objects
 */
public record FileContents(
        FileNotes notes,
        List<Inventory.Entry> objects,
        Map<SkippedDocument, Integer> skipped,
        List<Inventory.Entry> refused,
        List<Diagnostic> broken,
        List<Diagnostic> foreign) {
    /** Copies the collections. */
    public FileContents {
        objects = List.copyOf(objects);
        skipped = Map.copyOf(skipped);
        refused = List.copyOf(refused);
        broken = List.copyOf(broken);
        foreign = List.copyOf(foreign);
    }

    /** Adds the objects to those of other files and returns all diagnostics of this file. */
    public List<Diagnostic> addTo(Inventory inventory) {
        FileNotes all = notes.copy();
        for (Inventory.Entry entry : objects) {
            inventory.add(entry).ifPresent(all::add);
        }
        return all.all();
    }

    /**
     * Returns this content, and those objects of an earlier content of the same file that it must not replace or remove,
     * because an API server would refuse the change. Each kept object is reported:
     *
     * <ul>
     *   <li>An object without a fault is kept if the object has a fault here.
     *   <li>An object that is missing here is kept if a skipped document may be meant for it
     *       ({@link SkippedDocument#mayBeMeantFor}) and is newly skipped: there are more skipped documents of its kind,
     *       namespace and name than when the file last contained the object. A kept object stores these earlier numbers
     *       ({@link Inventory.Kept#skippedAlongside}), and is removed when no number is exceeded any more.
     * </ul>
     *
     * @param step the number of this step
     */
    public FileContents keeping(FileContents earlier, int step) {
        Map<ObjectRef, Inventory.Entry> best = new HashMap<>();
        objects.forEach(one -> best.merge(one.ref(), one, (known, next) -> known.faultless() ? known : next));
        List<Inventory.Entry> all = new ArrayList<>();
        Map<ObjectRef, Diagnostic> reports = new LinkedHashMap<>();
        for (Inventory.Entry one : earlier.objects) {
            Inventory.Entry now = best.get(one.ref());
            Map<SkippedDocument, Integer> skippedBefore = now == null
                    ? one.kept().map(Inventory.Kept::skippedAlongside).orElse(earlier.skipped)
                    : skipped;
            reasonToKeep(one, now, skippedBefore).ifPresent(reason -> {
                all.add(one.asKept(skippedBefore, step));
                reports.put(one.ref(), reason);
            });
        }
        if (all.isEmpty()) {
            return this;
        }
        objects.stream().filter(one -> !reports.containsKey(one.ref())).forEach(all::add);
        // The defaults of a document that is not used are not reported.
        FileNotes more = notes.copyWithout(note -> note.code().equals(ObjectReader.DEFAULTED)
                && note.object().filter(reports::containsKey).isPresent());
        reports.values().forEach(more::add);
        return new FileContents(more, all, skipped, refused, broken, foreign);
    }

    private Optional<Diagnostic> reasonToKeep(
            Inventory.Entry earlier, Inventory.@Nullable Entry now, Map<SkippedDocument, Integer> skippedBefore) {
        ObjectRef ref = earlier.ref();
        if (now == null) {
            return isNewlySkipped(ref, skippedBefore)
                    ? Optional.of(Diagnostic.warning(
                                    "kept", ref, "its last valid version stays in use, as its document was skipped")
                            .atPosition(notes.position(0)))
                    : Optional.empty();
        }
        return earlier.faultless() && !now.faultless()
                ? Optional.of(Diagnostic.warning(
                                "kept", ref, "skipped because of its faults; its last valid version stays in use")
                        .atPosition(now.position()))
                : Optional.empty();
    }

    private boolean isNewlySkipped(ObjectRef ref, Map<SkippedDocument, Integer> before) {
        return skipped.entrySet().stream()
                .anyMatch(one ->
                        one.getKey().mayBeMeantFor(ref) && one.getValue() > before.getOrDefault(one.getKey(), 0));
    }

    /** Returns whether the file has objects. */
    public boolean holdsObjects() {
        return !objects.isEmpty();
    }

    /** Returns whether the two contents differ only in ignored parts, for example comments. */
    public boolean readsAs(FileContents other) {
        return objects.equals(other.objects)
                && skipped.equals(other.skipped)
                && refused.equals(other.refused)
                && notes.all().equals(other.notes.all());
    }
}
