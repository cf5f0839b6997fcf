package io.k8sdns.clientjava;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A failed request to the API server. Its cause determines what {@link ListWatch} does next. The cause depends on the status and
 * the reason of the response, never on its message.
 *
 * @param cause the cause
 * @param retryAfter how long the server asks to wait; empty if it does not
 * @param text a description for people; may quote the server, and is cut and cleaned to one line without control characters
 */
record ApiFailure(Cause cause, Optional<Duration> retryAfter, String text) {
    private static final int LONGEST_TEXT = 1_000;
    private static final String ENDED = "the API server ended the connection";

    /** The start of OkHttp's message when a server resets a stream of HTTP/2. */
    private static final String STREAM_RESET = "stream was reset: ";

    /** OkHttp's message when a body of HTTP/1.1 ends too early. */
    private static final String CUT_BODY = "unexpected end of stream";

    /** The start of OkHttp's message when no status line arrives; a URL follows. */
    private static final String NO_ANSWER = CUT_BODY + " on ";

    /** The cause of a failure. */
    enum Cause {
        /** 410, or the reason Expired: the server no longer has the requested version. */
        GONE("gone"),
        /** 401: the credentials are not, or no longer, valid. */
        UNAUTHORIZED("unauthorized"),
        /** No request was sent: the credentials cannot be read, or the program that prints them has failed. */
        NO_CREDENTIALS("no_credentials"),
        /** 403: the verb on this kind is not allowed. */
        FORBIDDEN("forbidden"),
        /** 429 or 503: the server asks to wait. */
        OVERLOADED("overloaded"),
        /** 404: the server does not know the kind; an API server that has just started answers 503 until it has registered all kinds. */
        UNKNOWN_KIND("unknown_kind"),
        /** Any other status, or a watch that ended within a second. */
        REFUSED("refused"),
        /** The response is malformed or incomplete, or has an older version than the one before, as after a restore. */
        BROKEN("broken"),
        /** The server's certificate is not trusted, or the TLS handshake failed. */
        UNTRUSTED("untrusted"),
        /** There was no connection, or it was lost. */
        UNREACHABLE("unreachable"),
        /** The server, or the program that prints the credentials, sent nothing for too long. */
        SILENT("silent");

        private final String word;

        Cause(String word) {
            this.word = word;
        }

        /** Returns whether a request was sent and no trusted server has responded. */
        boolean isAbsence() {
            return this == UNREACHABLE || this == UNTRUSTED || this == SILENT;
        }

        /** Returns whether there were no credentials, or the server has refused them. */
        boolean isOfCredentials() {
            return this == UNAUTHORIZED || this == NO_CREDENTIALS;
        }

        /** Returns the cause as a word, for logs and metrics. */
        String word() {
            return word;
        }
    }

    /** Checks that nothing is null. */
    ApiFailure {
        Objects.requireNonNull(cause, "cause");
        Objects.requireNonNull(retryAfter, "retryAfter");
        text = text.substring(0, Math.min(text.length(), LONGEST_TEXT))
                .lines()
                .map(String::strip)
                .collect(Collectors.joining("; "))
                .replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "?");
    }

    /** Returns a failure without Retry-After. */
    static ApiFailure of(Cause cause, String text) {
        return new ApiFailure(cause, Optional.empty(), text);
    }

    /**
     * Returns a description of an exception. The message alone may not describe the problem: for a missing file it is only the name
     * of the file, and for a truncated line the contents of the line.
     */
    static String describe(Exception why) {
        if (why instanceof UncheckedIOException && why.getCause() instanceof IOException known) {
            return describe(known);
        }
        String message = why.getMessage();
        if (why instanceof NoSuchFileException) {
            return "no such file: " + message;
        }
        if (why instanceof AccessDeniedException) {
            return "permission denied: " + message;
        }
        if (why instanceof EOFException || CUT_BODY.equals(message)) {
            return ENDED + " in the middle of an answer";
        }
        if (message == null) {
            return why.getClass().getSimpleName();
        }
        if (why instanceof UnknownHostException) {
            return "unknown host: " + message;
        }
        if (message.startsWith(STREAM_RESET)) {
            return ENDED + " (HTTP/2 error " + message.substring(STREAM_RESET.length()) + ")";
        }
        if (why.getClass() == SocketException.class && message.matches("Connection reset.*|Broken pipe.*")) {
            return ENDED + " (" + message + ")";
        }
        if (message.startsWith(NO_ANSWER)) {
            return ENDED + " before it answered";
        }
        return message;
    }
}
