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

/** The tokens of JSON: one value after the other, each a document. */
public final class JsonTokens implements Tokens {
    /**
     * Kubernetes takes objects that are 10,000 deep; in a list or an event they lie somewhat deeper. Bounded, for what is passed
     * over is remembered level by level.
     */
    static final int MOST_NESTED = 10_100;

    private final JsonParser parser;
    private final int firstLine;
    private final boolean passesOver;
    private int depth = -1;
    private String text = "";
    private @Nullable JsonToken token;

    private JsonTokens(Reader text, int firstLine, boolean passesOver) {
        this.firstLine = firstLine;
        this.passesOver = passesOver;
        // The size of the file is bounded before; unknown fields may hold what they like.
        StreamReadConstraints constraints = StreamReadConstraints.builder()
                .maxNestingDepth(MOST_NESTED)
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
     * Reads objects of Kubernetes, which may hold anything, however deep, in fields that are not read.
     *
     * @param firstLine the line in the file where the text begins, from 1
     */
    public static JsonTokens ofObjects(Reader text, int firstLine) {
        return new JsonTokens(text, firstLine, true);
    }

    /** Reads a text in which everything may count. */
    public static JsonTokens ofAnything(Reader text) {
        return new JsonTokens(text, 1, false);
    }

    @Override
    public void passOver() throws BrokenDocumentException {
        if (!passesOver) {
            Tokens.super.passOver();
        }
        int around = depth - 1;
        while (depth > around) {
            next();
        }
    }

    /** A document is not a token of JSON: it begins before each value at depth 0 and ends behind it. */
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
            // Asked for here, where a broken escape in the text can still be reported.
            text = token.isStructStart() || token.isStructEnd() ? "" : parser.getText();
        } catch (JsonProcessingException e) {
            JsonLocation place = e.getLocation();
            int line = place == null ? line() : firstLine + place.getLineNr() - 1;
            String column = place == null ? "" : " (column " + place.getColumnNr() + ")";
            // Jackson says where something began, too, and at length why it does not show the source.
            String problem = e.getOriginalMessage().replaceAll(" \\(start marker at .*", "");
            throw new BrokenDocumentException(line, "no JSON: " + problem + column);
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
        // Every value has a line, and a location is an object of many parts; only that of a key stands nowhere else.
        int line = parser instanceof ParserBase base && parser.currentToken() != JsonToken.FIELD_NAME
                ? base.getTokenLineNr()
                : parser.currentTokenLocation().getLineNr();
        return firstLine + line - 1;
    }
}
