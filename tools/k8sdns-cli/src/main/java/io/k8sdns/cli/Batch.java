package io.k8sdns.cli;

import io.k8sdns.manifest.InvalidJsonException;
import io.k8sdns.manifest.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Answers many requests in one run of the command: each line of the input is a JSON object, and each line of the output is the
 * answer to one of them, in the same order.
 *
 * <p>Only one line is in memory at a time. The answer to an invalid line is <code>{"error": ...}</code>, and the batch continues.
 */
final class Batch {
    /** The largest length of a line in bytes. A node's file has at most 10 MiB, but escapes in JSON can make it longer. */
    private static final int MAX_LINE_BYTES = 32 << 20;

    private final Answerer answerer;

    /** Answers one line. */
    @FunctionalInterface
    interface Answerer {
        /**
         * Returns the answer.
         *
         * @throws IllegalArgumentException if the line is invalid; the message contains the reason
         */
        OutputObject answer(JsonObject line) throws IOException;
    }

    Batch(Answerer answerer) {
        this.answerer = answerer;
    }

    /**
     * Answers all lines, and writes each answer immediately.
     *
     * @param file a path, or {@code -} for standard input
     * @param out receives the answers; the batch ends if writing fails
     * @throws IOException if the file is missing or cannot be read
     */
    void run(String file, PrintWriter out) throws IOException {
        try (InputStream stream = InputFile.open(file)) {
            run(stream, out);
        }
    }

    private void run(InputStream stream, PrintWriter out) throws IOException {
        Lines lines = new Lines(stream);
        while (lines.next() && !out.checkError()) {
            out.println(JsonText.of(answer(lines)));
        }
    }

    private OutputObject answer(Lines lines) {
        OutputObject id = new OutputObject();
        try {
            String text = lines.text();
            JsonObject line;
            try {
                line = JsonObject.parse(text);
            } catch (InvalidJsonException broken) {
                id = id(JsonObject.readableJson(text, "id"));
                throw broken;
            }
            id = id(line.json("id"));
            return id.putAll(answerer.answer(line));
        } catch (IllegalArgumentException | IOException wrong) {
            return id.putAll(error(String.valueOf(wrong.getMessage())));
        } catch (RuntimeException broken) {
            StackTraceElement[] trace = broken.getStackTrace();
            return id.putAll(error("internal error: " + broken + (trace.length == 0 ? "" : " at " + trace[0])));
        }
    }

    private static OutputObject id(Optional<String> json) {
        OutputObject object = new OutputObject();
        json.ifPresent(text -> object.put("id", new JsonText.Raw(text)));
        return object;
    }

    private static OutputObject error(String text) {
        return new OutputObject().put("error", text);
    }

    /** Reads the lines of a stream, and discards the rest of a line that is too long. */
    private static final class Lines {
        private final InputStream stream;
        private final byte[] block = new byte[1 << 16];
        private int from;
        private int to;
        private ByteArrayOutputStream line = new ByteArrayOutputStream();
        private boolean tooLong;

        Lines(InputStream stream) {
            this.stream = stream;
        }

        /** Reads the next line; returns false at the end of the stream. */
        boolean next() throws IOException {
            // Releases the large buffer of a long line.
            line = line.size() > block.length ? new ByteArrayOutputStream() : line;
            line.reset();
            tooLong = false;
            boolean any = false;
            while (from < to || fill()) {
                any = true;
                int end = from;
                while (end < to && block[end] != '\n') {
                    end++;
                }
                keep(end - from);
                from = end + 1;
                if (end < to) {
                    return true;
                }
            }
            return any;
        }

        private boolean fill() throws IOException {
            from = 0;
            to = Math.max(0, stream.read(block));
            return to > 0;
        }

        private void keep(int length) {
            tooLong |= line.size() + length > MAX_LINE_BYTES;
            if (!tooLong) {
                line.write(block, from, length);
            }
        }

        /**
         * Returns the text of the line.
         *
         * @throws IllegalArgumentException if it is too long or not UTF-8
         */
        String text() {
            if (tooLong) {
                throw new IllegalArgumentException("a line longer than " + (MAX_LINE_BYTES >> 20) + " MiB");
            }
            try {
                String text = StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(line.toByteArray()))
                        .toString();
                // Some editors begin a file with a byte order mark.
                return text.startsWith("\uFEFF") ? text.substring(1) : text;
            } catch (CharacterCodingException malformed) {
                throw new IllegalArgumentException("not UTF-8", malformed);
            }
        }
    }
}
