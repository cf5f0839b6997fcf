package io.k8sdns.clientjava;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The state of some files, without their contents: it differs from an earlier state if a file was written, replaced, removed or
 * made readable. Links are followed, so that the files of a mounted Secret or token count as replaced when the kubelet switches the
 * link of their folder.
 */
record FileStamps(Map<Path, Optional<Stamp>> stamps) {
    /** No files. */
    static final FileStamps NONE = new FileStamps(Map.of());

    /** The state of one file; its key is the inode, on file systems that have inodes. */
    record Stamp(Optional<Object> key, FileTime modified, long size, boolean readable) {}

    /** Copies the map. */
    FileStamps {
        stamps = Map.copyOf(stamps);
    }

    /** Returns the state of these files now; a file that cannot be read has an empty one. */
    static FileStamps of(Collection<Path> files) {
        Map<Path, Optional<Stamp>> stamps = new HashMap<>();
        files.forEach(file -> stamps.put(file, stamp(file)));
        return new FileStamps(stamps);
    }

    private static Optional<Stamp> stamp(Path file) {
        try {
            BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
            return Optional.of(new Stamp(
                    Optional.ofNullable(now.fileKey()), now.lastModifiedTime(), now.size(), Files.isReadable(file)));
        } catch (IOException none) {
            return Optional.empty();
        }
    }
}
