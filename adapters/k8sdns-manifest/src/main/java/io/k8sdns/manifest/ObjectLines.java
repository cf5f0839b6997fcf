package io.k8sdns.manifest;

import io.k8sdns.arguments.Copies;
import io.k8sdns.manifest.following.FileBytes;
import io.k8sdns.manifest.syntax.FieldLines;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.ToIntFunction;

/** The lines of the fields of one object, by their paths. An absent field has the line of the nearest one around it. */
final class ObjectLines implements ToIntFunction<String> {
    private final int objectLine;
    private final Map<String, Integer> lines;

    private ObjectLines(int objectLine, Map<String, Integer> lines) {
        this.objectLine = objectLine;
        this.lines = Copies.map("lines", lines);
    }

    /**
     * Reads the fields of an object.
     *
     * @throws IOException if the input is missing or cannot be read
     */
    static ObjectLines read(ManifestInput input, int objectLine) throws IOException {
        Optional<byte[]> bytes;
        if (Objects.requireNonNull(input, "input") instanceof ManifestInput.OfPath file) {
            bytes = FileBytes.load(file.path(), Manifests.LARGEST_FILE);
        } else {
            bytes = FileBytes.load(((ManifestInput.OfStream) input).stream(), Manifests.LARGEST_FILE);
        }
        return new ObjectLines(
                objectLine, bytes.map(file -> FieldLines.of(file, objectLine)).orElse(Map.of()));
    }

    @Override
    public int applyAsInt(String field) {
        String path = Objects.requireNonNull(field, "field");
        while (!path.isEmpty() && !lines.containsKey(path)) {
            path = path.substring(0, Math.max(0, Math.max(path.lastIndexOf('.'), path.lastIndexOf('['))));
        }
        return lines.getOrDefault(path, objectLine);
    }
}
