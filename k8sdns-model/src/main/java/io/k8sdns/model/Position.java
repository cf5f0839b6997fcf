package io.k8sdns.model;

import java.util.Objects;

/**
 * A place in an input file.
 *
 * @param file the file as the user named it, {@code -} for standard input
 * @param line the line, from 1; 0 when only the file is known
 */
public record Position(String file, int line) {
    /** Checks that the line is not negative. */
    public Position {
        Objects.requireNonNull(file, "file");
        if (line < 0) {
            throw new IllegalArgumentException("line " + line);
        }
    }

    /** Returns {@code file:line}, or the file alone. */
    @Override
    public String toString() {
        return line == 0 ? file : file + ":" + line;
    }
}
