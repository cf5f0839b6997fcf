package io.k8sdns.federation.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
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
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Stub zones as JSON: {@code {"nameservers": ["192.0.2.53"]}}, and all of them as one object of these, by federation.
 *
 * <p>Reads strict JSON (RFC 8259) and two relaxations that the federation document's own example needs: member names without quotes,
 * and a comma behind the last element. Writes strict JSON. Other members are ignored; a member that is there twice is an error.
 */
final class StubZoneJson {
    private static final String NAME_SERVERS = "nameservers";
    private static final int MAX_DEPTH = 32;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(JsonReadFeature.ALLOW_UNQUOTED_FIELD_NAMES)
            .enable(JsonReadFeature.ALLOW_TRAILING_COMMA)
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .build();

    private StubZoneJson() {}

    /**
     * Reads one stub zone.
     *
     * @param json the bytes of the text, in UTF-8
     * @throws InvalidStubZoneException if it is none
     */
    static StubZone read(String federation, byte[] json) {
        StubZone.requireName(federation);
        return parsed(json, parser -> StubZone.parse(federation, nameServers(parser)));
    }

    /**
     * Reads all stub zones.
     *
     * @param json the bytes of the text, in UTF-8
     * @throws InvalidStubZoneException if one is none
     */
    static Map<String, StubZone> readAll(byte[] json) {
        return parsed(json, parser -> {
            Map<String, StubZone> all = new TreeMap<>();
            require(parser, JsonToken.START_OBJECT, "an object");
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String federation = parser.currentName();
                parser.nextToken();
                all.put(federation, StubZone.parse(federation, nameServers(parser)));
            }
            return all;
        });
    }

    /** Reads a value from its first token. */
    private interface Reading<T> {
        T read(JsonParser parser) throws IOException;
    }

    private static <T> T parsed(byte[] json, Reading<T> reading) {
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(json))
                    .toString();
        } catch (CharacterCodingException notUtf8) {
            throw new InvalidStubZoneException("not UTF-8");
        }
        try (JsonParser parser = FACTORY.createParser(text)) {
            parser.nextToken();
            T value = reading.read(parser);
            if (parser.nextToken() != null) {
                throw new InvalidStubZoneException("something follows the JSON object" + at(parser));
            }
            return value;
        } catch (JsonProcessingException malformed) {
            throw new InvalidStubZoneException("not JSON: " + malformed.getOriginalMessage()
                    + (malformed.getLocation() == null
                            ? ""
                            : " (line " + malformed.getLocation().getLineNr() + ", column "
                                    + malformed.getLocation().getColumnNr() + ")"));
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    private static List<String> nameServers(JsonParser parser) throws IOException {
        require(parser, JsonToken.START_OBJECT, "an object");
        List<String> found = null;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            boolean isNameServers = parser.currentName().equals(NAME_SERVERS);
            parser.nextToken();
            if (isNameServers) {
                found = texts(parser);
            } else {
                parser.skipChildren();
            }
        }
        if (found == null) {
            throw new InvalidStubZoneException("the member \"" + NAME_SERVERS + "\" is missing");
        }
        return found;
    }

    private static List<String> texts(JsonParser parser) throws IOException {
        require(parser, JsonToken.START_ARRAY, NAME_SERVERS + " is not a list");
        List<String> texts = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            require(parser, JsonToken.VALUE_STRING, NAME_SERVERS + " holds something that is not a text");
            texts.add(parser.getText());
        }
        return texts;
    }

    private static void require(JsonParser parser, JsonToken expected, String what) throws IOException {
        JsonToken found = parser.currentToken();
        if (found == expected) {
            return;
        }
        String problem = what.contains(" is ") || what.contains(" holds ") ? what : "not " + what;
        String value = found != null && found.isScalarValue() ? ": " + StubZone.quoted(parser.getText()) : "";
        throw new InvalidStubZoneException(problem + value + at(parser));
    }

    private static String at(JsonParser parser) {
        return " (line " + parser.currentTokenLocation().getLineNr() + ", column "
                + parser.currentTokenLocation().getColumnNr() + ")";
    }

    /** Writes a value. */
    private interface Writing {
        void write(JsonGenerator json) throws IOException;
    }

    /** Returns one stub zone as JSON in one line. */
    static String write(StubZone zone) {
        return text(json -> write(zone, json));
    }

    /** Returns stub zones as JSON in one line, by federation. */
    static String write(Collection<StubZone> zones) {
        return text(json -> {
            json.writeStartObject();
            for (StubZone zone : zones) {
                json.writeFieldName(zone.federation());
                write(zone, json);
            }
            json.writeEndObject();
        });
    }

    /** Returns the JSON of an error. */
    static String error(@Nullable String message) {
        return text(json -> {
            json.writeStartObject();
            json.writeStringField("error", message);
            json.writeEndObject();
        });
    }

    private static void write(StubZone zone, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeArrayFieldStart(NAME_SERVERS);
        for (String server : zone.nameServerTexts()) {
            json.writeString(server);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static String text(Writing writing) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            writing.write(json);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.append('\n').toString();
    }
}
