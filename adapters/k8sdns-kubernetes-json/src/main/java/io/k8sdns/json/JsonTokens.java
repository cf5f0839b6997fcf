package io.k8sdns.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.base.ParserBase;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** The tokens of JSON: a sequence of values, each a document. */
public final class JsonTokens implements Tokens {
    /**
     * The maximum depth: Kubernetes accepts objects of depth 10,000, and lists and events add a few levels. The parser
     * needs memory for each level.
     */
    static final int MAX_NESTED = 10_100;

    private final JsonParser parser;
    private final int firstLine;
    private final boolean passesOver;
    private int depth = -1;
    private String text = "";
    private @Nullable JsonToken token;

    private JsonTokens(Reader text, int firstLine, boolean passesOver) {
        this.firstLine = firstLine;
        this.passesOver = passesOver;
        // The size of the file has been checked; unknown fields may hold any value.
        StreamReadConstraints constraints = StreamReadConstraints.builder()
                .maxNestingDepth(MAX_NESTED)
                .maxStringLength(Integer.MAX_VALUE)
                .maxNumberLength(Integer.MAX_VALUE)
                .maxNameLength(Integer.MAX_VALUE)
                .build();
        JsonFactory factory = JsonFactory.builder()
                .streamReadConstraints(constraints)
                .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                .build();
        try {
            this.parser = factory.createParser(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Reads objects of Kubernetes, whose unread fields may hold any value of any depth.
     *
     * @param firstLine the line of the file at which the text begins, from 1
     */
    public static JsonTokens ofObjects(Reader text, int firstLine) {
        return new JsonTokens(text, firstLine, true);
    }

    /** Reads a text of which every field may be read. */
    public static JsonTokens ofAnything(Reader text) {
        return new JsonTokens(text, 1, false);
    }

    @Override
    public void skipToEnd() throws BrokenDocumentException {
        if (!passesOver) {
            Tokens.super.skipToEnd();
        }
        int around = depth - 1;
        while (depth > around) {
            next();
        }
    }

    /** JSON has no tokens for documents: a document begins before each value at depth 0 and ends after it. */
    @Override
    public Kind next() throws BrokenDocumentException {
        try {
            if (depth == -1) {
                token = parser.nextToken();
                if (token == null) {
                    return Kind.NOTHING;
                }
                depth = 0;
                return Kind.DOCUMENT;
            }
            if (depth == 0) {
                depth = 1;
            } else if (depth == 1) {
                depth = -1;
                return Kind.END;
            } else {
                token = parser.nextToken();
            }
            if (token == null) {
                throw new BrokenDocumentException(line(), "unexpected end");
            }
            // Decoded here, so that a broken escape in the text is reported with its line.
            text = token.isStructStart() || token.isStructEnd() ? "" : parser.getText();
        } catch (JsonProcessingException e) {
            JsonLocation location = e.getLocation();
            int line = location == null ? line() : firstLine + location.getLineNr() - 1;
            String column = location == null ? "" : " (column " + location.getColumnNr() + ")";
            // Jackson's message also holds the start of the value and an explanation why the source is hidden.
            String problem = e.getOriginalMessage().replaceAll(" \\(start marker at .*", "");
            throw new BrokenDocumentException(line, "not JSON: " + problem + column);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (token.isStructStart()) {
            depth++;
            return token == JsonToken.START_OBJECT ? Kind.MAPPING : Kind.SEQUENCE;
        }
        if (token.isStructEnd()) {
            depth--;
            return Kind.END;
        }
        return Kind.SCALAR;
    }

    @Override
    public String text() {
        return text;
    }

    @Override
    public ScalarType type() {
        return switch (parser.currentToken()) {
            case VALUE_NULL -> ScalarType.NULL;
            case VALUE_TRUE, VALUE_FALSE -> ScalarType.BOOLEAN;
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> ScalarType.NUMBER;
            default -> ScalarType.TEXT;
        };
    }

    @Override
    public boolean isMergeKey() {
        return false;
    }

    @Override
    public @Nullable String anchor() {
        return null;
    }

    @Override
    public int line() {
        // A location is a large object, so the line of a value is used; only a key needs its location.
        int line = parser instanceof ParserBase base && parser.currentToken() != JsonToken.FIELD_NAME
                ? base.getTokenLineNr()
                : parser.currentTokenLocation().getLineNr();
        return firstLine + line - 1;
    }
}
