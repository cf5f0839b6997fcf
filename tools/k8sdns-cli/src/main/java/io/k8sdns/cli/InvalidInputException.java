package io.k8sdns.cli;

/** Thrown for objects with which a command cannot do its work. */
final class InvalidInputException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param problem the line that is printed
     */
    InvalidInputException(String problem) {
        super(problem);
    }
}
