package io.k8sdns.manifest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.k8sdns.json.BrokenDocumentException;
import io.k8sdns.json.Documents;
import io.k8sdns.json.FileNotes;
import io.k8sdns.json.JsonTokens;
import io.k8sdns.json.ScalarType;
import io.k8sdns.json.Value;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A JSON object (RFC 8259), for example a line of a batch, with access to its members by name and type.
 *
 * <p>A member that is {@code null} has a name but no value, as if absent. Of members with one name, the last is used.
 */
public final class JsonObject {
    private static final Pattern JSON_NUMBER = Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)?");

    /** The largest integer up to which a double holds every integer. */
    private static final double MAX_EXACT = 1L << 53;

    private final Value.Mapping value;
    private final String path;

    private JsonObject(Value.Mapping value, String path) {
        this.value = value;
        this.path = path;
    }

    /**
     * Reads a text that is one object.
     *
     * @throws InvalidJsonException if the text is not a JSON object, or is nested deeper than 100; the message names the
     *     place
     */
    public static JsonObject parse(String text) {
        Objects.requireNonNull(text, "text");
        Value value;
        try {
            value = Documents.only(JsonTokens.ofAnything(new StringReader(text)));
        } catch (BrokenDocumentException e) {
            throw new InvalidJsonException(String.valueOf(e.getMessage()));
        }
        if (value instanceof Value.Mapping mapping) {
            return new JsonObject(mapping, "");
        }
        throw new InvalidJsonException("expected an object, found " + words(value));
    }

    /**
     * Returns a member of a text as {@link #json(String)} does, even if {@link #parse} fails on a later part, so that
     * an error message can identify the object.
     */
    public static Optional<String> readableJson(String text, String member) {
        Objects.requireNonNull(text, "text");
        Objects.requireNonNull(member, "member");
        return Documents.readableMember(JsonTokens.ofAnything(new StringReader(text)), member)
                .map(JsonObject::json);
    }

    /** Returns the names of the members, in their order. */
    public List<String> members() {
        return List.copyOf(value.keys());
    }

    /** Returns whether the object has a member of this name; it may be null. */
    public boolean has(String member) {
        return value.get(member) != null;
    }

    /** Returns whether the member of this name is an object. */
    public boolean isObject(String member) {
        return value.get(member) instanceof Value.Mapping;
    }

    /**
     * Returns the text of a member if present and not null, otherwise empty.
     *
     * @throws InvalidJsonException if it is not a text
     */
    public Optional<String> text(String member) {
        return get(member).map(one -> text(one, path(member)));
    }

    /**
     * Returns the texts of a member that is a list of texts; an empty list if it is absent or null.
     *
     * @throws InvalidJsonException if it is not a list of texts
     */
    public List<String> texts(String member) {
        Value list = get(member).orElse(null);
        if (list == null) {
            return List.of();
        }
        if (!(list instanceof Value.Sequence sequence)) {
            throw wrongType(list, path(member), "a list");
        }
        List<String> texts = new ArrayList<>(sequence.items().size());
        for (Value one : sequence.items()) {
            texts.add(text(one, path(member) + "[" + texts.size() + "]"));
        }
        return texts;
    }

    /**
     * Returns a member that is an object if present and not null, otherwise empty.
     *
     * @throws InvalidJsonException if it is not an object
     */
    public Optional<JsonObject> object(String member) {
        return get(member).map(one -> new JsonObject(mapping(member, one), path(member)));
    }

    /** Returns a member as JSON in one line of ASCII if present, otherwise empty. */
    public Optional<String> json(String member) {
        return Optional.ofNullable(value.get(member)).map(JsonObject::json);
    }

    /** Returns a member that is an object, as a value. */
    Value.Mapping mapping(String member) {
        return mapping(
                member,
                get(member).orElseThrow(() -> new InvalidJsonException(path(member) + ": an object is missing")));
    }

    private Value.Mapping mapping(String member, Value one) {
        if (one instanceof Value.Mapping mapping) {
            return mapping;
        }
        throw wrongType(one, path(member), "an object");
    }

    private Optional<Value> get(String member) {
        return Optional.ofNullable(value.get(member))
                .filter(one -> !(one instanceof Value.Scalar scalar && scalar.type() == ScalarType.NULL));
    }

    private String path(String member) {
        return path.isEmpty() ? member : path + "[\"" + FileNotes.printable(member) + "\"]";
    }

    private static String text(Value value, String path) {
        if (value instanceof Value.Scalar scalar && scalar.type() == ScalarType.TEXT) {
            return scalar.text();
        }
        throw wrongType(value, path, "text");
    }

    private static InvalidJsonException wrongType(Value value, String path, String expected) {
        return new InvalidJsonException(path + ": expected " + expected + ", found " + words(value));
    }

    private static String words(Value value) {
        if (value instanceof Value.Mapping) {
            return "an object";
        }
        return value instanceof Value.Scalar scalar && scalar.type() == ScalarType.NULL ? "null" : value.words();
    }

    /** Returns a value as JSON in one line of ASCII. */
    static String json(Value value) {
        StringWriter text = new StringWriter();
        JsonFactory factory =
                JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();
        try (JsonGenerator json = factory.createGenerator(text)) {
            write(value, json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    private static void write(Value value, JsonGenerator json) throws IOException {
        if (value instanceof Value.Mapping mapping) {
            json.writeStartObject();
            for (String key : mapping.keys()) {
                json.writeFieldName(key);
                write(Objects.requireNonNull(mapping.get(key)), json);
            }
            json.writeEndObject();
        } else if (value instanceof Value.Sequence sequence) {
            json.writeStartArray();
            for (Value one : sequence.items()) {
                write(one, json);
            }
            json.writeEndArray();
        } else if (value instanceof Value.Scalar scalar) {
            switch (scalar.type()) {
                case TEXT -> json.writeString(scalar.text());
                case NUMBER -> writeNumber(scalar.text(), json);
                case BOOLEAN -> json.writeBoolean(ScalarType.truth(scalar.text()));
                case NULL -> json.writeNull();
            }
        }
    }

    /** Converts numbers in notations of YAML that JSON does not have, for example {@code 0x50}. */
    private static void writeNumber(String text, JsonGenerator json) throws IOException {
        if (JSON_NUMBER.matcher(text).matches()) {
            json.writeNumber(text);
            return;
        }
        double value = ScalarType.value(text);
        if (value == Math.rint(value) && Math.abs(value) <= MAX_EXACT) {
            json.writeNumber((long) value);
        } else if (Double.isFinite(value)) {
            json.writeNumber(value);
        } else {
            json.writeString(text);
        }
    }
}
