package io.k8sdns.resolver;

import java.util.Objects;

/**
 * An extended DNS error (RFC 8914); sent only to askers that speak EDNS.
 *
 * @param code the info code, for example 14 (not ready) or 20 (not authoritative)
 * @param text what is the matter
 */
public record ExtendedError(int code, String text) {
    /** Other: something that has no code of its own. */
    public static final int OTHER = 0;

    /** Not ready: data has not been read yet. */
    public static final int NOT_READY = 14;

    /** Not authoritative: the name is in none of our zones. */
    public static final int NOT_AUTHORITATIVE = 20;

    /** Not supported: an operation or query that this server does not know. */
    public static final int NOT_SUPPORTED = 21;

    /** No reachable authority: forwarding failed. */
    public static final int NO_REACHABLE_AUTHORITY = 22;

    /** Network error while forwarding. */
    public static final int NETWORK_ERROR = 23;

    /** Checks that the text is not null. */
    public ExtendedError {
        Objects.requireNonNull(text, "text");
    }
}
