package io.k8sdns.cli;

import io.k8sdns.clientjava.ApiClusterSource;
import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.PodsMode;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneFeed;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import picocli.CommandLine.ParameterException;

/**
 * Watches the API server for the names of the cluster, in a node cache. Loads the Kubernetes client, so this class is used only with
 * {@code --live}, {@code --kubeconfig} or {@code --in-cluster}.
 */
final class NodeCacheCluster implements WatchedNames {
    private final ClusterZone zone;
    private final ZoneFeed feed;
    private final ClusterSource source;

    /**
     * Finds the API server. The watch begins with {@link #start}.
     *
     * @param domain the cluster domain
     * @param nameServers the addresses of the zone's name server
     * @throws ParameterException if the options do not lead to a cluster
     * @throws IOException if a file cannot be read
     */
    NodeCacheCluster(LiveOptions live, DnsLabels domain, List<IpAddress> nameServers, ClusterObserver observer)
            throws IOException {
        ZoneSettings settings = ZoneSettings.builder()
                .zones(List.of(domain))
                .pods(PodsMode.VERIFIED)
                .nameServerAddresses(nameServers)
                .build();
        zone = ClusterZone.empty(new RecordRules(settings), Visibility.ALL);
        feed = ZoneFeed.builder(zone, InstantSource.system()).observer(observer).build();
        source = ApiClusterSource.builder(LiveCluster.connector(live))
                .pods()
                .observer(observer)
                .build();
    }

    @Override
    public ClusterZone zone() {
        return zone;
    }

    @Override
    public ZoneFeed feed() {
        return feed;
    }

    @Override
    public void start() {
        source.start(feed);
    }

    @Override
    public void close() {
        source.close();
    }
}
