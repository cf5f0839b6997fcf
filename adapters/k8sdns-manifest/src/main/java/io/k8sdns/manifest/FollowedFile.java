package io.k8sdns.manifest;

import io.k8sdns.json.FileNotes;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Position;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What is known of a file that is followed.
 *
 * @param stamp what the file was when it was read; empty if it has to be read again in any case
 * @param inForce what counts of it: the last content that could be read to its end, with the objects of those before
 *     that it must not replace or remove ({@link FileContents#keeping}); empty if there never was any
 * @param complaint why something else counts than what stands in the file; empty as long as that is the same
 */
record FollowedFile(
        Path path, Optional<Found.Stamp> stamp, Optional<FileContents> inForce, List<Diagnostic> complaint) {
    FollowedFile {
        complaint = List.copyOf(complaint);
    }

    /** Returns a file that has never been read. */
    static FollowedFile unknown(Path path) {
        return new FollowedFile(path, Optional.empty(), Optional.empty(), List.of());
    }

    /** Returns the file with this content in force, broken or not, as it is when the following begins. */
    FollowedFile holding(FileContents contents, Optional<Found.Stamp> now) {
        return new FollowedFile(path, now, Optional.of(contents), List.of());
    }

    /**
     * Returns the file after this has been read from it; if it cannot be that, something else goes on to count.
     *
     * @param step the number of this step
     */
    FollowedFile reading(FileContents contents, Optional<Found.Stamp> now, int step) {
        FileContents next =
                inForce.map(earlier -> contents.keeping(earlier, step)).orElse(contents);
        if (inForce.filter(next::readsAs).isPresent()) {
            return holding(inForce.get(), now);
        }
        List<Diagnostic> faults = new ArrayList<>(contents.broken());
        if (holdsObjects() || contents.holdsObjects()) {
            // Elsewhere it is a file that happens to lie there: the values of a chart.
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
                "does not parse: " + (inForce.isEmpty() ? "nothing of it counts" : "what was last read of it stays"));
        return new FollowedFile(path, now, inForce, why.all());
    }

    /** Returns whether there are objects that count. */
    boolean holdsObjects() {
        return inForce.filter(FileContents::holdsObjects).isPresent();
    }

    /** Returns whether this makes the same cluster, and says the same, whenever it was read. */
    boolean countsAs(FollowedFile other) {
        return path.equals(other.path) && inForce.equals(other.inForce) && complaint.equals(other.complaint);
    }
}
