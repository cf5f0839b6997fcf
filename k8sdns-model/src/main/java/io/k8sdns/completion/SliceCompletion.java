package io.k8sdns.completion;

import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.Node;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Service;
import io.k8sdns.slices.EndpointSliceRules;
import io.k8sdns.slices.EndpointsMirroring;
import io.k8sdns.slices.PodIndex;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Adds the EndpointSlices of Services, as the EndpointSlice controllers do: those of legacy Endpoints, otherwise those of the Pods for a
 * Service that has none.
 */
final class SliceCompletion {
    private final CompletionState state;

    SliceCompletion(CompletionState state) {
        this.state = state;
    }

    /** Adds the slices; returns the Endpoints of which none were made. */
    List<Endpoints> addSlices(PodIndex pods) {
        Map<ObjectRef, List<EndpointSlice>> given = slicesOfServices();
        Map<String, Node> nodes = new HashMap<>();
        state.all(Node.class).forEach(node -> nodes.put(node.name(), node));
        Map<ObjectRef, Endpoints> unused = new LinkedHashMap<>(state.endpoints());
        for (Service service : state.all(Service.class)) {
            List<EndpointSlice> slices = given.getOrDefault(service.ref(), List.of());
            ObjectRef legacy = ObjectRef.of(Endpoints.KIND, service.namespace(), service.name());
            Optional<Endpoints> used = Optional.ofNullable(state.endpoints().get(legacy))
                    .filter(endpoints -> isUsed(endpoints, service, slices, pods));
            if (used.isPresent()) {
                unused.remove(legacy);
                EndpointSliceRules.of(used.get()).forEach(this::addSlice);
            } else if (slices.isEmpty()) {
                EndpointSliceRules.of(service, pods.selectedBy(service), nodes).forEach(this::addSlice);
            }
        }
        return List.copyOf(unused.values());
    }

    /**
     * Returns whether slices are made of Endpoints. The controllers of a cluster keep Endpoints and slices equal: those of a cluster are
     * not copied again, and stand for slices and Pods that were not exported with them.
     */
    private boolean isUsed(Endpoints endpoints, Service service, List<EndpointSlice> slices, PodIndex pods) {
        if (EndpointsMirroring.obstacle(endpoints, Optional.of(service)).isEmpty()) {
            return slices.stream().noneMatch(EndpointsMirroring::isCopy);
        }
        return endpoints.metadata().uid().isPresent()
                && !(service instanceof ExternalNameService)
                && slices.isEmpty()
                && pods.selectedBy(service).stream()
                        .allMatch(pod -> state.maker(pod).isPresent());
    }

    /** Adds a derived slice; if the manifests hold a slice of that name, with a longer name. */
    private void addSlice(EndpointSlice slice) {
        if (!state.add(slice)) {
            addSlice(slice.toBuilder()
                    .metadata(slice.metadata().withName(slice.name() + "-derived"))
                    .build());
        }
    }

    private Map<ObjectRef, List<EndpointSlice>> slicesOfServices() {
        Map<ObjectRef, List<EndpointSlice>> slices = new HashMap<>();
        for (EndpointSlice slice : state.all(EndpointSlice.class)) {
            slice.serviceRef()
                    .ifPresent(service -> slices.computeIfAbsent(service, any -> new ArrayList<>())
                            .add(slice));
        }
        return slices;
    }
}
