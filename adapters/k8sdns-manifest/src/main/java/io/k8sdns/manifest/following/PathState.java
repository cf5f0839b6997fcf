package io.k8sdns.manifest.following;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The state of a path at which a manifest may be. */
public sealed interface PathState {
    /** Returns the path as the user named it, or below the directory that the user named. */
    Path path();

    /** A regular file, or a link to one. */
    record RegularFile(Path path, Stamp stamp) implements PathState {}

    /**
     * A file or directory that cannot be read.
     *
     * @param reason the reason, for the message
     * @param missing whether the path does not exist, or is a link to a missing file
     */
    record Unreadable(Path path, String reason, boolean missing) implements PathState {}

    /**
     * Distinguishes a file from its replacement without reading either.
     *
     * @param real the real path, without links: in a mounted ConfigMap the links change, not the file
     * @param key the identity in the file system, if available
     * @param changed the change time, if the system has one; unlike the modification time, archives and copies cannot
     *     set it
     */
    record Stamp(Path real, @Nullable Object key, long size, FileTime modified, Optional<FileTime> changed) {
        /**
         * Returns the stamp of a file, at the end of all links.
         *
         * @throws IOException if it is missing or unreachable
         */
        public static Stamp of(Path path) throws IOException {
            return of(path.toRealPath(), Files.readAttributes(path, BasicFileAttributes.class));
        }

        static Stamp of(Path real, BasicFileAttributes attributes) {
            return new Stamp(
                    real, attributes.fileKey(), attributes.size(), attributes.lastModifiedTime(), changed(real));
        }

        private static Optional<FileTime> changed(Path real) {
            try {
                return Optional.of((FileTime) Files.getAttribute(real, "unix:ctime"));
            } catch (UnsupportedOperationException | IllegalArgumentException | IOException unavailable) {
                return Optional.empty();
            }
        }
    }
}
