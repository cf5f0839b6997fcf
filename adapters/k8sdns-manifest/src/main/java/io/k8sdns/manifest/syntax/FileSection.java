package io.k8sdns.manifest.syntax;

import io.k8sdns.json.BrokenDocumentException;
import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.yaml.snakeyaml.reader.StreamReader;

/**
 * A part of a file between two lines that begin with {@code ---}: {@code kubectl} also splits a file at these lines
 * before it parses it, so that a broken document does not hide the next one.
 *
 * <p>No YAML or JSON document can contain such a line, not even in a block of text or between quotes.
 */
public final class FileSection {
    private final byte[] bytes;
    private final int from;
    private final int to;
    private final int line;
    private boolean ascii = true;
    private boolean isText = true;

    private FileSection(byte[] bytes, int from, int to, int line) {
        this.bytes = bytes;
        this.from = from;
        this.to = to;
        this.line = line;
    }

    /**
     * Returns the sections of a file that hold more than blanks and comments, one by one.
     *
     * @param file UTF-8, or UTF-16 with a byte order mark
     */
    public static Iterable<FileSection> of(byte[] file) {
        byte[] bytes = inUtf8(file);
        return () -> new Cutter(bytes);
    }

    private static byte[] inUtf8(byte[] file) {
        if (file.length >= 2 && (file[0] == (byte) 0xFE && file[1] == (byte) 0xFF)) {
            return transcoded(file, StandardCharsets.UTF_16BE);
        }
        if (file.length >= 2 && (file[0] == (byte) 0xFF && file[1] == (byte) 0xFE)) {
            return transcoded(file, StandardCharsets.UTF_16LE);
        }
        return file;
    }

