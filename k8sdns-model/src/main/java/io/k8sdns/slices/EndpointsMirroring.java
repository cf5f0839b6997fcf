package io.k8sdns.slices;

import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.Internal;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Service;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Decides which legacy Endpoints the EndpointSlice mirroring controller copies to EndpointSlices.
 *
 * <p>Source: {@code pkg/controller/endpointslicemirroring} of Kubernetes. Endpoints of a Service with a selector are not copied: the
 * endpoints controller overwrites them with the Pods.
 */
@Internal
public final class EndpointsMirroring {
    private static final String CONTROLLER = "endpointslicemirroring-controller";

    private EndpointsMirroring() {}

    /**
     * Why Endpoints are not copied.
     *
     * @param code the code of the note
     * @param text a clause about the Endpoints
     */
    public record Obstacle(String code, String text) {}

    /**
     * Returns why Endpoints are not copied; empty if they are.
     *
     * @param service the Service of their name, if there is one
     */
    public static Optional<Obstacle> obstacle(Endpoints endpoints, Optional<Service> service) {
        Objects.requireNonNull(endpoints, "endpoints");
        Objects.requireNonNull(service, "service");
        if (service.isEmpty()) {
            return obstacle("orphan-endpoints", "there is no Service of that name");
        }
        if (service.get() instanceof ExternalNameService) {
            return obstacle("external-name-endpoints", "its Service is an external name");
        }
        if (EndpointSliceRules.selection(service.get()).selector().isPresent()) {
            return obstacle(
                    "overwritten-endpoints",
                    "its Service has a selector, so that a controller replaces its addresses with those of the Pods");
        }
        if (endpoints.metadata().labels().get(Endpoints.SKIP_MIRROR_LABEL).equals(Optional.of("true"))) {
            return obstacle(
                    "unmirrored-endpoints",
                    "its label " + Endpoints.SKIP_MIRROR_LABEL + " is true, so that it gets no EndpointSlice");
        }
        return endpoints.leaderLock()
                ? obstacle(
                        "unmirrored-endpoints",
                        "it has the annotation " + Endpoints.LEADER_ANNOTATION + ", so that it gets no EndpointSlice")
                : Optional.empty();
    }

    private static Optional<Obstacle> obstacle(String code, String text) {
        return Optional.of(new Obstacle(code, text));
    }

    /** Returns whether a slice is a copy of Endpoints. */
    public static boolean isCopy(EndpointSlice slice) {
        return slice.metadata().labels().get(EndpointSlice.MANAGED_BY_LABEL).equals(Optional.of(CONTROLLER));
    }

    /** Returns the slice with the label of a copy. */
    static EndpointSlice asCopy(EndpointSlice slice) {
        Map<String, String> labels = new HashMap<>(slice.metadata().labels().values());
        labels.put(EndpointSlice.MANAGED_BY_LABEL, CONTROLLER);
        return slice.toBuilder()
                .metadata(slice.metadata().withLabels(new Labels(labels)))
                .build();
    }
}
