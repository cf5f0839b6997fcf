package io.k8sdns.manifest;

import java.io.InputStream;
import java.nio.file.Path;
import java.util.Objects;

/** Where manifests are read from: a file, a directory or a stream. */
public sealed interface ManifestInput {
    /**
     * Returns a file, whatever its name ends with, or a directory, of which every {@code .yaml}, {@code .yml} and
     * {@code .json} file below is read, in the bytewise order of the whole paths. Below it links to files are followed,
     * links to directories are not; of names that begin with two dots only {@code ..data} counts, which in a mounted
     * ConfigMap or Secret is a link to the directory that is in force.
     */
    static ManifestInput path(Path path) {
        return new OfPath(path);
    }

    /**
     * Returns a stream that is read once and not closed.
     *
     * @param name what diagnostics call it, {@code -} for standard input
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
     * @param name what diagnostics call it
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
