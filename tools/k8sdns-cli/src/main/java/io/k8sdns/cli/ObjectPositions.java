package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.explain.Explanation.Source;
import io.k8sdns.manifest.ManifestResult;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Position;
import io.k8sdns.model.Service;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The file and the line of objects.
 *
 * <p>An EndpointSlice that no manifest holds has the position of the Pod that the field names, or else of its Service.
 */
final class ObjectPositions {
    private final ClusterSnapshot cluster;
    private final Function<ObjectRef, Optional<Position>> positions;

    private ObjectPositions(ClusterSnapshot cluster, Function<ObjectRef, Optional<Position>> positions) {
        this.cluster = cluster;
        this.positions = positions;
    }

    /** Returns the positions of the objects of manifests. */
    static ObjectPositions of(ManifestResult manifests) {
        return new ObjectPositions(manifests.snapshot(), manifests::position);
    }

    /** Returns no positions, for a live cluster. */
    static ObjectPositions none(ClusterSnapshot cluster) {
        return new ObjectPositions(cluster, any -> Optional.empty());
    }

    /** Returns the position of an object if known, otherwise empty. */
    Optional<Position> of(Optional<ObjectRef> object) {
        return object.flatMap(positions);
    }

    /** Returns the position of the object that makes a record if known, otherwise empty. */
    Optional<Position> of(Source source) {
        return of(source.object())
                .or(() -> source.object()
                        .flatMap(cluster::get)
                        .filter(EndpointSlice.class::isInstance)
                        .map(EndpointSlice.class::cast)
                        .flatMap(slice -> origins(slice, source.field())
                                .flatMap(origin -> positions.apply(origin).stream())
                                .findFirst()));
    }

    private static Stream<ObjectRef> origins(EndpointSlice slice, String field) {
        Stream<ObjectRef> pods = slice.endpoints().stream()
                .map(Endpoint::targetRef)
                .flatMap(Optional::stream)
                .filter(pod -> field.endsWith(" of " + pod));
        return Stream.concat(
                pods, slice.serviceName().map(name -> ObjectRef.of(Service.KIND, slice.namespace(), name)).stream());
    }

    /** Returns a position in parentheses, after a space; "" if it is unknown. */
    static String text(Optional<Position> position) {
        return position.map(place -> " (" + place + ")").orElse("");
    }
}
