package io.k8sdns.apiserver;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * A response of the API server.
 *
 * @param status the HTTP status
 * @param headers the headers without those of the transfer
 * @param body writes the body in pieces; may block
 */
public record ApiReply(int status, Map<String, String> headers, Body body) {
    static final String JSON = "application/json";

    /** Writes a body, one object or event at a time. */
    @FunctionalInterface
    public interface Body {
        /**
         * Writes the whole body.
         *
         * @throws IOException to close the connection after the written pieces
         * @throws InterruptedException if the server ends
         */
        void writeTo(Pieces out) throws IOException, InterruptedException;
    }

    /** Receives the pieces of a body. */
    public interface Pieces {
        /** Adds a piece, which is sent later. */
        void write(byte[] bytes) throws IOException;

        /** Sends the pieces that were added. */
        void flush() throws IOException;
    }

    /** Copies the headers. */
    public ApiReply {
        headers = Map.copyOf(headers);
    }

    /** Returns a response in JSON. */
    public static ApiReply json(int status, String body) {
        return new ApiReply(
                status, Map.of("Content-Type", JSON), out -> out.write(body.getBytes(StandardCharsets.UTF_8)));
    }

    /** Returns an error as a Status object. */
    public static ApiReply refusal(int status, String reason, String message) {
        return json(
                status,
                "{\"kind\": \"Status\", \"apiVersion\": \"v1\", \"status\": \"Failure\", \"code\": " + status
                        + ", \"reason\": \"" + reason + "\", \"message\": \"" + message + "\"}");
    }

    /** Returns the same response with another body. */
    public ApiReply with(Body other) {
        return new ApiReply(status, headers, other);
    }

    /** Returns the same response with another header. */
    public ApiReply with(String header, String value) {
        Map<String, String> more = new HashMap<>(headers);
        more.put(header, value);
        return new ApiReply(status, more, body);
    }
}
