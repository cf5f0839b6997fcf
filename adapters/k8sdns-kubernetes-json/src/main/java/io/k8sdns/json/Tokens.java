package io.k8sdns.json;

import org.jspecify.annotations.Nullable;

/**
 * The tokens of a stream of documents, YAML or JSON. {@link #next} moves on; the other methods say what it found.
 *
 * <p>A mapping is its keys and values in turn; a key is a token like any other.
 */
public interface Tokens {
    /** What a token is. */
    enum Kind {
        /** A document begins. */
        DOCUMENT,
        SCALAR,
        /** A mapping begins. */
        MAPPING,
        /** A list begins. */
        SEQUENCE,
        /** A mapping, a list or a document ends. */
        END,
        /** The value that {@link #text} names, once more. */
        ALIAS,
        /** Nothing follows. */
        NOTHING
    }

    /**
     * Moves to the next token.
     *
     * @throws BrokenDocumentException if the text is neither YAML nor JSON from here on
     */
    Kind next() throws BrokenDocumentException;

    /**
     * Moves to the end of the mapping or list that has just begun, so deep that nothing in it is read.
     *
     * @throws BrokenDocumentException if it cannot be done without
     */
    default void passOver() throws BrokenDocumentException {
        throw new BrokenDocumentException(line(), "nested deeper than " + Documents.MOST_NESTED);
    }

    /** Returns the text of a scalar or the name that an alias means. */
    String text();

    /** Returns the type of a scalar. */
    ScalarType type();

    /** Returns whether a scalar, being a key, merges the mapping that is its value. */
    boolean isMergeKey();

    /** Returns the name that an alias can mean this value by; null if it has none. */
    @Nullable
    String anchor();

    /** Returns the line of this token in the file, from 1. */
    int line();
}
