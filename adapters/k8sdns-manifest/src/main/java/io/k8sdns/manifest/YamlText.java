package io.k8sdns.manifest;

import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.reader.StreamReader;

/**
 * The text of a YAML document for SnakeYAML's scanner.
 *
 * <p>SnakeYAML's own reader loads 1,024 characters at a time and copies all that is not yet consumed each time: a line
 * of ten megabytes takes minutes, a file of 256 would take days. Here all is loaded, and nothing is copied.
 */
final class YamlText extends StreamReader {
    private static final int[] NO_SNIPPET = {};

    private final String text;
    private int index;
    private int documentIndex;
    private int line;
    private int column;

    /**
     * Reads a text.
     *
     * @param text without surrogates, so that characters are code points, and without characters that YAML forbids
     */
    YamlText(String text) {
        super("");
        this.text = text;
    }

    @Override
    public Mark getMark() {
        return new Mark("", index, line, column, NO_SNIPPET, 0);
    }

    @Override
    public void forward() {
        forward(1);
    }

    @Override
    public void forward(int length) {
        int end = Math.min(index + length, text.length());
        documentIndex += end - index;
        while (index < end) {
            char c = text.charAt(index);
            index++;
            boolean lineEnds = c == '\n' || c == '\r' && peek() != '\n';
            line += lineEnds ? 1 : 0;
            column = lineEnds ? 0 : column + 1;
        }
    }

    @Override
    public int peek() {
        return peek(0);
    }

    /** Returns a character ahead; 0 behind the end. */
    @Override
    public int peek(int ahead) {
        return index + ahead < text.length() ? text.charAt(index + ahead) : 0;
    }

    @Override
    public String prefix(int length) {
        return text.substring(index, Math.min(index + length, text.length()));
    }

    @Override
    public String prefixForward(int length) {
        String prefix = prefix(length);
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
