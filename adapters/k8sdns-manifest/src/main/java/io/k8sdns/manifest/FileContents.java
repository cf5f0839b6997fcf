package io.k8sdns.manifest;

import io.k8sdns.model.Diagnostic;
import java.util.List;

/**
 * What one file holds.
 *
 * @param notes what is worth saying about it, whatever the other files hold
 * @param objects in the order of the file
 * @param broken what is said of the documents that cannot be read, or of the first of them; empty if all can
 * @param foreign what is said of those that can, and are not empty, and no Kubernetes objects either
 */
record FileContents(FileNotes notes, List<Inventory.Entry> objects, List<Diagnostic> broken, List<Diagnostic> foreign) {
    FileContents {
        objects = List.copyOf(objects);
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

    /** Returns whether there are objects in it. */
    boolean holdsObjects() {
        return !objects.isEmpty();
    }

    /** Returns whether there is no difference but in what nobody reads, comments for example. */
    boolean readsAs(FileContents other) {
        return objects.equals(other.objects) && notes.all().equals(other.notes.all());
    }
}
