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
 * Everything that a federation zone answers from at one moment: the shards and the registry of clusters. Immutable; an {@link Edit}
 * makes the next one, and copies what it changes only. It depends on the present keys and values alone, never on the order in which
 * they arrived.
 */
final class FederationContent {
    static final FederationContent EMPTY = new FederationContent(Map.of(), Map.of(), Map.of(), Map.of());

    /** The shards of each Service by their clusters, in the order of the clusters' names. */
    private final Map<ServiceKey, Map<String, Shard>> services;

    /** How many shards are the reason that something exists. */
    private final Map<Fact, Integer> facts;

    private final Map<String, ClusterLocation> storedRegistry;
    private final Map<String, ClusterLocation> givenRegistry;

    /** The stored registry over the given one. */
    private final Map<String, ClusterLocation> registry;

    private final Set<Area> registeredAreas;

    private FederationContent(
            Map<ServiceKey, Map<String, Shard>> services,
            Map<Fact, Integer> facts,
            Map<String, ClusterLocation> storedRegistry,
            Map<String, ClusterLocation> givenRegistry) {
        this.services = services;
        this.facts = facts;
        this.storedRegistry = storedRegistry;
        this.givenRegistry = givenRegistry;
        this.registry = new HashMap<>(storedRegistry);
        // A key of the store without region and zones says that there is such a cluster, and no more.
        givenRegistry.forEach((cluster, given) -> registry.merge(
                cluster, given, (stored, other) -> stored.equals(ClusterLocation.UNKNOWN) ? other : stored));
        this.registeredAreas = new HashSet<>();
        this.registry.values().forEach(location -> registeredAreas.addAll(areas(location)));
    }

    /** Something that exists because shards do. */
    private sealed interface Fact {
        record OfFederation(String federation) implements Fact {}

        record OfNamespace(String federation, String namespace) implements Fact {}

        record OfCluster(String cluster) implements Fact {}

        record OfArea(Area area) implements Fact {}
    }

    /** Returns the areas that a location is in. */
    private static List<Area> areas(ClusterLocation location) {
        List<Area> areas = new ArrayList<>();
        location.region().ifPresent(region -> {
            areas.add(new Area(region, null));
            location.zones().forEach(zone -> areas.add(new Area(region, zone)));
        });
        return areas;
    }

    // ---- what exists ----

    /** Returns whether there is no shard. */
    boolean isEmpty() {
        return services.isEmpty();
    }

    /** Returns whether a federation has a shard. */
    boolean hasFederation(String federation) {
        return facts.containsKey(new Fact.OfFederation(federation));
    }

    /** Returns whether a namespace of a federation has a shard. */
    boolean hasNamespace(String federation, String namespace) {
        return facts.containsKey(new Fact.OfNamespace(federation, namespace));
    }

    /** Returns whether the registry or a shard names a cluster. */
    boolean hasCluster(String cluster) {
        return registry.containsKey(cluster) || facts.containsKey(new Fact.OfCluster(cluster));
    }

    /** Returns whether the registry or a shard names an area. */
    boolean hasArea(Area area) {
        return registeredAreas.contains(area) || facts.containsKey(new Fact.OfArea(area));
    }

    /** Returns the shards of a Service by their clusters, in the order of the clusters' names; none if it does not exist. */
    Map<String, Shard> shards(ServiceKey service) {
        return services.getOrDefault(service, Map.of());
    }

    /** Returns where a cluster is: as the registry has it, otherwise as its shard has it. */
    ClusterLocation location(String cluster, Optional<Shard> shard) {
        ClusterLocation registered = registry.get(cluster);
        return registered != null && !registered.equals(ClusterLocation.UNKNOWN)
                ? registered
                : shard.map(Shard::location).orElse(ClusterLocation.UNKNOWN);
    }

    // ---- changes ----

    /** Returns an edit that begins with this content. */
    Edit edit() {
        return new Edit(this);
    }

    /** Returns the same content with another given registry. */
    FederationContent withGivenRegistry(Map<String, ClusterLocation> given) {
        return new FederationContent(services, facts, storedRegistry, given);
    }

    /** Returns this registry without shards and stored clusters. */
    FederationContent givenOnly() {
        return new FederationContent(Map.of(), Map.of(), Map.of(), givenRegistry);
    }

    /** A batch of changes. Not thread-safe. */
    static final class Edit {
        private final Map<ServiceKey, Map<String, Shard>> services;
        private final Map<Fact, Integer> facts;
        private final Map<String, ClusterLocation> registry;
        private final Map<String, ClusterLocation> givenRegistry;

        /** The Services whose shards have been copied. */
        private final Set<ServiceKey> own = new HashSet<>();

        private Edit(FederationContent from) {
            services = new HashMap<>(from.services);
            facts = new HashMap<>(from.facts);
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
                    own.remove(key.service());
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
            if (!own.add(service)) {
                return present;
            }
            Map<String, Shard> copy = new TreeMap<>(present);
            services.put(service, copy);
            return copy;
        }

        /** Adds to the number of shards that are the reason for each fact of a shard, if there is a shard. */
        private void count(FederationKey.OfShard key, Optional<Shard> some, int more) {
            if (some.isEmpty()) {
                return;
            }
            ServiceKey service = key.service();
            add(new Fact.OfFederation(service.federation()), more);
            add(new Fact.OfNamespace(service.federation(), service.namespace()), more);
            add(new Fact.OfCluster(key.cluster()), more);
            areas(some.get().location()).forEach(area -> add(new Fact.OfArea(area), more));
        }

        private void add(Fact fact, int more) {
            int now = facts.getOrDefault(fact, 0) + more;
            if (now == 0) {
                facts.remove(fact);
            } else {
                facts.put(fact, now);
            }
        }

        /** Returns the content with the changes. The edit is not used afterwards. */
        FederationContent done() {
            return new FederationContent(services, facts, registry, givenRegistry);
        }
    }
}
