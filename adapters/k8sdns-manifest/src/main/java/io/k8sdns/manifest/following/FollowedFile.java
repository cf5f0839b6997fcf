package io.k8sdns.manifest.following;

import io.k8sdns.json.FileNotes;
import io.k8sdns.manifest.objects.FileContents;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Position;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The state of a file that is followed.
 *
 * @param stamp the stamp of the file when it was read; empty if it must be read again
 * @param used the content in use: the last one without a broken document, with earlier objects that it must not
 *     replace or remove ({@link FileContents#keeping}); empty if there was none
 * @param problems the reason why the content in use differs from the file; empty if it does not
 */
public record FollowedFile(
        Path path, Optional<PathState.Stamp> stamp, Optional<FileContents> used, List<Diagnostic> problems) {
    /** Copies the list. */
    public FollowedFile {
        problems = List.copyOf(problems);
    }

    /** Returns a file that has never been read. */
    static FollowedFile unknown(Path path) {
        return new FollowedFile(path, Optional.empty(), Optional.empty(), List.of());
    }

    /** Returns the file with this content in use, even if a document is broken, for the first reading. */
    FollowedFile holding(FileContents contents, Optional<PathState.Stamp> now) {
        return new FollowedFile(path, now, Optional.of(contents), List.of());
    }

    /**
     * Returns the file with a new content; if that is broken, the previous content stays in use.
     *
     * @param step the number of this step
     */
    FollowedFile reading(FileContents contents, Optional<PathState.Stamp> now, int step) {
        FileContents next = used.map(earlier -> contents.keeping(earlier, step)).orElse(contents);
        if (used.filter(next::readsAs).isPresent()) {
            return holding(used.get(), now);
        }
        List<Diagnostic> faults = new ArrayList<>(contents.broken());
        if (holdsObjects() || contents.holdsObjects()) {
            // A file that never had objects may be of another kind, for example the values of a chart.
            faults.addAll(contents.foreign());
        }
        if (faults.isEmpty()) {
            return holding(next, now);
        }
        FileNotes why = new FileNotes(path.toString());
        faults.forEach(why::add);
        int line = faults.get(0).position().map(Position::line).orElse(0);
        why.warn(
                "not-parsed",
                Optional.empty(),
                Optional.empty(),
                line,
                "does not parse: " + (used.isEmpty() ? "nothing of it is used" : "its last content stays in use"));
        return new FollowedFile(path, now, used, why.all());
    }

    /** Returns whether the content in use has objects. */
    boolean holdsObjects() {
        return used.filter(FileContents::holdsObjects).isPresent();
    }

    /** Returns whether the other file gives the same objects and diagnostics; the time of reading is ignored. */
    public boolean hasSameContentAs(FollowedFile other) {
        return path.equals(other.path) && used.equals(other.used) && problems.equals(other.problems);
    }
}
