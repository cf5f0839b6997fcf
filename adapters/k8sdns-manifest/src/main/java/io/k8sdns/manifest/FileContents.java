package io.k8sdns.manifest;

import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.ObjectRef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one file holds.
 *
 * @param notes what is worth saying about it, whatever the other files hold
 * @param objects in the order of the file
 * @param skipped the names of the objects that were skipped for a fault; an empty one stands for those without a
 *     valid name
 * @param broken what is said of the documents that cannot be read, or of the first of them; empty if all can
 * @param foreign what is said of those that can, and are not empty, and no Kubernetes objects either
 */
record FileContents(
        FileNotes notes,
        List<Inventory.Entry> objects,
        Set<Optional<String>> skipped,
        List<Diagnostic> broken,
        List<Diagnostic> foreign) {
    FileContents {
        objects = List.copyOf(objects);
        skipped = Set.copyOf(skipped);
        broken = List.copyOf(broken);
        foreign = List.copyOf(foreign);
    }

    /** Adds the objects to those of other files, and returns all that is worth saying about this one. */
    List<Diagnostic> addTo(Inventory inventory) {
        FileNotes all = notes.copy();
        for (Inventory.Entry entry : objects) {
            inventory.add(entry).ifPresent(all::add);
        }
        return all.all();
    }

    /**
     * Returns this content and the objects of an earlier content of the same file that it must not replace or remove, as an
     * API server would refuse it (ruling R17). Each of them is reported:
     *
     * <ul>
     *   <li>An object without a fault is kept if it has one here.
     *   <li>An object that is missing here is kept if a skipped document may be meant for it: one of the same name, or one
     *       without a valid name. Kind and namespace are not compared; either may be what is wrong.
     * </ul>
     */
    FileContents keeping(FileContents earlier) {
        Map<ObjectRef, Inventory.Entry> best = new HashMap<>();
        objects.forEach(one -> best.merge(one.ref(), one, (known, next) -> known.faultless() ? known : next));
        List<Inventory.Entry> all = new ArrayList<>();
        Map<ObjectRef, Diagnostic> reports = new LinkedHashMap<>();
        for (Inventory.Entry one : earlier.objects) {
            whyKept(one, best.get(one.ref())).ifPresent(why -> {
                all.add(one.asKept());
                reports.put(one.ref(), why);
            });
        }
        if (all.isEmpty()) {
            return this;
        }
        objects.stream().filter(one -> !reports.containsKey(one.ref())).forEach(all::add);
        FileNotes more = notes.copy();
        reports.values().forEach(more::add);
        return new FileContents(more, all, skipped, broken, foreign);
    }

    private Optional<Diagnostic> whyKept(Inventory.Entry earlier, Inventory.@Nullable Entry now) {
        ObjectRef ref = earlier.ref();
        if (now == null) {
            boolean isSkipped = skipped.contains(Optional.of(ref.name())) || skipped.contains(Optional.<String>empty());
            return isSkipped
                    ? Optional.of(Diagnostic.warning(
                                    "kept", ref, "what was last read of it stays, as its document was skipped")
                            .atPosition(notes.position(0)))
                    : Optional.empty();
        }
        return earlier.faultless() && !now.faultless()
                ? Optional.of(
                        Diagnostic.warning("kept", ref, "skipped because of its faults; what was last read of it stays")
                                .atPosition(now.position()))
                : Optional.empty();
    }

    /** Returns whether there are objects in it. */
    boolean holdsObjects() {
        return !objects.isEmpty();
    }

    /** Returns whether there is no difference but in what nobody reads, comments for example. */
    boolean readsAs(FileContents other) {
        return objects.equals(other.objects) && notes.all().equals(other.notes.all());
    }
}
