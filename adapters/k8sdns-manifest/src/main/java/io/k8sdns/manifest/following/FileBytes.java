package io.k8sdns.manifest.following;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** Loads whole files, up to a maximum size. */
public final class FileBytes {
    private FileBytes() {}

    /**
     * Loads a file.
     *
     * @param largest the maximum size in bytes
     * @return its bytes; empty if the file is too large
     * @throws IOException if it is missing or cannot be read
     */
    public static Optional<byte[]> load(Path file, long largest) throws IOException {
        if (Files.isRegularFile(file) && Files.size(file) > largest) {
            return Optional.empty();
        }
        try (InputStream stream = Files.newInputStream(file)) {
            return load(stream, largest);
        } catch (NoSuchFileException e) {
            throw new NoSuchFileException(file.toString(), null, "no such file or directory");
        }
    }

    /**
     * Reads a stream to its end.
     *
     * @param largest the maximum size in bytes
     * @return its bytes; empty if there are more
     */
    public static Optional<byte[]> load(InputStream stream, long largest) throws IOException {
        byte[] bytes = stream.readNBytes((int) Math.min(largest + 1, Integer.MAX_VALUE - 8));
        return bytes.length > largest ? Optional.empty() : Optional.of(bytes);
    }
}
