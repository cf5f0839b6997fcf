package io.k8sdns.federation;

import io.k8sdns.model.Endpoint;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.name.DnsLabels;
import java.util.Collection;
import java.util.List;

/**
 * The addresses of one shard and one family for a client.
 *
 * @param distance the distance between the client and the shard
 * @param addresses the addresses
 * @param hostNames the host names of the load balancer, which must still be looked up
 */
record ShardAddresses(ShardDistance distance, List<IpAddress> addresses, List<DnsLabels> hostNames) {
    /**
     * Returns the addresses of a shard. A client in the same cluster receives the cluster IPs of the family. If there are none, it
     * receives the endpoints of a headless Service, and if there are none either, the same addresses as clients of other clusters.
     */
    static ShardAddresses of(ShardSelection shards, String cluster, Shard shard, IpFamily family) {
        if (shards.isOwn(cluster)) {
            List<IpAddress> clusterIps = ofFamily(shard.clusterAddresses(), family);
            ShardAddresses inside = clusterIps.isEmpty()
                    ? ofEndpoints(shard.endpoints(), family)
                    : new ShardAddresses(ShardDistance.OWN_CLUSTER, clusterIps, List.of());
            if (!inside.addresses.isEmpty()) {
                return inside;
            }
        }
        return new ShardAddresses(
                shards.distance(cluster), ofFamily(shard.externalAddresses(), family), shard.hostNames());
    }

    /** Returns the addresses of endpoints in the client's own cluster. */
    static ShardAddresses ofEndpoints(Collection<Endpoint> endpoints, IpFamily family) {
        return new ShardAddresses(
                ShardDistance.OWN_CLUSTER,
                ofFamily(
                        endpoints.stream()
                                .flatMap(endpoint -> endpoint.addresses().stream())
                                .toList(),
                        family),
                List.of());
    }

    private static List<IpAddress> ofFamily(List<IpAddress> addresses, IpFamily family) {
        return addresses.stream().filter(address -> address.family() == family).toList();
    }
}
