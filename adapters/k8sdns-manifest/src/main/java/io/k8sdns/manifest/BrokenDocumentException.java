package io.k8sdns.manifest;

/** A document that cannot be read, with the line in its file. */
final class BrokenDocumentException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int line;

    BrokenDocumentException(int line, String problem) {
        super(problem);
        this.line = line;
    }

    int line() {
        return line;
    }
}
