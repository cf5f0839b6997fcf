package io.k8sdns.federation.external;

import java.io.IOException;
import java.util.Objects;

/** A zone cannot be read. The message is for a person, and names the server. */
public final class ExternalZoneException extends IOException {
    private static final long serialVersionUID = 1;

    private final boolean isTransient;

    /**
     * Makes one with a message.
     *
     * @param isTransient whether it may work a little later, without a change of a setting
     */
    public ExternalZoneException(String message, boolean isTransient) {
        super(Objects.requireNonNull(message, "message"));
        this.isTransient = isTransient;
    }

    /** Returns whether it may work a little later, without a change of a setting. */
    public boolean isTransient() {
        return isTransient;
    }
}
