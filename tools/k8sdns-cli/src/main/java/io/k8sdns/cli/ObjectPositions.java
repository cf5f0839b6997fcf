package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.explain.Explanation.Cause;
import io.k8sdns.explain.Explanation.Source;
import io.k8sdns.explain.Explanation.Suggestion;
import io.k8sdns.manifest.ManifestInput;
import io.k8sdns.manifest.ManifestResult;
import io.k8sdns.manifest.Manifests;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Position;
import io.k8sdns.model.Service;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The file and the line of fields of objects. A field that is not in a manifest has the line of the nearest field around it that is.
 *
 * <p>An EndpointSlice that no manifest holds has the position of the Pod that the field names, or else of its Service.
 */
final class ObjectPositions {
    /** The field of a port or endpoint of a slice that completion has made: ports have the number and the order of no manifest. */
    private static final Pattern ENTRY = Pattern.compile("(ports|endpoints)\\[(\\d+)].*");

    private final ClusterSnapshot cluster;
    private final Function<ObjectRef, Optional<Position>> positions;
    private final Function<String, ManifestInput> inputs;
    private final Map<Position, Optional<ToIntFunction<String>>> lines = new HashMap<>();

    private ObjectPositions(
            ClusterSnapshot cluster,
            Function<ObjectRef, Optional<Position>> positions,
            Function<String, ManifestInput> inputs) {
        this.cluster = cluster;
        this.positions = positions;
        this.inputs = inputs;
    }

    /**
     * Returns the positions of the objects of manifests.
     *
     * @param inputs returns the input of the file of a position, to be read again
     */
    static ObjectPositions of(ManifestResult manifests, Function<String, ManifestInput> inputs) {
        return new ObjectPositions(manifests.snapshot(), manifests::position, inputs);
    }

    /** Returns no positions, for a live cluster. */
    static ObjectPositions none(ClusterSnapshot cluster) {
        return new ObjectPositions(cluster, any -> Optional.empty(), file -> ManifestInput.path(Path.of(file)));
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
        return source.object()
                .flatMap(object -> of(object, source.field())
                        .or(() -> cluster.get(object)
                                .filter(EndpointSlice.class::isInstance)
                                .flatMap(slice -> ofMadeSlice((EndpointSlice) slice, source.field()))));
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

    private Optional<Position> ofMadeSlice(EndpointSlice slice, String field) {
        Matcher entry = ENTRY.matcher(field);
        int index = entry.matches() ? Integer.parseInt(entry.group(2)) : -1;
        boolean isEndpoint = index >= 0 && entry.group(1).equals("endpoints");
        Optional<Position> pod =
                isEndpoint ? slice.endpoints().get(index).targetRef().flatMap(positions) : Optional.empty();
        String ofService = index < 0 || isEndpoint
                ? ""
                : fieldOfService(slice, slice.ports().get(index));
        return pod.or(() -> slice.serviceRef().flatMap(service -> of(service, ofService)));
    }

    /** Returns the port of a Service from which a port of its slice was made; "" if there is none. */
    private String fieldOfService(EndpointSlice slice, EndpointPort made) {
        return slice.serviceRef()
                .flatMap(cluster::get)
                .map(service -> ((Service) service)
                        .ports().stream()
                                .map(one -> one.key().equals(made.key()))
                                .toList()
                                .indexOf(true))
                .filter(index -> index >= 0)
                .map(index -> "spec.ports[" + index + "]")
                .orElse("");
    }

    /** Returns a position in parentheses, after a space; "" if it is unknown. */
    static String text(Optional<Position> position) {
        return position.map(place -> " (" + place + ")").orElse("");
    }
}
