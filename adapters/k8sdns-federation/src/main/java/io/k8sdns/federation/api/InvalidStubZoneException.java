package io.k8sdns.federation.api;

/** Thrown for an invalid stub zone, also as a text or JSON; the message names the value. */
public final class InvalidStubZoneException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    InvalidStubZoneException(String message) {
        super(message);
    }
}
