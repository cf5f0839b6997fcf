package io.k8sdns.cli;

import io.k8sdns.clientjava.ApiClusterSource;
import io.k8sdns.clientjava.InvalidKubeconfigException;
import io.k8sdns.clientjava.KubeconfigConnector;
import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.PodsMode;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DirectAnswers;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneFeed;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The names of the cluster from a watch of a node cache itself. The Kubernetes client is loaded with this class, so only for
 * {@code node-cache --kubeconfig}.
 */
final class NodeCacheCluster implements OwnNames {
    private final ClusterZone zone;
    private final ZoneFeed feed;
    private final ClusterSource source;

    /**
     * Reads the kubeconfig; nothing is watched yet.
     *
     * @param domain the cluster domain
     * @param nameServers the addresses of the zone's name server
     * @throws InvalidKubeconfigException if the file is no valid kubeconfig
     * @throws IOException if it cannot be read
     */
    NodeCacheCluster(Path kubeconfig, DnsLabels domain, List<IpAddress> nameServers, ClusterObserver observer)
            throws IOException {
        ZoneSettings settings = ZoneSettings.builder()
                .zones(List.of(domain))
                .pods(PodsMode.VERIFIED)
                .nameServerAddresses(nameServers)
                .build();
        zone = ClusterZone.empty(new RecordRules(settings), Visibility.ALL);
        feed = ZoneFeed.builder(zone, InstantSource.system()).observer(observer).build();
        source = ApiClusterSource.builder(KubeconfigConnector.read(kubeconfig))
                .pods()
                .observer(observer)
                .build();
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
    public DnsResolver before(DnsResolver others) {
        ZoneSettings settings = zone.current().settings();
        ResolverChain chain = ResolverChain.of(zone)
                .withUpstream(others)
                .withFallthrough(
                        settings.reverseZones().stream().map(ReverseZone::name).collect(Collectors.toSet()));
        return new DnsResolver() {
            private DnsResolver now() {
                return zone.state() == SyncState.SYNCING ? others : chain;
            }

            @Override
            public Resolution resolve(Question question, Client client) {
                return now().resolve(question, client);
            }

            @Override
            public Optional<DirectAnswers> direct() {
                return now().direct();
            }

            @Override
            public Optional<DirectAnswers> direct(Client client) {
                return now().direct(client);
            }
        };
    }

    @Override
    public void close() {
        source.close();
    }
}
