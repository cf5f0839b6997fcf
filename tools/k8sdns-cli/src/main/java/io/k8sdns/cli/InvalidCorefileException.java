package io.k8sdns.cli;

/** A Corefile that CoreDNS would refuse, with the line. */
final class InvalidCorefileException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final int line;

    /**
     * Makes the exception.
     *
     * @param line the line, from 1
     * @param problem what is wrong there, and what to do
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
