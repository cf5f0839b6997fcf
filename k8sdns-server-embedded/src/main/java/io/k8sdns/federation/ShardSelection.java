package io.k8sdns.federation;

import io.k8sdns.federation.FederatedName.Area;
import io.k8sdns.federation.FederationKey.ServiceKey;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The shards of one Service, for the clients of one cluster: which are in an area, and how distant each is. */
final class ShardSelection {
    private final FederationContent content;
    private final ServiceKey service;
    private final Optional<String> source;
    private final Map<String, Shard> all;
    private final ClusterLocation from;

    /**
     * Selects from the shards of a Service.
     *
     * @param source the cluster of the clients; empty for clients of an unknown cluster
     */
    ShardSelection(FederationContent content, ServiceKey service, Optional<String> source) {
        this.content = content;
        this.service = service;
        this.source = source;
        this.all = content.shards(service);
        this.from = source.map(this::location).orElse(ClusterLocation.UNKNOWN);
    }

    ServiceKey service() {
        return service;
    }

    /** Returns all shards, by their clusters. */
    Map<String, Shard> all() {
        return all;
    }

    /** Returns the shards in an area, by their clusters; all shards if there is no area. */
    Map<String, Shard> in(Optional<Area> area) {
        if (area.isEmpty()) {
            return all;
        }
        Map<String, Shard> members = new LinkedHashMap<>();
        all.forEach((cluster, shard) -> {
            if (area.get().contains(location(cluster))) {
                members.put(cluster, shard);
            }
        });
        return members;
    }

    /** Returns whether a cluster is that of the clients. */
    boolean isOwn(String cluster) {
        return source.filter(cluster::equals).isPresent();
    }

    ShardDistance distance(String cluster) {
        if (isOwn(cluster)) {
            return ShardDistance.OWN_CLUSTER;
        }
        ClusterLocation to = location(cluster);
        if (from.sharesZoneWith(to)) {
            return ShardDistance.SAME_ZONE;
        }
        return from.sharesRegionWith(to) ? ShardDistance.SAME_REGION : ShardDistance.OTHER_REGION;
    }

    private ClusterLocation location(String cluster) {
        return content.location(cluster, Optional.ofNullable(all.get(cluster)));
    }
}
