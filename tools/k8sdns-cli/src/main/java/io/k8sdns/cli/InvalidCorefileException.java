package io.k8sdns.cli;

/** Thrown for a Corefile that CoreDNS would reject; contains the line. */
final class InvalidCorefileException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final int line;

    /**
     * Creates the exception.
     *
     * @param line the line, from 1
     * @param problem the reason, and what to do
     */
    InvalidCorefileException(int line, String problem) {
        super(problem);
        this.line = line;
    }

    /** Returns the line, from 1. */
    int line() {
        return line;
    }
}
