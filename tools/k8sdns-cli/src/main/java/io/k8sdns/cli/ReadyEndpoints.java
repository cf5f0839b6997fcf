package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ObjectRef;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Knows which Services have a ready endpoint. Reads what a source delivers, and hands it on.
 *
 * <p>An endpoint is ready unless its slice says that it is not, as Kubernetes has it.
 */
final class ReadyEndpoints implements ClusterSource.Sink {
    private final ClusterSource.Sink next;

    /** The Service of each object that has a ready endpoint. */
    private final Map<ObjectRef, ServiceName> ready = new HashMap<>();

    private final Map<ServiceName, Set<ObjectRef>> services = new ConcurrentHashMap<>();

    private record ServiceName(String namespace, String name) {}

    /**
     * Reads on the way to another sink.
     *
     * @param next takes everything
     */
    ReadyEndpoints(ClusterSource.Sink next) {
        this.next = next;
    }

    /** Returns the sink behind this one. */
    ClusterSource.Sink next() {
        return next;
    }

    /** Returns whether a Service has a ready endpoint; from any thread. */
    boolean has(String namespace, String service) {
        return services.containsKey(new ServiceName(namespace, service));
    }

    @Override
    public void changed(List<ClusterChange> batch) {
        for (ClusterChange change : batch) {
            remove(change.ref());
            if (change instanceof ClusterChange.Put put && put.object() instanceof EndpointSlice slice) {
                serviceOf(slice).ifPresent(service -> add(slice.ref(), service));
            }
        }
        next.changed(batch);
    }

    private static Optional<ServiceName> serviceOf(EndpointSlice slice) {
        boolean isReady = slice.endpoints().stream()
                .anyMatch(endpoint ->
                        endpoint.ready().orElse(true) && !endpoint.addresses().isEmpty());
        return isReady ? slice.serviceName().map(name -> new ServiceName(slice.namespace(), name)) : Optional.empty();
    }

    private void add(ObjectRef ref, ServiceName service) {
        ready.put(ref, service);
        services.compute(service, (any, refs) -> {
            Set<ObjectRef> all = refs == null ? ConcurrentHashMap.newKeySet() : refs;
            all.add(ref);
            return all;
        });
    }

    private void remove(ObjectRef ref) {
        ServiceName service = ready.remove(ref);
        if (service != null) {
            services.computeIfPresent(service, (any, refs) -> {
                refs.remove(ref);
                return refs.isEmpty() ? null : refs;
            });
        }
    }

    @Override
    public void state(SyncState now) {
        next.state(now);
    }

    @Override
    public void diagnosed(Diagnostic diagnostic) {
        next.diagnosed(diagnostic);
    }
}
