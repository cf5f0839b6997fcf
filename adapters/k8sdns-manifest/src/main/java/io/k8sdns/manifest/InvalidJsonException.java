package io.k8sdns.manifest;

/** Thrown for text that is not JSON, or JSON of the wrong type; the message names the place and the problem. */
public final class InvalidJsonException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    InvalidJsonException(String problem) {
        super(problem);
    }
}
