package io.k8sdns.manifest;

/** A text that is no JSON, or JSON that does not hold what it should; the message says where and what. */
public final class InvalidJsonException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    InvalidJsonException(String problem) {
        super(problem);
    }
}
