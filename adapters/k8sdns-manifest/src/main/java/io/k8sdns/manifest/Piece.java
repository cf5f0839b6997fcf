package io.k8sdns.manifest;

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
 * A part of a file between two lines that begin with {@code ---}: what {@code kubectl} cuts a file into before it reads
 * any of it, so that a document that is broken does not hide the next one.
 *
 * <p>No document of YAML or JSON can have such a line inside, not even in a block of text or between quotes.
 */
final class Piece {
    private final byte[] octets;
    private final int from;
    private final int to;
    private final int line;
    private boolean ascii = true;
    private boolean text = true;

    private Piece(byte[] octets, int from, int to, int line) {
        this.octets = octets;
        this.from = from;
        this.to = to;
        this.line = line;
    }

    /**
     * Returns the pieces of a file that hold more than blanks and comments, made one by one.
     *
     * @param file UTF-8, or UTF-16 with a byte order mark
     */
    static Iterable<Piece> of(byte[] file) {
        byte[] octets = inUtf8(file);
        return () -> new Cutter(octets);
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

    /** Returns the line in the file where this begins, from 1. */
    int line() {
        return line;
    }

    /** Returns whether the first character is that of a JSON object. */
    boolean looksLikeJson() {
        for (int i = from; i < to; i++) {
            if (octets[i] != ' ' && octets[i] != '\t' && octets[i] != '\n' && octets[i] != '\r') {
                return octets[i] == '{';
            }
        }
        return false;
    }

    /** Returns whether these ASCII characters are in here. */
    boolean contains(String text) {
        byte[] sought = text.getBytes(StandardCharsets.US_ASCII);
        for (int i = from; i + sought.length <= to; i++) {
            int matching = 0;
            while (matching < sought.length && octets[i + matching] == sought[matching]) {
                matching++;
            }
            if (matching == sought.length) {
                return true;
            }
        }
        return false;
    }

    /**
     * Checks that this is text.
     *
     * @throws BrokenDocumentException if it is not UTF-8 or holds control characters, which neither YAML nor JSON may
     */
    void check() throws BrokenDocumentException {
        // Set again if nothing is thrown.
        text = false;
        Optional<BinaryFormat> format = BinaryFormat.of(octets);
        if (format.isPresent()) {
            throw new BrokenDocumentException(line, format.get().words() + ", neither YAML nor JSON");
        }
        for (int i = from; i < to; i++) {
            byte octet = octets[i];
            // One look at nearly every octet: this loop runs before any compiler has seen it.
            if (octet < ' ' || octet == 0x7F) {
                if (octet < 0) {
                    ascii = false;
                } else if (octet != '\n' && octet != '\t' && octet != '\r') {
                    throw new BrokenDocumentException(lineAt(i), "a control character, number " + octet);
                }
            }
        }
        if (!ascii) {
            checkUtf8();
        }
        text = true;
    }

    /** Returns whether {@link #check} has found nothing that text does not have. */
    boolean isText() {
        return text;
    }

    private int lineAt(int position) {
        int at = line;
        for (int i = from; i < position; i++) {
            at += octets[i] == '\n' ? 1 : 0;
        }
        return at;
    }

    private void checkUtf8() throws BrokenDocumentException {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer in = ByteBuffer.wrap(octets, from, to - from);
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
        return new InputStreamReader(new ByteArrayInputStream(octets, start, to - start), StandardCharsets.UTF_8);
    }

    /**
     * Returns the text for a YAML parser, each character one {@code char}.
     *
     * <p>Tabs that do not indent become spaces: {@code kubectl} takes them between a key and its value, SnakeYAML does
     * not. Characters beyond the first 65,536, and the C1 controls, become the replacement character. What that does to
     * texts is of no matter to DNS: no field that is read may hold one of them.
     */
    YamlText yaml() {
        loosenTabs();
        int start = start();
        if (ascii) {
            return new YamlText(new String(octets, start, to - start, StandardCharsets.ISO_8859_1));
        }
        String text = new String(octets, start, to - start, StandardCharsets.UTF_8);
        StringBuilder plain = new StringBuilder(text.length());
        text.codePoints().forEach(c -> plain.append(StreamReader.isPrintable(c) && c <= 0xFFFF ? (char) c : '\uFFFD'));
        return new YamlText(plain.toString());
    }

    private void loosenTabs() {
        int i = from;
        while (i < to) {
            int text = i;
            while (text < to && (octets[text] == ' ' || octets[text] == '\t')) {
                text++;
            }
            boolean blank = text == to || octets[text] == '\n' || octets[text] == '\r';
            int end = blank ? i : text;
            while (end < to && octets[end] != '\n') {
                if (octets[end] == '\t') {
                    octets[end] = ' ';
                }
                end++;
            }
            i = end + 1;
        }
    }

    /** Where the text begins: behind a byte order mark. */
    private int start() {
        boolean mark = to - from >= 3
                && octets[from] == (byte) 0xEF
                && octets[from + 1] == (byte) 0xBB
                && octets[from + 2] == (byte) 0xBF;
        return mark ? from + 3 : from;
    }

    /** Finds the pieces, line by line. */
    private static final class Cutter implements Iterator<Piece> {
        private final byte[] octets;
        private int position;
        private int line = 1;

        private final boolean binary;

        Cutter(byte[] octets) {
            this.octets = octets;
            this.binary = BinaryFormat.of(octets).isPresent();
            skipBlank();
        }

        @Override
        public boolean hasNext() {
            return position < octets.length;
        }

        @Override
        public Piece next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            int from = position;
            int first = line;
            if (binary) {
                // Three dashes in it mean nothing.
                position = octets.length;
                return new Piece(octets, from, position, first);
            }
            // A directive belongs to the document behind the next ---.
            boolean directives = true;
            boolean begun = false;
            do {
                boolean marker = isMarker(position);
                if (marker && (begun || !directives)) {
                    break;
                }
                begun |= marker;
                directives &= isBlank(position) || octets[position] == '%';
                nextLine();
            } while (position < octets.length);
            Piece piece = new Piece(octets, from, position, first);
            skipBlank();
            return piece;
        }

        /** Moves to the next line that says something; a marker with nothing behind it says nothing. */
        private void skipBlank() {
            while (position < octets.length && (isBlank(position) || isMarker(position) && isBlank(position + 3))) {
                nextLine();
            }
        }

        private void nextLine() {
            int end = position;
            while (end < octets.length && octets[end] != '\n') {
                end++;
            }
            position = Math.min(end + 1, octets.length);
            line++;
        }

        /** Three dashes, then white space or the end of the line. */
        private boolean isMarker(int at) {
            return startsWith("---", at)
                    && (at + 3 == octets.length
                            || octets[at + 3] == ' '
                            || octets[at + 3] == '\t'
                            || octets[at + 3] == '\r'
                            || octets[at + 3] == '\n');
        }

        /** Nothing but white space, a comment, or the mark of a document's end. */
        private boolean isBlank(int at) {
            int i = startsWith("...", at) ? at + 3 : at;
            while (i < octets.length && (octets[i] == ' ' || octets[i] == '\t' || octets[i] == '\r')) {
                i++;
            }
            return i == octets.length || octets[i] == '\n' || octets[i] == '#';
        }

        private boolean startsWith(String ascii, int at) {
            for (int i = 0; i < ascii.length(); i++) {
                if (at + i >= octets.length || octets[at + i] != ascii.charAt(i)) {
                    return false;
                }
            }
            return true;
        }
    }
}
