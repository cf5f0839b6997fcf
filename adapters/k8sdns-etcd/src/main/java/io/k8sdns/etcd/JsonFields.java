package io.k8sdns.etcd;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;

/** Parses the JSON of etcd's gateway, which writes 64-bit numbers as strings and bytes as Base64, and omits default values. */
final class JsonFields {
    private static final JsonFactory FACTORY = new JsonFactory();

    private JsonFields() {}

    /** Reads one value; the parser is at its first token. */
    interface ValueReader<T> {
        T read(JsonParser json) throws IOException;
    }

    /** Reads the value of a member, or skips it by not moving the parser. */
    interface MemberReader {
        void read(String name, JsonParser json) throws IOException;
    }

    /**
     * Reads a document that is one object.
     *
     * @throws IOException if it is malformed, or other text follows
     */
    static <T> T document(byte[] utf8, ValueReader<T> reading) throws IOException {
        try (JsonParser json = FACTORY.createParser(utf8)) {
            json.nextToken();
            T read = reading.read(json);
            if (json.nextToken() != null) {
                throw new IOException("text after the JSON object");
            }
            return read;
        } catch (IllegalArgumentException | IllegalStateException malformed) {
            throw new IOException("malformed JSON", malformed);
        }
    }

    /** Reads the members of an object. */
    static void object(JsonParser json, MemberReader member) throws IOException {
        expect(json, JsonToken.START_OBJECT, "an object");
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            JsonToken value = json.nextToken();
            if (value == JsonToken.VALUE_NULL) {
                continue;
            }
            member.read(name, json);
            // Skips a value that was not read; has no effect after one that was read.
            json.skipChildren();
        }
    }

    /** Reads the elements of an array. */
    static void array(JsonParser json, MemberReader element) throws IOException {
        expect(json, JsonToken.START_ARRAY, "an array");
        while (json.nextToken() != JsonToken.END_ARRAY) {
            element.read("", json);
        }
    }

    /** Reads a signed 64-bit number that is not negative. */
    static long number(JsonParser json) throws IOException {
        long value;
        if (json.currentToken() == JsonToken.VALUE_STRING) {
            try {
                value = Long.parseLong(json.getText());
            } catch (NumberFormatException malformed) {
                throw new IOException("not a number: " + json.currentName(), malformed);
            }
        } else {
            expect(json, JsonToken.VALUE_NUMBER_INT, "a number");
            value = json.getLongValue();
        }
        if (value < 0) {
            throw new IOException("negative: " + json.currentName());
        }
        return value;
    }

    /** Reads an unsigned 64-bit number, as text. */
    static String unsigned(JsonParser json) throws IOException {
        if (json.currentToken() != JsonToken.VALUE_STRING) {
            expect(json, JsonToken.VALUE_NUMBER_INT, "a number");
        }
        return json.getText();
    }

    static String text(JsonParser json) throws IOException {
        expect(json, JsonToken.VALUE_STRING, "a string");
        return json.getText();
    }

    static byte[] bytes(JsonParser json) throws IOException {
        expect(json, JsonToken.VALUE_STRING, "a string");
        return json.getBinaryValue();
    }

    static boolean flag(JsonParser json) throws IOException {
        if (json.currentToken() != JsonToken.VALUE_TRUE) {
            expect(json, JsonToken.VALUE_FALSE, "true or false");
        }
        return json.currentToken() == JsonToken.VALUE_TRUE;
    }

    private static void expect(JsonParser json, JsonToken token, String what) throws IOException {
        if (json.currentToken() != token) {
            String name = json.currentName();
            throw new IOException("not " + what + ": " + (name == null ? "the response" : name));
        }
    }
}
