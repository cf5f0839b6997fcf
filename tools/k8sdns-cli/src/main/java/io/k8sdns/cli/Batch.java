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
 * Many questions to one start of the command: each line of a file is a JSON object, and each gives one line, in order.
 *
 * <p>One line is held at a time. What is wrong with a line is its answer, <code>{"error": ...}</code>, and stops nothing.
 */
final class Batch {
    /** A file of a node has ten million characters at most, of which some may take several here. */
    private static final int LONGEST_LINE = 32 << 20;

    private final Answerer answerer;

    /** What answers a line. */
    @FunctionalInterface
    interface Answerer {
        /**
         * Returns the members of the answer, as JSON without the braces around them.
         *
         * @throws IllegalArgumentException if the line cannot be answered; the message says why
         */
        String answer(JsonObject line) throws IOException;
    }

    /** Sets up a batch. */
    Batch(Answerer answerer) {
        this.answerer = answerer;
    }

    /**
     * Answers every line, and hands on each answer at once.
     *
     * @param file a path, or {@code -} for standard input
     * @param out takes the answers; when it takes no more, the batch ends
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
            out.println("{" + answer(lines) + "}");
        }
    }

    private String answer(Lines lines) {
        String id = "";
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
            return id + answerer.answer(line);
        } catch (IllegalArgumentException | IOException wrong) {
            return id + error(String.valueOf(wrong.getMessage()));
        } catch (RuntimeException broken) {
            StackTraceElement[] trace = broken.getStackTrace();
            return id + error("internal error: " + broken + (trace.length == 0 ? "" : " at " + trace[0]));
        }
    }

    private static String id(Optional<String> json) {
        return json.map(text -> "\"id\": " + text + ", ").orElse("");
    }

    private static String error(String text) {
        return "\"error\": " + JsonText.string(text);
    }

    /** The lines of a stream, of which only so much is kept as a line may have. */
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

        /** Moves to the next line; returns whether there is one. */
        boolean next() throws IOException {
            // A buffer that one long line has blown up is not kept.
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
            tooLong |= line.size() + length > LONGEST_LINE;
            if (!tooLong) {
                line.write(block, from, length);
            }
        }

        /**
         * Returns the text of the line.
         *
         * @throws IllegalArgumentException if it is too long or no UTF-8
         */
        String text() {
            if (tooLong) {
                throw new IllegalArgumentException("a line longer than " + (LONGEST_LINE >> 20) + " MiB");
            }
            try {
                String text = StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(line.toByteArray()))
                        .toString();
                // Some editors begin a file with a mark that is no part of its text.
                return text.startsWith("\uFEFF") ? text.substring(1) : text;
            } catch (CharacterCodingException malformed) {
                throw new IllegalArgumentException("not UTF-8", malformed);
            }
        }
    }
}
