package io.k8sdns.cli;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files that the command reads other than manifests: resolv.conf files, lists of names, batches. */
final class InputFile {
    /** The kubelet reads no more of a resolv.conf, and fails on one that has as much; one octet more lets it be seen. */
    private static final int MOST_OCTETS = 10 * (1 << 20) + 1;

    private InputFile() {}

    /**
     * Opens a file.
     *
     * @param name a path, or {@code -} for standard input, which stays open when the stream is closed
     * @throws IOException if it is missing or cannot be read; the message names it
     */
    static InputStream open(String name) throws IOException {
        if (name.equals("-")) {
            return new FilterInputStream(System.in) {
                @Override
                public void close() {}
            };
        }
        Path path = Path.of(name);
        if (Files.isDirectory(path)) {
            throw new IOException("a directory, not a file: " + name);
        }
        return Files.newInputStream(path);
    }

    /** Reads a file, or its first 10 MiB and one octet; what is no UTF-8 becomes the replacement character. */
    static String beginning(String name) throws IOException {
        try (InputStream stream = open(name)) {
            return new String(stream.readNBytes(MOST_OCTETS), StandardCharsets.UTF_8);
        }
    }

    /**
     * Reads a whole file; what is no UTF-8 becomes the replacement character.
     *
     * @throws IOException if it has more than 10 MiB
     */
    static String text(String name) throws IOException {
        try (InputStream stream = open(name)) {
            byte[] octets = stream.readNBytes(MOST_OCTETS);
            if (octets.length == MOST_OCTETS) {
                throw new IOException("larger than 10 MiB: " + name);
            }
            return new String(octets, StandardCharsets.UTF_8);
        }
    }
}
