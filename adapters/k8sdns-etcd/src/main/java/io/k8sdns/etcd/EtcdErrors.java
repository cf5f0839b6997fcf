package io.k8sdns.etcd;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.k8sdns.etcd.EtcdFailure.Cause;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Classifies errors of etcd by their gRPC code and, if that is ambiguous, by etcd's message. */
final class EtcdErrors {
    private static final int INVALID_ARGUMENT = 3;
    private static final int DEADLINE_EXCEEDED = 4;
    private static final int PERMISSION_DENIED = 7;
    private static final int RESOURCE_EXHAUSTED = 8;
    private static final int FAILED_PRECONDITION = 9;
    private static final int ABORTED = 10;
    private static final int OUT_OF_RANGE = 11;
    private static final int INTERNAL = 13;
    private static final int UNAVAILABLE = 14;
    private static final int UNAUTHENTICATED = 16;

    private static final int OK = 200;
    private static final int NOT_FOUND = 404;
    private static final int FIRST_SERVER_ERROR = 500;

    private EtcdErrors() {}

    /**
     * An error in the form of etcd's JSON gateway.
     *
     * @param code the gRPC code; 0 if there is none
     */
    record ErrorBody(int code, String text) {}

    /** Classifies a response with a status other than 200. */
    static EtcdFailure ofStatus(int status, byte[] body) {
        ErrorBody error = new ErrorBody(0, "");
        try {
            error = JsonFields.document(body, EtcdErrors::error);
        } catch (IOException other) {
            // Not an error of etcd's gateway; classified by the status.
        }
        if (error.code() != 0) {
            return failure(error);
        }
        if (error.text().isEmpty() && new String(body, StandardCharsets.UTF_8).contains("CommonName of client")) {
            return EtcdFailure.of(
                    Cause.REFUSED,
                    "with authentication enabled, etcd's JSON gateway accepts only client certificates without a common name");
        }
        String text = error.text().isEmpty() ? "HTTP status " + status : "HTTP status " + status + ": " + error.text();
        if (status == NOT_FOUND) {
            return EtcdFailure.of(
                    Cause.REFUSED,
                    text + ": no JSON gateway of etcd 3.4 or later at this URL; if etcd has a configuration file, add"
                            + " \"enable-grpc-gateway: true\" to it");
        }
        return EtcdFailure.of(status >= FIRST_SERVER_ERROR ? Cause.UNAVAILABLE : Cause.MALFORMED, text);
    }

    static boolean isOk(int status) {
        return status == OK;
    }

    /**
     * Parses an error, which is an object or a string.
     *
     * @throws IOException if it is neither an object nor a string
     */
    static ErrorBody error(JsonParser json) throws IOException {
        if (json.currentToken() == JsonToken.VALUE_STRING) {
            return new ErrorBody(0, json.getText());
        }
        var parts = new Object() {
            int code;
            String text = "";
        };
        JsonFields.object(json, (name, at) -> {
            switch (name) {
                case "code", "grpc_code" -> parts.code = (int) Math.min(JsonFields.number(at), Integer.MAX_VALUE);
                case "message", "error" -> {
                    if (at.currentToken() == JsonToken.VALUE_STRING) {
                        parts.text = at.getText();
                    }
                }
                default -> {
                    // Skipped.
                }
            }
        });
        return new ErrorBody(parts.code, parts.text);
    }

    /** Classifies the reason of a canceled watch. */
    static EtcdFailure canceled(String reason) {
        Cause cause = reason.contains("permission denied")
                ? Cause.DENIED
                : reason.contains("auth token") || isUserError(reason) ? Cause.UNAUTHENTICATED : Cause.UNAVAILABLE;
        return EtcdFailure.of(cause, "the server ended the watch: " + reason);
    }

    static EtcdFailure failure(ErrorBody error) {
        String text = error.text();
        Cause cause = switch (error.code()) {
            case DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED, INTERNAL, UNAVAILABLE -> Cause.UNAVAILABLE;
            case PERMISSION_DENIED -> Cause.DENIED;
            case UNAUTHENTICATED -> Cause.UNAUTHENTICATED;
            case INVALID_ARGUMENT -> isUserError(text) ? Cause.UNAUTHENTICATED : Cause.REFUSED;
            case FAILED_PRECONDITION ->
                text.contains("authentication is not enabled") ? Cause.WITHOUT_AUTHENTICATION : Cause.REFUSED;
            case OUT_OF_RANGE ->
                text.contains("compacted")
                        ? Cause.COMPACTED
                        : text.contains("future revision") ? Cause.OTHER_HISTORY : Cause.REFUSED;
            default -> Cause.REFUSED;
        };
        return EtcdFailure.of(cause, text.isEmpty() ? "gRPC code " + error.code() : text);
    }

    /** Returns whether a message is about the user, for example "user name is empty" or "revision of auth store is old". */
    private static boolean isUserError(String text) {
        return text.contains("user name is empty")
                || text.contains("authentication failed")
                || text.contains("auth store is old");
    }
}