    private static byte[] transcoded(byte[] file, Charset charset) {
        return new String(file, 2, file.length - 2, charset).getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the line of the file at which this section begins, from 1. */
    int line() {
        return line;
    }

    /** Returns whether the first character is that of a JSON object. */
    boolean looksLikeJson() {
        for (int i = from; i < to; i++) {
            if (bytes[i] != ' ' && bytes[i] != '\t' && bytes[i] != '\n' && bytes[i] != '\r') {
                return bytes[i] == '{';
            }
        }
        return false;
    }

    /** Returns whether the section contains these ASCII characters. */
    public boolean contains(String text) {
        byte[] sought = text.getBytes(StandardCharsets.US_ASCII);
        for (int i = from; i + sought.length <= to; i++) {
            int matching = 0;
            while (matching < sought.length && bytes[i + matching] == sought[matching]) {
                matching++;
            }
            if (matching == sought.length) {
                return true;
            }
        }
        return false;
    }

    /**
     * Checks that the section is text.
     *
     * @throws BrokenDocumentException if it is not UTF-8 or holds control characters, which neither YAML nor JSON may
     */
    void check() throws BrokenDocumentException {
        // Set again if the check succeeds.
        isText = false;
        Optional<BinaryFormat> format = BinaryFormat.of(bytes);
        if (format.isPresent()) {
            throw new BrokenDocumentException(line, format.get().words() + ", neither YAML nor JSON");
        }
        for (int i = from; i < to; i++) {
            byte next = bytes[i];
            // Tests each byte only once, because this loop runs before the JIT compiles it.
            if (next < ' ' || next == 0x7F) {
                if (next < 0) {
                    ascii = false;
                } else if (next != '\n' && next != '\t' && next != '\r') {
                    throw new BrokenDocumentException(lineAt(i), "a control character, number " + next);
                }
            }
        }
        if (!ascii) {
            checkUtf8();
        }
        isText = true;
    }

    /** Returns whether {@link #check} has succeeded. */
    public boolean isText() {
        return isText;
    }

    private int lineAt(int position) {
        int at = line;
        for (int i = from; i < position; i++) {
            at += bytes[i] == '\n' ? 1 : 0;
        }
        return at;
    }

    private void checkUtf8() throws BrokenDocumentException {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer in = ByteBuffer.wrap(bytes, from, to - from);
        CharBuffer out = CharBuffer.allocate(1024);
        CoderResult result;
        do {
            out.clear();
            result = decoder.decode(in, out, true);
        } while (result.isOverflow());
        if (result.isError()) {
            throw new BrokenDocumentException(lineAt(in.position()), "not UTF-8");
        }
    }

    /** Returns the text for a JSON parser. */
    Reader json() {
        int start = start();
        return new InputStreamReader(new ByteArrayInputStream(bytes, start, to - start), StandardCharsets.UTF_8);
    }

    /**
     * Returns the text for a YAML parser, each character one {@code char}.
     *
     * <p>Tabs that do not indent become spaces: {@code kubectl} accepts them between a key and its value, SnakeYAML
     * does not. Characters beyond the first 65,536, and the C1 controls, become the replacement character. This does
     * not affect DNS, because no field that is read may hold these characters.
     */
    YamlText yaml() {
        replaceTabs();
        int start = start();
        if (ascii) {
            return new YamlText(new String(bytes, start, to - start, StandardCharsets.ISO_8859_1));
        }
        String text = new String(bytes, start, to - start, StandardCharsets.UTF_8);
        StringBuilder plain = new StringBuilder(text.length());
        text.codePoints().forEach(c -> plain.append(StreamReader.isPrintable(c) && c <= 0xFFFF ? (char) c : '\uFFFD'));
        return new YamlText(plain.toString());
    }

    /** Replaces tabs in the array of the whole file, which other sections share; they replace their own. */
    private void replaceTabs() {
        int i = from;
        while (i < to) {
            int text = i;
            while (text < to && (bytes[text] == ' ' || bytes[text] == '\t')) {
                text++;
            }
            boolean blank = text == to || bytes[text] == '\n' || bytes[text] == '\r';
            int end = blank ? i : text;
            while (end < to && bytes[end] != '\n') {
                if (bytes[end] == '\t') {
                    bytes[end] = ' ';
                }
                end++;
            }
            i = end + 1;
        }
    }

    /** Returns the index at which the text begins, after a byte order mark. */
    private int start() {
        boolean mark = to - from >= 3
                && bytes[from] == (byte) 0xEF
                && bytes[from + 1] == (byte) 0xBB
                && bytes[from + 2] == (byte) 0xBF;
        return mark ? from + 3 : from;
    }

    /** Finds the sections, line by line. */
    private static final class Cutter implements Iterator<FileSection> {
        private final byte[] bytes;
        private int position;
        private int line = 1;

        private final boolean binary;

        Cutter(byte[] bytes) {
            this.bytes = bytes;
            this.binary = BinaryFormat.of(bytes).isPresent();
            skipBlank();
        }

        @Override
        public boolean hasNext() {
            return position < bytes.length;
        }

        @Override
        public FileSection next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            int from = position;
            int first = line;
            if (binary) {
                // Three dashes have no meaning in it.
                position = bytes.length;
                return new FileSection(bytes, from, position, first);
            }
            // A directive belongs to the document after the next ---.
            boolean directives = true;
            boolean begun = false;
            do {
                boolean marker = isMarker(position);
                if (marker && (begun || !directives)) {
                    break;
                }
                begun |= marker;
                directives &= isBlank(position) || bytes[position] == '%';
                nextLine();
            } while (position < bytes.length);
            FileSection section = new FileSection(bytes, from, position, first);
            skipBlank();
            return section;
        }

        /** Moves to the next line with content; a marker without text after it has none. */
        private void skipBlank() {
            while (position < bytes.length && (isBlank(position) || isMarker(position) && isBlank(position + 3))) {
                nextLine();
            }
        }

        private void nextLine() {
            int end = position;
            while (end < bytes.length && bytes[end] != '\n') {
                end++;
            }
            position = Math.min(end + 1, bytes.length);
            line++;
        }

        /** Returns whether a line begins with three dashes, followed by white space or the end of the line. */
        private boolean isMarker(int at) {
            return startsWith("---", at)
                    && (at + 3 == bytes.length
                            || bytes[at + 3] == ' '
                            || bytes[at + 3] == '\t'
                            || bytes[at + 3] == '\r'
                            || bytes[at + 3] == '\n');
        }

        /** Returns whether a line holds only white space, a comment, or the mark of a document's end. */
        private boolean isBlank(int at) {
            int i = startsWith("...", at) ? at + 3 : at;
            while (i < bytes.length && (bytes[i] == ' ' || bytes[i] == '\t' || bytes[i] == '\r')) {
                i++;
            }
            return i == bytes.length || bytes[i] == '\n' || bytes[i] == '#';
        }

        private boolean startsWith(String ascii, int at) {
            for (int i = 0; i < ascii.length(); i++) {
                if (at + i >= bytes.length || bytes[at + i] != ascii.charAt(i)) {
                    return false;
                }
            }
            return true;
        }
    }
}
