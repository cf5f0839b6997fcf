package io.k8sdns.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files that the command reads as a whole: resolv.conf files and lists of names. */
final class TextFile {
    /** The kubelet reads no more of a resolv.conf, and fails on one that has as much; one octet more lets it be seen. */
    private static final int MOST_OCTETS = 10 * (1 << 20) + 1;

    private TextFile() {}

    /**
     * Reads a file, or its first 10 MiB and one octet; what is no UTF-8 becomes the replacement character.
     *
     * @param name a path, or {@code -} for standard input
     * @throws IOException if it is missing or cannot be read
     */
    static String read(String name) throws IOException {
        if (name.equals("-")) {
            return text(System.in);
        }
        try (InputStream file = Files.newInputStream(Path.of(name))) {
            return text(file);
        }
    }

    /**
     * Reads a whole file, as {@link #read} does.
     *
     * @throws IOException if it is missing, cannot be read, or has more than 10 MiB
     */
    static String readWhole(String name) throws IOException {
        String text = read(name);
        if (text.length() >= MOST_OCTETS || text.getBytes(StandardCharsets.UTF_8).length >= MOST_OCTETS) {
            throw new IOException("larger than 10 MiB: " + name);
        }
        return text;
    }

    private static String text(InputStream stream) throws IOException {
        return new String(stream.readNBytes(MOST_OCTETS), StandardCharsets.UTF_8);
    }
}
