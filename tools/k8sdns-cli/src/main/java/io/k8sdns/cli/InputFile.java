package io.k8sdns.cli;

import io.k8sdns.resolvconf.MalformedResolvConfException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads the input files of the command other than manifests: resolv.conf files, lists of names, batches. */
final class InputFile {
    /** The kubelet fails if a resolv.conf has 10 MiB or more. One more byte shows that the limit is exceeded. */
    private static final int MAX_BYTES = 10 * (1 << 20) + 1;

    /** Thrown for a directory in place of a file. */
    static final class DirectoryException extends IOException {
        private static final long serialVersionUID = 1L;

        private DirectoryException(String name) {
            super("a directory, not a file: " + name);
        }
    }

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
            throw new DirectoryException(name);
        }
        return Files.newInputStream(path);
    }

    /**
     * Reads a node's resolv.conf, at most 10 MiB and one byte.
     *
     * <p>Text other than UTF-8 starts no Pod, because the kubelet passes the lines to the container runtime in a protocol with
     * UTF-8 strings. In comments it is allowed, and becomes the replacement character.
     *
     * @throws IOException if the file is missing or cannot be read; the message names it
     * @throws MalformedResolvConfException if a line other than a comment is not UTF-8
     */
    static String nodeFile(String name) throws IOException {
        byte[] bytes;
        try (InputStream stream = open(name)) {
            bytes = stream.readNBytes(MAX_BYTES);
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (bytes.length < MAX_BYTES && text.indexOf('\uFFFD') >= 0) {
            int line = firstMalformedLine(bytes);
            if (line > 0) {
                throw new MalformedResolvConfException(line, "not UTF-8");
            }
        }
        return text;
    }

    /** Returns the number of the first line that is not UTF-8, ignoring comments; 0 if there is none. */
    private static int firstMalformedLine(byte[] bytes) {
        int start = 0;
        for (int line = 1; start < bytes.length; line++) {
            int end = start;
            while (end < bytes.length && bytes[end] != '\n') {
                end++;
            }
            if (!isUtf8(bytes, start, end) && !isComment(bytes, start, end)) {
                return line;
            }
            start = end + 1;
        }
        return 0;
    }

    private static boolean isComment(byte[] bytes, int from, int to) {
        String line = new String(bytes, from, to - from, StandardCharsets.UTF_8).strip();
        return line.startsWith("#") || line.startsWith(";");
    }

    private static boolean isUtf8(byte[] bytes, int from, int to) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, from, to - from));
            return true;
        } catch (CharacterCodingException malformed) {
            return false;
        }
    }

    /**
     * Reads a whole file: a Pod's resolv.conf, or a list of names.
     *
     * <p>Comments can contain any bytes; bytes that are not UTF-8 become the replacement character.
     *
     * @throws IOException if it is missing or cannot be read; the message names it
     * @throws IllegalArgumentException if it has more than 10 MiB, or a line other than a comment is not UTF-8; the message
     *     contains file and line
     */
    static String text(String name) throws IOException {
        try (InputStream stream = open(name)) {
            byte[] bytes = stream.readNBytes(MAX_BYTES);
            if (bytes.length == MAX_BYTES) {
                throw new IllegalArgumentException(name + ": larger than 10 MiB");
            }
            String text = new String(bytes, StandardCharsets.UTF_8);
            int malformed = text.indexOf('\uFFFD') >= 0 ? firstMalformedLine(bytes) : 0;
            if (malformed > 0) {
                throw new IllegalArgumentException(name + ": line " + malformed + ": not UTF-8");
            }
            return text;
        }
    }
}
