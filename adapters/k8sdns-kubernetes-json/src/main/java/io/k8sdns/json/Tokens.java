package io.k8sdns.json;

import org.jspecify.annotations.Nullable;

/**
 * The tokens of a stream of documents, YAML or JSON. {@link #next} moves to the next token; the other methods return
 * its properties.
 *
 * <p>A mapping is a sequence of keys and values; a key is a token like others.
 */
public interface Tokens {
    /** The kind of a token. */
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
        /** An alias: another use of the value that {@link #text} names. */
        ALIAS,
        /** The end of the stream. */
        NOTHING
    }

    /**
     * Moves to the next token.
     *
     * @throws BrokenDocumentException if the text is neither YAML nor JSON from here on
     */
    Kind next() throws BrokenDocumentException;

    /**
     * Moves to the end of the mapping or list that has just begun, at a depth at which no field is read.
     *
     * @throws BrokenDocumentException if the tokens cannot be skipped
     */
    default void skipToEnd() throws BrokenDocumentException {
        throw new BrokenDocumentException(line(), "nested deeper than " + Documents.MAX_NESTED);
    }

    /** Returns the text of a scalar or the name of an alias. */
    String text();

    /** Returns the type of a scalar. */
    ScalarType type();

    /** Returns whether a scalar is a merge key. */
    boolean isMergeKey();

    /** Returns the anchor of this value; null if it has none. */
    @Nullable
    String anchor();

    /** Returns the line of this token in the file, from 1. */
    int line();
}
