package io.k8sdns.manifest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What stands at a path where a manifest may be. */
sealed interface Found {
    /** The path as the user named it, or below the directory that he named. */
    Path path();

    /** A file to be read, or a link to one. */
    record RegularFile(Path path, Stamp stamp) implements Found {}

    /**
     * A file or directory whose content cannot be known.
     *
     * @param reason why, in words
     * @param missing whether nothing is there, or a link that leads nowhere
     */
    record Unreadable(Path path, String reason, boolean missing) implements Found {}

    /**
     * What tells a file from the one that takes its place, without reading either.
     *
     * @param real the file itself, at the end of all links: of a mounted ConfigMap those change, not the file
     * @param key what the file system knows it by, if it says
     * @param changed when file or content changed, where the system says; nobody can set it, as archives and copies set the
     *     other one
     */
    record Stamp(Path real, @Nullable Object key, long size, FileTime modified, Optional<FileTime> changed) {
        /**
         * Returns the stamp of a file, at the end of all links.
         *
         * @throws IOException if it is missing or out of reach
         */
        static Stamp of(Path path) throws IOException {
            return of(path.toRealPath(), Files.readAttributes(path, BasicFileAttributes.class));
        }

        static Stamp of(Path real, BasicFileAttributes attributes) {
            return new Stamp(
                    real, attributes.fileKey(), attributes.size(), attributes.lastModifiedTime(), changed(real));
        }

        private static Optional<FileTime> changed(Path real) {
            try {
                return Optional.of((FileTime) Files.getAttribute(real, "unix:ctime"));
            } catch (UnsupportedOperationException | IllegalArgumentException | IOException notTold) {
                return Optional.empty();
            }
        }
    }
}
