package io.k8sdns.etcd;

import java.io.IOException;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The failure of a request to etcd.
 *
 * @param cause the cause, which decides about retries
 * @param unsent whether the request certainly did not reach the server
 * @param text a message of one line; may contain text of the server, truncated and without control characters
 */
record EtcdFailure(Cause cause, boolean unsent, String text) {
    private static final int MAX_TEXT = 500;

    /** The cause of a failure. */
    enum Cause {
        /** The member could not be reached, or the connection was lost. */
        UNREACHABLE,
        /** The TLS handshake failed, for example because one side rejected the other's certificate. */
        UNTRUSTED,
        /** No response arrived in time. */
        TIMEOUT,
        /** The response is malformed, incomplete or not from etcd. */
        MALFORMED,
        /** The server has no leader, is overloaded or is stopping. */
        UNAVAILABLE,
        /** The token is missing, unknown or expired, or the credentials are wrong. */
        UNAUTHENTICATED,
        /** The user has no permission for the request. */
        DENIED,
        /** The requested revision was compacted. */
        COMPACTED,
        /** The member or the store has an older revision than seen before, or belongs to another cluster. */
        OTHER_HISTORY,
        /** Authentication is disabled. */
        WITHOUT_AUTHENTICATION,
        /** Any other error. */
        REFUSED;

        /** Returns whether the request may succeed at another member, or at the same one on a new connection. */
        boolean isMemberFailure() {
            return switch (this) {
                case UNREACHABLE, UNTRUSTED, TIMEOUT, MALFORMED, UNAVAILABLE -> true;
                case UNAUTHENTICATED, DENIED, COMPACTED, OTHER_HISTORY, WITHOUT_AUTHENTICATION, REFUSED -> false;
            };
        }
    }

    EtcdFailure {
        Objects.requireNonNull(cause, "cause");
        text = text.substring(0, Math.min(text.length(), MAX_TEXT))
                .lines()
                .map(String::strip)
                .collect(Collectors.joining("; "))
                .replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "?");
    }

    /** Returns a failure of a request that the server may have received. */
    static EtcdFailure of(Cause cause, String text) {
        return new EtcdFailure(cause, false, text);
    }

    /** Returns the same failure with the endpoint before its text. */
    EtcdFailure at(String endpoint) {
        return new EtcdFailure(cause, unsent, endpoint + ": " + text);
    }

    IOException exception() {
        return new IOException(text);
    }
}
