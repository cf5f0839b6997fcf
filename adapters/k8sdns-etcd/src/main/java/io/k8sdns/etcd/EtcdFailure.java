package io.k8sdns.etcd;

import java.io.IOException;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Why a request to etcd did not succeed, as far as that decides what comes next.
 *
 * @param cause what was wrong
 * @param unsent whether the request certainly did not reach the server
 * @param text one line for people; may hold what the server wrote, shortened and without control characters
 */
record EtcdFailure(Cause cause, boolean unsent, String text) {
    private static final int LONGEST_TEXT = 500;

    /** What was wrong. */
    enum Cause {
        /** No connection, or it was lost. */
        UNREACHABLE,
        /** The TLS handshake failed: one side does not accept the other's certificate. */
        UNTRUSTED,
        /** No answer in time. */
        SILENT,
        /** The answer is malformed or incomplete, or not etcd's. */
        BROKEN,
        /** The server has no leader, is overloaded or stops. */
        UNAVAILABLE,
        /** The token is missing, unknown or expired, or user and password are wrong. */
        UNAUTHENTICATED,
        /** The user may not do this. */
        DENIED,
        /** The revision that was asked for is no longer stored. */
        COMPACTED,
        /** The member or the store has an older or another history than the one that is known. */
        OTHER_HISTORY,
        /** Authentication is not switched on. */
        WITHOUT_AUTHENTICATION,
        /** Any other error. */
        REFUSED;

        /** Returns whether another member, or the same one on a new connection, may do better. */
        boolean isOfThisMember() {
            return switch (this) {
                case UNREACHABLE, UNTRUSTED, SILENT, BROKEN, UNAVAILABLE -> true;
                case UNAUTHENTICATED, DENIED, COMPACTED, OTHER_HISTORY, WITHOUT_AUTHENTICATION, REFUSED -> false;
            };
        }
    }

    EtcdFailure {
        Objects.requireNonNull(cause, "cause");
        text = text.substring(0, Math.min(text.length(), LONGEST_TEXT))
                .lines()
                .map(String::strip)
                .collect(Collectors.joining("; "))
                .replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "?");
    }

    /** Returns a failure of a request that the server may have received. */
    static EtcdFailure of(Cause cause, String text) {
        return new EtcdFailure(cause, false, text);
    }

    /** Returns the same failure with more text in front. */
    EtcdFailure at(String place) {
        return new EtcdFailure(cause, unsent, place + ": " + text);
    }

    IOException exception() {
        return new IOException(text);
    }
}
