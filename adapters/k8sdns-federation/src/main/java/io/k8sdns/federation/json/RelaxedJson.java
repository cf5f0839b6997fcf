package io.k8sdns.federation.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * JSON texts as maps, lists, strings, numbers, booleans and null.
 *
 * <p>Reads strict JSON (RFC 8259) and two relaxations that the examples of the design document "Service Discovery in Ubernetes" need:
 * member names without quotes, and a comma after the last element. A duplicate member is an error. Writes strict JSON in ASCII.
 * Thread-safe.
 */
public final class RelaxedJson {
    private static final int MAX_DEPTH = 32;

    // Names are not interned: the writers of a store choose them, without limit.
    private final JsonFactory factory = JsonFactory.builder()
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(JsonReadFeature.ALLOW_UNQUOTED_FIELD_NAMES)
            .enable(JsonReadFeature.ALLOW_TRAILING_COMMA)
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
            .build();

    /** Creates a reader and writer. */
    public RelaxedJson() {}

    /**
     * Reads a text in UTF-8 that is one object.
     *
     * @throws IllegalArgumentException if it is not one object; the message has the reason, with the line if it is known
     */
    public Map<String, @Nullable Object> object(byte[] utf8) {
        try {
            return object(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(utf8))
                    .toString());
        } catch (CharacterCodingException notUtf8) {
            throw new IllegalArgumentException("not UTF-8", notUtf8);
        }
    }

    /**
     * Reads a text that is one object.
     *
     * @throws IllegalArgumentException if it is not one object; the message has the reason, with the line if it is known
     */
    public Map<String, @Nullable Object> object(String text) {
        try (JsonParser parser = factory.createParser(text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException("not a JSON object");
            }
            Map<String, @Nullable Object> object = members(parser);
            if (parser.nextToken() != null) {
                throw new IllegalArgumentException("more than one JSON object");
            }
            return object;
        } catch (JsonProcessingException malformed) {
            // Errors about limits, for example the depth, have no location.
            JsonLocation location = malformed.getLocation();
            String line = location == null ? "" : "line " + location.getLineNr() + ": ";
            throw new IllegalArgumentException(line + "not JSON: " + malformed.getOriginalMessage(), malformed);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    private static Map<String, @Nullable Object> members(JsonParser parser) throws IOException {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            members.put(name, value(parser));
        }
        return members;
    }

    /** Reads the value at the parser's token; Jackson limits the depth of this recursion. */
    private static @Nullable Object value(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> members(parser);
            case START_ARRAY -> {
                List<@Nullable Object> items = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    items.add(value(parser));
                }
                yield items;
            }
            case VALUE_STRING -> parser.getText();
            case VALUE_NUMBER_INT -> parser.getNumberValue();
            // A double would lose digits, and cannot hold large numbers.
            case VALUE_NUMBER_FLOAT -> parser.getDecimalValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            default -> throw new IllegalArgumentException("not JSON: " + parser.currentToken());
        };
    }

    /** Writes a value in one line. */
    public String text(@Nullable Object value) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = factory.createGenerator(text)) {
            write(generator, value);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.toString();
    }

    private static void write(JsonGenerator generator, @Nullable Object value) throws IOException {
        if (value instanceof Map<?, ?> object) {
            generator.writeStartObject();
            for (Map.Entry<?, ?> member : object.entrySet()) {
                generator.writeFieldName(String.valueOf(member.getKey()));
                write(generator, member.getValue());
            }
            generator.writeEndObject();
        } else if (value instanceof List<?> items) {
            generator.writeStartArray();
            for (Object item : items) {
                write(generator, item);
            }
            generator.writeEndArray();
        } else if (value instanceof Boolean flag) {
            generator.writeBoolean(flag);
        } else if (value instanceof Number number) {
            // Without a conversion, which could lose digits.
            generator.writeNumber(number.toString());
        } else if (value == null) {
            generator.writeNull();
        } else {
            generator.writeString(value.toString());
        }
    }
}
