package io.k8sdns.federation;

import io.k8sdns.federation.FederatedName.Area;
import io.k8sdns.federation.FederationKey.ServiceKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A snapshot of a federation store: the shards and the registry of clusters. Depends on the present keys and values only, not on
 * the order of changes. Immutable: a {@link Builder} creates the next snapshot and copies only the changed Services.
 */
final class FederationContent {
    static final FederationContent EMPTY = new FederationContent(Map.of(), Map.of(), Map.of(), Map.of());

    /** The shards of each Service, sorted by the names of their clusters. */
    private final Map<ServiceKey, Map<String, Shard>> services;

    /** The number of shards of each federation, namespace, cluster and area. */
    private final Map<ShardGroup, Integer> shardCounts;

    private final Map<String, ClusterLocation> storedRegistry;
    private final Map<String, ClusterLocation> givenRegistry;

    /** Both registries. Stored locations take precedence. */
    private final Map<String, ClusterLocation> registry;

    private final Set<Area> registeredAreas;

    private FederationContent(
            Map<ServiceKey, Map<String, Shard>> services,
            Map<ShardGroup, Integer> shardCounts,
            Map<String, ClusterLocation> storedRegistry,
            Map<String, ClusterLocation> givenRegistry) {
        this.services = services;
        this.shardCounts = shardCounts;
        this.storedRegistry = storedRegistry;
        this.givenRegistry = givenRegistry;
        this.registry = new HashMap<>(storedRegistry);
        // A stored cluster without a location exists, but the given registry can have its location.
        givenRegistry.forEach((cluster, given) -> registry.merge(
                cluster, given, (stored, other) -> stored.equals(ClusterLocation.UNKNOWN) ? other : stored));
        this.registeredAreas = new HashSet<>();
        this.registry.values().forEach(location -> registeredAreas.addAll(areas(location)));
    }

    /** A group of shards. It exists while it has a shard. */
    private sealed interface ShardGroup {
        record OfFederation(String federation) implements ShardGroup {}

        record OfNamespace(String federation, String namespace) implements ShardGroup {}

        record OfCluster(String cluster) implements ShardGroup {}

        record OfArea(Area area) implements ShardGroup {}
    }

    /** Returns the region and the zones of a location. */
    private static List<Area> areas(ClusterLocation location) {
        List<Area> areas = new ArrayList<>();
        location.region().ifPresent(region -> {
            areas.add(new Area(region, null));
            location.zones().forEach(zone -> areas.add(new Area(region, zone)));
        });
        return areas;
    }

    // ---- lookups ----

    /** Returns whether there are no shards. */
    boolean isEmpty() {
        return services.isEmpty();
    }

    /** Returns whether a federation has a shard. */
    boolean hasFederation(String federation) {
        return shardCounts.containsKey(new ShardGroup.OfFederation(federation));
    }

    /** Returns whether a namespace of a federation has a shard. */
    boolean hasNamespace(String federation, String namespace) {
        return shardCounts.containsKey(new ShardGroup.OfNamespace(federation, namespace));
    }

    /** Returns whether a cluster is registered or has a shard. */
    boolean hasCluster(String cluster) {
        return registry.containsKey(cluster) || shardCounts.containsKey(new ShardGroup.OfCluster(cluster));
    }

    /** Returns whether an area is in the registry or in the location of a shard. */
    boolean hasArea(Area area) {
        return registeredAreas.contains(area) || shardCounts.containsKey(new ShardGroup.OfArea(area));
    }

    /** Returns the shards of a Service, sorted by the names of their clusters; none if the Service does not exist. */
    Map<String, Shard> shards(ServiceKey service) {
        return services.getOrDefault(service, Map.of());
    }

    /** Returns the location of a cluster: from the registry, otherwise from its shard, otherwise unknown. */
    ClusterLocation location(String cluster, Optional<Shard> shard) {
        ClusterLocation registered = registry.get(cluster);
        return registered != null && !registered.equals(ClusterLocation.UNKNOWN)
                ? registered
                : shard.map(Shard::location).orElse(ClusterLocation.UNKNOWN);
    }

    // ---- changes ----

    /** Returns a builder with this content. */
    Builder toBuilder() {
        return new Builder(this);
    }

    /** Returns a copy with another given registry. */
    FederationContent withGivenRegistry(Map<String, ClusterLocation> given) {
        return new FederationContent(services, shardCounts, storedRegistry, given);
    }

    /** Returns a copy with only the given registry, for a store that is read again. */
    FederationContent givenOnly() {
        return new FederationContent(Map.of(), Map.of(), Map.of(), givenRegistry);
    }

    /** Applies a batch of changes. Not thread-safe. */
    static final class Builder {
        private final Map<ServiceKey, Map<String, Shard>> services;
        private final Map<ShardGroup, Integer> shardCounts;
        private final Map<String, ClusterLocation> registry;
        private final Map<String, ClusterLocation> givenRegistry;

        /** The Services whose shards have been copied. */
        private final Set<ServiceKey> copied = new HashSet<>();

        private Builder(FederationContent from) {
            services = new HashMap<>(from.services);
            shardCounts = new HashMap<>(from.shardCounts);
            registry = new HashMap<>(from.storedRegistry);
            givenRegistry = from.givenRegistry;
        }

        /** Sets a shard. */
        void put(FederationKey.OfShard key, Shard shard) {
            count(key, Optional.ofNullable(shards(key.service()).put(key.cluster(), shard)), -1);
            count(key, Optional.of(shard), 1);
        }

        /** Removes a shard if present. */
        void remove(FederationKey.OfShard key) {
            if (services.containsKey(key.service())) {
                Map<String, Shard> shards = shards(key.service());
                count(key, Optional.ofNullable(shards.remove(key.cluster())), -1);
                if (shards.isEmpty()) {
                    services.remove(key.service());
                    copied.remove(key.service());
                }
            }
        }

        /** Registers a cluster. */
        void put(FederationKey.OfCluster key, ClusterLocation location) {
            registry.put(key.cluster(), location);
        }

        /** Removes a cluster from the registry if present. */
        void remove(FederationKey.OfCluster key) {
            registry.remove(key.cluster());
        }

        private Map<String, Shard> shards(ServiceKey service) {
            Map<String, Shard> present = services.getOrDefault(service, Map.of());
            if (!copied.add(service)) {
                return present;
            }
            Map<String, Shard> copy = new TreeMap<>(present);
            services.put(service, copy);
            return copy;
        }

        /** Adds to the number of shards of each group of a shard; does nothing without a shard. */
        private void count(FederationKey.OfShard key, Optional<Shard> shard, int more) {
            if (shard.isEmpty()) {
                return;
            }
            ServiceKey service = key.service();
            add(new ShardGroup.OfFederation(service.federation()), more);
            add(new ShardGroup.OfNamespace(service.federation(), service.namespace()), more);
            add(new ShardGroup.OfCluster(key.cluster()), more);
            areas(shard.get().location()).forEach(area -> add(new ShardGroup.OfArea(area), more));
        }

        private void add(ShardGroup group, int more) {
            int now = shardCounts.getOrDefault(group, 0) + more;
            if (now == 0) {
                shardCounts.remove(group);
            } else {
                shardCounts.put(group, now);
            }
        }

        /** Returns the new content. The builder must not be used afterwards. */
        FederationContent build() {
            return new FederationContent(services, shardCounts, registry, givenRegistry);
        }
    }
}
