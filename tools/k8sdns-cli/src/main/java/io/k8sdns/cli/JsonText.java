package io.k8sdns.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Formats the output of the command as JSON: one line of ASCII, with a space after each comma and colon. */
final class JsonText {
    private static final char DELETE = 0x7F;

    private static final JsonFactory JSON = new JsonFactoryBuilder()
            .highestNonEscapedChar(DELETE)
            .characterEscapes(new Escapes())
            .build();

    private JsonText() {}

    /** A text that is already JSON, and is printed as it is. */
    record Raw(String json) {}

    /** Returns a value as JSON; the values are those of {@link OutputObject}, and {@link Raw}. */
    static String of(@Nullable Object value) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.setPrettyPrinter(new OneLine());
            write(value, json);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.toString();
    }

    private static void write(@Nullable Object value, JsonGenerator json) throws IOException {
        if (value == null) {
            json.writeNull();
        } else if (value instanceof OutputObject object) {
            json.writeStartObject();
            for (Map.Entry<String, @Nullable Object> member : object.members().entrySet()) {
                json.writeFieldName(member.getKey());
                write(member.getValue(), json);
            }
            json.writeEndObject();
        } else if (value instanceof List<?> list) {
            json.writeStartArray();
            for (Object one : list) {
                write(one, json);
            }
            json.writeEndArray();
        } else if (value instanceof Boolean flag) {
            json.writeBoolean(flag);
        } else if (value instanceof Integer || value instanceof Long) {
            json.writeNumber(((Number) value).longValue());
        } else if (value instanceof Raw raw) {
            json.writeRawValue(raw.json());
        } else if (value instanceof String text) {
            json.writeString(text);
        } else {
            throw new AssertionError(value);
        }
    }

    /** Escapes the control character that JSON allows in texts, too. */
    private static final class Escapes extends CharacterEscapes {
        private static final long serialVersionUID = 1;

        @Override
        public int[] getEscapeCodesForAscii() {
            int[] codes = standardAsciiEscapesForJSON();
            codes[DELETE] = ESCAPE_STANDARD;
            return codes;
        }

        @Override
        public @Nullable SerializableString getEscapeSequence(int character) {
            return null;
        }
    }

    /** Jackson prints either no space or many lines. */
    private static final class OneLine extends MinimalPrettyPrinter {
        private static final long serialVersionUID = 1;

        @Override
        public void writeObjectFieldValueSeparator(JsonGenerator json) throws IOException {
            json.writeRaw(": ");
        }

        @Override
        public void writeObjectEntrySeparator(JsonGenerator json) throws IOException {
            json.writeRaw(", ");
        }

        @Override
        public void writeArrayValueSeparator(JsonGenerator json) throws IOException {
            json.writeRaw(", ");
        }
    }
}
