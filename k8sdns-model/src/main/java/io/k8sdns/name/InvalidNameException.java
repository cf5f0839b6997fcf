package io.k8sdns.name;

import java.util.Objects;

/** Thrown for text or bytes that are not a DNS name; the message names the label and the limit. */
public final class InvalidNameException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /** Makes an exception with a description of the problem. */
    public InvalidNameException(String message) {
        super(Objects.requireNonNull(message, "message"));
    }
}
