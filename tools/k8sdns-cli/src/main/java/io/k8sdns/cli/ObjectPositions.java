package io.k8sdns.cli;

import io.k8sdns.explain.Explanation.Cause;
import io.k8sdns.explain.Explanation.Source;
import io.k8sdns.explain.Explanation.Suggestion;
import io.k8sdns.manifest.ManifestInput;
import io.k8sdns.manifest.ManifestResult;
import io.k8sdns.manifest.Manifests;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Position;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/** The file and the line of fields of objects. A field that is not in a manifest has the line of the nearest field around it that is. */
final class ObjectPositions {
    private final Function<ObjectRef, Optional<Position>> positions;
    private final Function<String, ManifestInput> inputs;
    private final Map<Position, Optional<ToIntFunction<String>>> lines = new HashMap<>();

    private ObjectPositions(Function<ObjectRef, Optional<Position>> positions, Function<String, ManifestInput> inputs) {
        this.positions = positions;
        this.inputs = inputs;
    }

    /**
     * Returns the positions of the objects of manifests.
     *
     * @param inputs returns the input of the file of a position, to be read again
     */
    static ObjectPositions of(ManifestResult manifests, Function<String, ManifestInput> inputs) {
        return new ObjectPositions(manifests::position, inputs);
    }

    /** Returns no positions, for a live cluster. */
    static ObjectPositions none() {
        return new ObjectPositions(any -> Optional.empty(), file -> ManifestInput.path(Path.of(file)));
    }

    /** Returns the position of a cause if known, otherwise empty. */
    Optional<Position> of(Cause cause) {
        return cause.position().or(() -> cause.object().flatMap(object -> of(object, cause.field())));
    }

    /** Returns the position of the field to edit if known, otherwise empty. */
    Optional<Position> of(Suggestion suggestion) {
        return suggestion.object().flatMap(object -> of(object, suggestion.field()));
    }

    /** Returns the position of the field that makes a record if known, otherwise empty. */
    Optional<Position> of(Source source) {
        return source.object().flatMap(object -> of(object, source.field()));
    }

    private Optional<Position> of(ObjectRef object, String field) {
        return positions.apply(object).map(position -> at(position, field));
    }

    private Position at(Position object, String field) {
        if (field.isEmpty() || object.line() == 0) {
            return object;
        }
        return lines.computeIfAbsent(object, this::read)
                .map(known -> new Position(object.file(), known.applyAsInt(field)))
                .orElse(object);
    }

    private Optional<ToIntFunction<String>> read(Position object) {
        try {
            return Optional.of(Manifests.fieldLines(inputs.apply(object.file()), object.line()));
        } catch (IOException deleted) {
            // The line of the object is still known.
            return Optional.empty();
        }
    }

    /** Returns a position in parentheses, after a space; "" if it is unknown. */
    static String text(Optional<Position> position) {
        return position.map(place -> " (" + place + ")").orElse("");
    }
}
