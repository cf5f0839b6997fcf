package io.k8sdns.federation.external;

import java.io.IOException;
import java.util.Objects;

/** Thrown if a zone cannot be read. The message contains the server and the reason. */
public final class ExternalZoneException extends IOException {
    private static final long serialVersionUID = 1;

    private final boolean isTransient;

    /**
     * Creates an exception.
     *
     * @param isTransient whether a later attempt can succeed without a change of settings
     */
    public ExternalZoneException(String message, boolean isTransient) {
        super(Objects.requireNonNull(message, "message"));
        this.isTransient = isTransient;
    }

    /** Returns whether a later attempt can succeed without a change of settings. */
    public boolean isTransient() {
        return isTransient;
    }
}
