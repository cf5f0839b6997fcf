package io.k8sdns.etcd;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;

/** Reads what etcd's JSON gateway writes: numbers of 64 bits as strings, bytes as Base64, default values omitted. */
final class JsonFields {
    private static final JsonFactory FACTORY = new JsonFactory();

    private JsonFields() {}

    /** Reads one value from a parser that stands on its first token. */
    interface Reading<T> {
        T read(JsonParser json) throws IOException;
    }

    /** Reads the value of a member, or returns without moving the parser to have it skipped. */
    interface Member {
        void read(String name, JsonParser json) throws IOException;
    }

    /**
     * Reads a document that is one object.
     *
     * @throws IOException if it is malformed, or something follows
     */
    static <T> T document(byte[] utf8, Reading<T> reading) throws IOException {
        try (JsonParser json = FACTORY.createParser(utf8)) {
            json.nextToken();
            T read = reading.read(json);
            if (json.nextToken() != null) {
                throw new IOException("text behind the JSON object");
            }
            return read;
        } catch (IllegalArgumentException | IllegalStateException malformed) {
            throw new IOException("malformed JSON", malformed);
        }
    }

    /** Reads the members of an object. */
    static void object(JsonParser json, Member member) throws IOException {
        expect(json, JsonToken.START_OBJECT, "an object");
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            JsonToken value = json.nextToken();
            if (value == JsonToken.VALUE_NULL) {
                continue;
            }
            member.read(name, json);
            // Skips what the member has not read; at the end of what it has read this does nothing.
            json.skipChildren();
        }
    }

    /** Reads the elements of an array. */
    static void array(JsonParser json, Member element) throws IOException {
        expect(json, JsonToken.START_ARRAY, "an array");
        while (json.nextToken() != JsonToken.END_ARRAY) {
            element.read("", json);
        }
    }

    /** Reads a number of 64 bits that is not negative. */
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

    /** Reads a number that has no sign, as text: it may have all 64 bits. */
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
