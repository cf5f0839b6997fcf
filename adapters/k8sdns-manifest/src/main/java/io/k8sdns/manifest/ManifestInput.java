package io.k8sdns.manifest;

import java.io.InputStream;
import java.nio.file.Path;
import java.util.Objects;

/** A source of manifests: a file, a directory or a stream. */
public sealed interface ManifestInput {
    /**
     * Returns an input of a file with any extension, or of a directory: every {@code .yaml}, {@code .yml} and
     * {@code .json} file below it is read, in the bytewise order of the whole paths. Below the directory, links to
     * files are followed and links to directories are not. Of the names that begin with two dots only {@code ..data} is
     * read, which in a mounted ConfigMap or Secret is a link to the current directory.
     */
    static ManifestInput path(Path path) {
        return new OfPath(path);
    }

    /**
     * Returns an input of a stream, which is read once and not closed.
     *
     * @param name the name in diagnostics, {@code -} for standard input
     */
    static ManifestInput stream(String name, InputStream stream) {
        return new OfStream(name, stream);
    }

    /**
     * A file or a directory.
     *
     * @param path the path as the user named it
     */
    record OfPath(Path path) implements ManifestInput {
        /** Checks that the path is not null. */
        public OfPath {
            Objects.requireNonNull(path, "path");
        }
    }

    /**
     * A stream.
     *
     * @param name the name in diagnostics
     * @param stream is read once and not closed
     */
    record OfStream(String name, InputStream stream) implements ManifestInput {
        /** Checks that nothing is null. */
        public OfStream {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(stream, "stream");
        }
    }
}
