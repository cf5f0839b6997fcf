package io.k8sdns.name;

import java.util.Objects;

/** Text or octets that are no DNS name; the message names the label and the limit. */
public final class InvalidNameException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /** Says what is wrong. */
    public InvalidNameException(String message) {
        super(Objects.requireNonNull(message, "message"));
    }
}
