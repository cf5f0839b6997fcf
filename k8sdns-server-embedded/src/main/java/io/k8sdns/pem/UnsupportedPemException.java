package io.k8sdns.pem;

import java.io.IOException;

/** Thrown for a certificate or key that may be valid but that the JDK alone does not read. */
public final class UnsupportedPemException extends IOException {
    private static final long serialVersionUID = 1;

    UnsupportedPemException(String message) {
        super(message);
    }

    UnsupportedPemException(String message, Throwable cause) {
        super(message, cause);
    }
}
