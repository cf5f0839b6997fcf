package io.k8sdns.federation;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.Internal;
import io.k8sdns.model.Node;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServiceExport;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Derives the shards of one cluster's Services, and the location of the cluster, from its Kubernetes objects. The result depends on
 * the present objects only, not on the order of changes. Not thread-safe.
 *
 * <pre>{@code
 * ClusterShards shards = new ClusterShards(FederatedServices.labelledFor("prod"));
 * shards.apply(batch);
 * shards.shard(ObjectRef.of(Service.KIND, "shop", "cart"));
 * }</pre>
 *
 * <p>A Service has a shard if it takes part in the federation, is not an ExternalName Service, and has a ready endpoint ({@link
 * #hasReadyEndpoint}). The external addresses are those of the load balancer. The endpoints of a headless shard are those that DNS
 * publishes in the cluster ({@link Service#publishes}).
 *
 * <p>The region is the most frequent region label of the Nodes, and among equally frequent ones the first by name. The zones are
 * those of the Nodes in that region.
 */
public final class ClusterShards {
    /**
     * The largest number of endpoints, and of ports, of a headless shard. Stores limit the size of a value, and a DNS response
     * holds fewer.
     */
    private static final int MAX_ITEMS = 1_000;

    private static final Comparator<Endpoint> BY_NAME_AND_ADDRESS = Comparator.<Endpoint, String>comparing(
                    endpoint -> endpoint.hostname().orElse(""))
            .thenComparing(endpoint -> endpoint.addresses().toString());

    private static final Comparator<ServicePort> BY_NAME_PROTOCOL_AND_NUMBER =
            Comparator.<ServicePort, String>comparing(port -> port.name().orElse(""))
                    .thenComparing(ServicePort::protocol)
                    .thenComparing(ServicePort::port);

    private final FederatedServices federated;
    private final Map<ObjectRef, Service> services = new HashMap<>();
    private final Map<ObjectRef, EndpointSlice> slices = new HashMap<>();

    /** The slices by their Services, which may be absent. */
    private final Map<ObjectRef, Set<ObjectRef>> slicesOf = new HashMap<>();

    private final Map<String, Node> nodes = new HashMap<>();

    /** The ServiceExports by the Services that they export, which may be absent. */
    private final Map<ObjectRef, ServiceExport> exports = new HashMap<>();

    /**
     * Creates the shards of a cluster without objects.
     *
     * @param federated selects the Services that take part
     */
    public ClusterShards(FederatedServices federated) {
        this.federated = Objects.requireNonNull(federated, "federated");
    }

    /**
     * Applies changes of the cluster's objects.
     *
     * @return the Services whose shard may have changed
     */
    public Set<ObjectRef> apply(List<ClusterChange> batch) {
        Set<ObjectRef> affected = new HashSet<>();
        for (ClusterChange change : batch) {
            if (change instanceof ClusterChange.Remove remove && isForEarlierObject(remove)) {
                continue;
            }
            Optional<ClusterObject> object = change.fold(put -> Optional.of(put.object()), remove -> Optional.empty());
            switch (change.ref().kind()) {
                case Service.KIND -> {
                    affected.add(change.ref());
                    replace(services, change.ref(), object.map(Service.class::cast));
                }
                case EndpointSlice.KIND -> {
                    remove(change.ref(), affected);
                    object.map(EndpointSlice.class::cast).ifPresent(slice -> add(slice, affected));
                }
                case Node.KIND -> replace(nodes, change.ref().name(), object.map(Node.class::cast));
                case ServiceExport.KIND -> {
                    ObjectRef service = exported(change.ref());
                    affected.add(service);
                    replace(exports, service, object.map(ServiceExport.class::cast));
                }
                default -> {}
            }
        }
        return affected;
    }

    /** Returns whether the removed object was already replaced by a new object with the same name and another UID. */
    private boolean isForEarlierObject(ClusterChange.Remove remove) {
        ClusterObject present = switch (remove.ref().kind()) {
            case Service.KIND -> services.get(remove.ref());
            case EndpointSlice.KIND -> slices.get(remove.ref());
            case Node.KIND -> nodes.get(remove.ref().name());
            case ServiceExport.KIND -> exports.get(exported(remove.ref()));
            default -> null;
        };
        return present != null && !remove.isFor(present.uid());
    }

    private static ObjectRef exported(ObjectRef export) {
        return ObjectRef.of(Service.KIND, export.namespace().orElseThrow(), export.name());
    }

    private static <K, V> void replace(Map<K, V> map, K key, Optional<V> value) {
        if (value.isPresent()) {
            map.put(key, value.get());
        } else {
            map.remove(key);
        }
    }

    private void remove(ObjectRef ref, Set<ObjectRef> affected) {
        EndpointSlice before = slices.remove(ref);
        if (before == null) {
            return;
        }
        before.serviceRef().ifPresent(service -> {
            affected.add(service);
            slicesOf.computeIfPresent(service, (any, refs) -> {
                refs.remove(ref);
                return refs.isEmpty() ? null : refs;
            });
        });
    }

    private void add(EndpointSlice slice, Set<ObjectRef> affected) {
        slices.put(slice.ref(), slice);
        slice.serviceRef().ifPresent(service -> {
            affected.add(service);
            slicesOf.computeIfAbsent(service, any -> new HashSet<>()).add(slice.ref());
        });
    }

    /** Returns the shard of a Service; empty if it has none. */
    public Optional<Shard> shard(ObjectRef service) {
        return Optional.ofNullable(services.get(service))
                .filter(one -> federated.includes(one) || federated.includesExported() && exports.containsKey(service))
                .flatMap(one -> shard(
                        one,
                        slicesOf.getOrDefault(service, Set.of()).stream()
                                .map(slices::get)
                                .toList()));
    }

    /** Returns the shards of all Services. */
    public Map<ObjectRef, Shard> shards() {
        Map<ObjectRef, Shard> all = new HashMap<>();
        services.keySet().forEach(ref -> shard(ref).ifPresent(shard -> all.put(ref, shard)));
        return all;
    }

    private static Optional<Shard> shard(Service service, Collection<EndpointSlice> slices) {
        return slices.stream().anyMatch(ClusterShards::hasReadyEndpoint)
                ? service.fold(
                        clusterIp -> Optional.of(shard(clusterIp)),
                        headless -> Optional.of(shard(headless, slices)),
                        externalName -> Optional.empty())
                : Optional.empty();
    }

    /**
     * Returns whether a slice has a {@linkplain Endpoint#isReady ready} endpoint, so that its Service in this cluster can serve
     * clients of the federation.
     *
     * <p>Only the condition counts, not {@code publishNotReadyAddresses}, which is for Pods that must find each other before they
     * are ready. Kubernetes' own controller sets the condition on all endpoints of such a Service, so the two differ only in
     * slices of other origin.
     *
     * <p>Source: {@code docs/federation.md}, "The controller": a key exists if the Service has a ready endpoint.
     */
    @Internal
    public static boolean hasReadyEndpoint(EndpointSlice slice) {
        Objects.requireNonNull(slice, "slice");
        return slice.endpoints().stream().anyMatch(Endpoint::isReady);
    }

    private static Shard shard(ClusterIpService service) {
        return Shard.builder()
                .clusterAddresses(service.clusterIps())
                .externalAddresses(service.loadBalancer().addresses())
                .hostNames(service.loadBalancer().hostNames().stream()
                        .map(DnsLabels::parseHostName)
                        .toList())
                .ports(ports(service))
                .build();
    }

    private static Shard shard(HeadlessService service, Collection<EndpointSlice> slices) {
        return Shard.builder()
                .ports(slices.stream()
                        .filter(slice -> slice.endpoints().stream().anyMatch(service::publishes))
                        .flatMap(slice -> slice.ports().stream())
                        .flatMap(port ->
                                port.port().stream().mapToObj(number -> port(port.name(), port.protocol(), number)))
                        .distinct()
                        .sorted(BY_NAME_PROTOCOL_AND_NUMBER)
                        .limit(MAX_ITEMS)
                        .toList())
                .endpoints(slices.stream()
                        .flatMap(slice -> slice.endpoints().stream())
                        .filter(service::publishes)
                        .map(ClusterShards::addressesAndName)
                        .distinct()
                        .sorted(BY_NAME_AND_ADDRESS)
                        .limit(MAX_ITEMS)
                        .toList())
                .build();
    }

    /** Returns the ports without their target ports, which have no meaning outside the cluster. */
    private static List<ServicePort> ports(Service service) {
        return service.ports().stream()
                .map(port -> port(port.name(), port.protocol(), port.port()))
                .toList();
    }

    private static ServicePort port(Optional<String> name, Protocol protocol, int number) {
        return name.isPresent() ? ServicePort.of(name.get(), protocol, number) : ServicePort.unnamed(protocol, number);
    }

    private static Endpoint addressesAndName(Endpoint endpoint) {
        Endpoint.Builder plain = Endpoint.builder(endpoint.addresses());
        endpoint.hostname().ifPresent(plain::hostname);
        return plain.build();
    }

    /** Returns the location of the cluster; {@link ClusterLocation#UNKNOWN} if no Node has a region label. */
    public ClusterLocation location() {
        Map<String, Integer> nodesByRegion = new TreeMap<>();
        nodes.values().forEach(node -> region(node).ifPresent(region -> nodesByRegion.merge(region, 1, Integer::sum)));
        // The sort is stable: among regions with equally many Nodes, the first by name is taken.
        Optional<String> region = nodesByRegion.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                .map(Map.Entry::getKey)
                .findFirst();
        Set<String> zones = new TreeSet<>();
        nodes.values().stream()
                .filter(node -> region(node).equals(region))
                .forEach(node ->
                        node.topologyZone().filter(ClusterShards::isUsable).ifPresent(zones::add));
        return region.map(name -> ClusterLocation.UNKNOWN.withRegion(name).withZones(zones))
                .orElse(ClusterLocation.UNKNOWN);
    }

    private static Optional<String> region(Node node) {
        return node.labels()
                .get("topology.kubernetes.io/region")
                .or(() -> node.labels().get("failure-domain.beta.kubernetes.io/region"))
                .filter(ClusterShards::isUsable);
    }

    /** Returns whether the value is not empty. Kubernetes allows labels with empty values. */
    private static boolean isUsable(String value) {
        return !value.isEmpty();
    }
}
