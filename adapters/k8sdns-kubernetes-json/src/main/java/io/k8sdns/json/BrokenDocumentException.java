package io.k8sdns.json;

/** Thrown for a document that cannot be read; it names the line of the file. */
public final class BrokenDocumentException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int line;

    public BrokenDocumentException(int line, String problem) {
        super(problem);
        this.line = line;
    }

    public int line() {
        return line;
    }
}
