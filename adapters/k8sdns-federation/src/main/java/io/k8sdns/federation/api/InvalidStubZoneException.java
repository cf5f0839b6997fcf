package io.k8sdns.federation.api;

/** A stub zone, or a text that should be one, is not valid; the message names the value. */
public final class InvalidStubZoneException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    InvalidStubZoneException(String message) {
        super(message);
    }
}
