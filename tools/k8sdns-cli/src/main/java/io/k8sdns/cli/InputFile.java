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

    /**
     * Reads a node's resolv.conf, or its first 10 MiB and one octet.
     *
     * <p>The kubelet reads octets, but hands them to the container runtime in a protocol whose texts are UTF-8: others
     * start no Pod. In a comment they do no harm, and become the replacement character.
     *
     * @throws IOException if the file is missing or cannot be read; the message names it
     * @throws MalformedResolvConfException if a line other than a comment is no UTF-8
     */
    static String nodeFile(String name) throws IOException {
        byte[] octets;
        try (InputStream stream = open(name)) {
            octets = stream.readNBytes(MOST_OCTETS);
        }
        String text = new String(octets, StandardCharsets.UTF_8);
        if (octets.length < MOST_OCTETS && text.indexOf('\uFFFD') >= 0) {
            int line = firstMalformedLine(octets);
            if (line > 0) {
                throw new MalformedResolvConfException(line, "not UTF-8");
            }
        }
        return text;
    }

    /** Returns the number of the first line that is no UTF-8, comments apart; 0 if there is none. */
    private static int firstMalformedLine(byte[] octets) {
        int start = 0;
        for (int line = 1; start < octets.length; line++) {
            int end = start;
            while (end < octets.length && octets[end] != '\n') {
                end++;
            }
            if (!isUtf8(octets, start, end) && !isComment(octets, start, end)) {
                return line;
            }
            start = end + 1;
        }
        return 0;
    }

    private static boolean isComment(byte[] octets, int from, int to) {
        String line = new String(octets, from, to - from, StandardCharsets.UTF_8).strip();
        return line.startsWith("#") || line.startsWith(";");
    }

    private static boolean isUtf8(byte[] octets, int from, int to) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(octets, from, to - from));
            return true;
        } catch (CharacterCodingException malformed) {
            return false;
        }
    }

    /**
     * Reads a whole file: a Pod's resolv.conf, or a list of names.
     *
     * <p>In a comment any octets do no harm; what is no UTF-8 becomes the replacement character there.
     *
     * @throws IOException if it is missing or cannot be read; the message names it
     * @throws IllegalArgumentException if it has more than 10 MiB, or a line other than a comment is no UTF-8; the message
     *     names file and line
     */
    static String text(String name) throws IOException {
        try (InputStream stream = open(name)) {
            byte[] octets = stream.readNBytes(MOST_OCTETS);
            if (octets.length == MOST_OCTETS) {
                throw new IllegalArgumentException(name + ": larger than 10 MiB");
            }
            String text = new String(octets, StandardCharsets.UTF_8);
            int malformed = text.indexOf('\uFFFD') >= 0 ? firstMalformedLine(octets) : 0;
            if (malformed > 0) {
                throw new IllegalArgumentException(name + ": line " + malformed + ": not UTF-8");
            }
            return text;
        }
    }
}
