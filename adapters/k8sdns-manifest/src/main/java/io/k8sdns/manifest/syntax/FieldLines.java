package io.k8sdns.manifest.syntax;

import io.k8sdns.json.BrokenDocumentException;
import io.k8sdns.json.JsonTokens;
import io.k8sdns.json.Tokens;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the lines of the fields of one object. Reads the text again, because the lines of keys are not kept when objects are read.
 */
public final class FieldLines {
    /** The maximum depth of the fields; deeper ones are not read as objects either. */
    private static final int MAX_NESTED = 100;

    private final Tokens tokens;
    private final int objectLine;
    private final Map<String, Integer> lines = new HashMap<>();
    private boolean isFound;

    private FieldLines(Tokens tokens, int objectLine) {
        this.tokens = tokens;
        this.objectLine = objectLine;
    }

    /**
     * Returns the line of each field of an object, by its path, for example {@code spec.ports[0].name}; empty if no object begins at
     * the line. Fields that come from an alias or a merge key are missing.
     *
     * @param file the whole file
     * @param objectLine the line at which the object begins, from 1
     */
    public static Map<String, Integer> of(byte[] file, int objectLine) {
        FileSection section = null;
        for (FileSection next : FileSection.of(file)) {
            if (next.line() > objectLine) {
                break;
            }
            section = next;
        }
        if (section == null) {
            return Map.of();
        }
        try {
            section.check();
        } catch (BrokenDocumentException noText) {
            return Map.of();
        }
        // YAML may begin like JSON.
        Map<String, Integer> json = section.looksLikeJson()
                ? new FieldLines(JsonTokens.ofObjects(section.json(), section.line()), objectLine).read()
                : Map.of();
        return json.isEmpty()
                ? new FieldLines(new YamlTokens(section.yaml(), section.line()), objectLine).read()
                : json;
    }

    private Map<String, Integer> read() {
        try {
            while (!isFound && tokens.next() == Tokens.Kind.DOCUMENT) {
                value(tokens.next(), null, 0);
                tokens.next();
            }
        } catch (BrokenDocumentException afterObject) {
            return lines;
        }
        return lines;
    }

    /**
     * Reads a value to its end.
     *
     * @param path its path in the object; null if it is not in the object
     */
    private void value(Tokens.Kind kind, @Nullable String path, int depth) throws BrokenDocumentException {
        if (kind == Tokens.Kind.MAPPING || kind == Tokens.Kind.SEQUENCE) {
            if (depth >= MAX_NESTED) {
                tokens.skipToEnd();
            } else if (kind == Tokens.Kind.MAPPING) {
                mapping(path, depth);
            } else {
                sequence(path, depth);
            }
        }
    }

    private void mapping(@Nullable String path, int depth) throws BrokenDocumentException {
        String own = path;
        if (!isFound && tokens.line() == objectLine) {
            isFound = true;
            own = "";
        }
        for (Tokens.Kind key = tokens.next(); key != Tokens.Kind.END; key = tokens.next()) {
            String field = null;
            if (own != null && key == Tokens.Kind.SCALAR) {
                field = own.isEmpty() ? tokens.text() : own + "." + tokens.text();
                lines.put(field, tokens.line());
            } else {
                value(key, null, depth + 1);
            }
            value(tokens.next(), field, depth + 1);
        }
    }

    private void sequence(@Nullable String path, int depth) throws BrokenDocumentException {
        int index = 0;
        for (Tokens.Kind item = tokens.next(); item != Tokens.Kind.END; item = tokens.next()) {
            String field = path == null ? null : path + "[" + index + "]";
            if (field != null) {
                lines.put(field, tokens.line());
            }
            value(item, field, depth + 1);
            index++;
        }
    }
}
