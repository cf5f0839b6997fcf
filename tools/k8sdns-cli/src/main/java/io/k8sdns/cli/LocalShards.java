package io.k8sdns.cli;

import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.federation.ClusterShards;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Node;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.name.DnsLabels;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Finds the Services of this cluster that have a ready endpoint, and the zone and region of the cluster. Reads the objects of a
 * source and passes them to another sink.
 *
 * <p>An endpoint is ready by the same rule as for the shards of the federation ({@link ClusterShards#hasReadyEndpoint}). Zone and
 * region are the labels of the first Node, by name, that has both. For sources without Nodes, use {@link #locate}.
 */
final class LocalShards implements ClusterSource.Sink {
    private final ClusterSource.Sink next;

    /** The Services of the slices with a ready endpoint. */
    private final Map<ObjectRef, ServiceName> ready = new HashMap<>();

    private final Map<ServiceName, Set<ObjectRef>> services = new ConcurrentHashMap<>();

    private final NavigableMap<String, DnsLabels> nodes = new TreeMap<>();
    private volatile Optional<DnsLabels> topology = Optional.empty();

    private record ServiceName(String namespace, String name) {}

    /**
     * Creates a sink in front of another one.
     *
     * @param next receives all objects
     */
    LocalShards(ClusterSource.Sink next) {
        this.next = next;
    }

    /** Returns whether a Service has a ready endpoint. Thread-safe. */
    boolean hasReadyEndpoint(String namespace, String service) {
        return services.containsKey(new ServiceName(namespace, service));
    }

    /** Returns the labels {@code ZONE.REGION} of this cluster; empty while no Node with both is known. Thread-safe. */
    Optional<DnsLabels> topology() {
        return topology;
    }

    @Override
    public void changed(List<ClusterChange> batch) {
        for (ClusterChange change : batch) {
            remove(change.ref());
            if (change instanceof ClusterChange.Put put && put.object() instanceof EndpointSlice slice) {
                serviceOf(slice).ifPresent(service -> add(slice.ref(), service));
            } else if (change.ref().kind().equals(Node.KIND)) {
                changedNode(change);
            }
        }
        next.changed(batch);
    }

    /** Sets the labels {@code ZONE.REGION} of this cluster, for sources without Nodes. Thread-safe. */
    void locate(Optional<DnsLabels> location) {
        topology = location;
    }

    private void changedNode(ClusterChange change) {
        nodes.remove(change.ref().name());
        if (change instanceof ClusterChange.Put put && put.object() instanceof Node node) {
            topology(node.labels()::get).ifPresent(location -> nodes.put(node.name(), location));
        }
        topology = Optional.ofNullable(nodes.firstEntry()).map(Map.Entry::getValue);
    }

    /**
     * Returns the labels {@code ZONE.REGION} of a Node that has both as DNS labels; otherwise empty.
     *
     * @param labels returns the value of a label of the Node
     */
    static Optional<DnsLabels> topology(Function<String, Optional<String>> labels) {
        return topologyLabel(labels, "zone")
                .flatMap(zone -> topologyLabel(labels, "region").map(region -> DnsLabels.of(zone, region)));
    }

    private static Optional<String> topologyLabel(Function<String, Optional<String>> labels, String which) {
        return labels.apply("topology.kubernetes.io/" + which)
                .or(() -> labels.apply("failure-domain.beta.kubernetes.io/" + which))
                .filter(KubernetesNames::isDnsLabel);
    }

    private static Optional<ServiceName> serviceOf(EndpointSlice slice) {
        return slice.serviceName()
                .filter(any -> ClusterShards.hasReadyEndpoint(slice))
                .map(name -> new ServiceName(slice.namespace(), name));
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
    public void stateChanged(SyncState now) {
        next.stateChanged(now);
    }

    @Override
    public void diagnosed(Diagnostic diagnostic) {
        next.diagnosed(diagnostic);
    }
}
