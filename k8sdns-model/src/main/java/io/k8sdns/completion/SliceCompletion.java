package io.k8sdns.completion;

import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.Node;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Service;
import io.k8sdns.slices.EndpointSliceRules;
import io.k8sdns.slices.PodIndex;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Adds the EndpointSlices of Services that have none, as the EndpointSlice controllers do. */
final class SliceCompletion {
    private final CompletionState state;

    SliceCompletion(CompletionState state) {
        this.state = state;
    }

    void addSlices(PodIndex pods) {
        Set<ObjectRef> withSlices = servicesWithSlices();
        Map<String, Node> nodes = new HashMap<>();
        state.all(Node.class).forEach(node -> nodes.put(node.name(), node));
        for (Service service : state.all(Service.class)) {
            if (service instanceof ExternalNameService || withSlices.contains(service.ref())) {
                continue;
            }
            Optional<Endpoints> legacy = legacyEndpoints(service);
            List<EndpointSlice> slices = legacy.isPresent()
                    ? EndpointSliceRules.of(legacy.get())
                    : EndpointSliceRules.of(service, pods.selectedBy(service), nodes);
            for (EndpointSlice slice : slices) {
                addSlice(slice);
            }
        }
    }

    private Optional<Endpoints> legacyEndpoints(Service service) {
        return Optional.ofNullable(
                state.endpoints().get(ObjectRef.of(Endpoints.KIND, service.namespace(), service.name())));
    }

    /** Adds a derived slice; if the manifests hold a slice of that name, with a longer name. */
    private void addSlice(EndpointSlice slice) {
        if (!state.add(slice)) {
            addSlice(slice.toBuilder()
                    .metadata(slice.metadata().withName(slice.name() + "-derived"))
                    .build());
        }
    }

    private Set<ObjectRef> servicesWithSlices() {
        Set<ObjectRef> services = new HashSet<>();
        for (EndpointSlice slice : state.all(EndpointSlice.class)) {
            slice.serviceRef().ifPresent(services::add);
        }
        return services;
    }
}
