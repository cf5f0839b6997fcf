package io.k8sdns.manifest.syntax;

import java.util.regex.Pattern;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.reader.StreamReader;

/**
 * The text of a YAML document for SnakeYAML's scanner.
 *
 * <p>SnakeYAML's own reader loads 1,024 characters at a time and copies all that is not yet consumed each time: a line
 * of ten megabytes takes minutes, a file of 256 would take days. This class loads the whole text and copies nothing.
 *
 * <p>Inside double quotes kubectl accepts the escape {@code \'} and a backslash before a tab; SnakeYAML rejects both.
 * This reader therefore presents {@code \x27} and {@code \x09} to its scanner. It detects double quotes by the
 * scanner's first call after a backslash: {@link #peek()} there, {@link #peek(int)} everywhere else.
 */
final class YamlText extends StreamReader {
    private static final int[] NO_SNIPPET = {};

    /** The beginning of an object directly after other text, not within braces. */
    private static final Pattern OBJECT_AFTER_TEXT = Pattern.compile("[^\\s{,\"'-]apiVersion:");

    /** The progress of the scanner in an escape that this reader replaces. */
    private enum Escape {
        NONE,
        AFTER_BACKSLASH,
        PRESENTED_X,
        DIGITS_FOLLOW
    }

    private final String text;
    private int index;
    private int documentIndex;
    private int line;
    private int column;
    private Escape escape = Escape.NONE;

    /**
     * Reads a text.
     *
     * @param text without surrogates, so that characters are code points, and without characters that YAML forbids
     */
    YamlText(String text) {
        super("");
        this.text = text;
    }

    /**
     * Returns whether an object begins after other text in the line of an index, as after {@code cat} of a file that does not end in a
     * line break.
     */
    boolean hasObjectAfterText(int index) {
        int end = text.indexOf('\n', index);
        return OBJECT_AFTER_TEXT
                .matcher(text)
                .region(text.lastIndexOf('\n', index - 1) + 1, end < 0 ? text.length() : end)
                .find();
    }

    @Override
    public Mark getMark() {
        return new Mark("", index, line, column, NO_SNIPPET, 0);
    }

    @Override
    public void forward() {
        if (escape == Escape.PRESENTED_X) {
            escape = Escape.DIGITS_FOLLOW;
            return;
        }
        boolean backslash = at(0) == '\\';
        forward(1);
        escape = backslash ? Escape.AFTER_BACKSLASH : Escape.NONE;
    }

    @Override
    public void forward(int length) {
        int end = Math.min(index + (escape == Escape.DIGITS_FOLLOW ? 1 : length), text.length());
        escape = Escape.NONE;
        documentIndex += end - index;
        while (index < end) {
            char c = text.charAt(index);
            index++;
            boolean lineEnds = c == '\n' || c == '\r' && at(0) != '\n';
            line += lineEnds ? 1 : 0;
            column = lineEnds ? 0 : column + 1;
        }
    }

    @Override
    public int peek() {
        if (escape == Escape.AFTER_BACKSLASH && (at(0) == '\'' || at(0) == '\t')) {
            escape = Escape.PRESENTED_X;
            return 'x';
        }
        return at(0);
    }

    /** Returns a character ahead; 0 after the end. */
    @Override
    public int peek(int ahead) {
        escape = Escape.NONE;
        return at(ahead);
    }

    private int at(int ahead) {
        return index + ahead < text.length() ? text.charAt(index + ahead) : 0;
    }

    @Override
    public String prefix(int length) {
        if (escape == Escape.DIGITS_FOLLOW) {
            return at(0) == '\'' ? "27" : "09";
        }
        return text.substring(index, Math.min(index + length, text.length()));
    }

    @Override
    public String prefixForward(int length) {
        String prefix = prefix(length);
        escape = Escape.NONE;
        documentIndex += prefix.length();
        index += prefix.length();
        column += prefix.length();
        return prefix;
    }

    @Override
    public int getColumn() {
        return column;
    }

    @Override
    public int getDocumentIndex() {
        return documentIndex;
    }

    @Override
    public void resetDocumentIndex() {
        documentIndex = 0;
    }

    @Override
    public int getIndex() {
        return index;
    }

    @Override
    public int getLine() {
        return line;
    }
}
