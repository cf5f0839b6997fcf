package io.k8sdns.cli;

import io.k8sdns.autopath.PodNamespaces;
import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.FailureObserver;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneFeed;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParameterException;

/**
 * The zone and the resolvers of a running {@code serve}: the zone with its feed, the ready Services, federations, upstream servers,
 * and the explanations of missing names.
 *
 * <pre>
 *   source -> sink()      objects of the explanations -> ready Services -> zone
 *   client -> resolver()  explanations -> autopath -> federations of kube-dns -> zone -> federations -> upstream servers
 * </pre>
 */
final class ServedCluster implements AutoCloseable {
    private final ServeOptions options;
    private final Monitoring monitoring;
    private final PrintWriter err;
    private final ZoneFeed feed;
    private final LocalShards shards;
    private final @Nullable Federations federations;
    private final Upstreams upstreams;
    private final Optional<ExplainedErrors> explained;

    /**
     * Creates an empty zone and its resolvers, which do not forward before {@link #start}.
     *
     * @param failures receives the causes of SERVFAIL
     * @param err receives notes and warnings
     * @throws IOException if no socket for federations can be opened
     * @throws ParameterException if an option is invalid
     */
    ServedCluster(
            ServeOptions options, RecordRules rules, Monitoring monitoring, FailureObserver failures, PrintWriter err)
            throws IOException {
        this.options = options;
        this.monitoring = monitoring;
        this.err = err;
        ClusterZone zone = ClusterZone.empty(rules, options.cluster.visibility());
        this.feed = feedOf(zone);
        monitoring.serves(feed);
        PodNamespaces pods = new PodNamespaces(feed);
        this.shards = new LocalShards(options.upstream.findsPods() ? pods : feed);
        ResolverChain cluster = ResolverChain.of(zone);
        this.federations = options.federation.isEnabled()
                ? new Federations(options.federation, options.upstream.cache, failures, monitoring.forwarding())
                : null;
        this.upstreams = new Upstreams(
                options.upstream,
                new LocalNames(
                        cluster,
                        rules.settings().reverseZones().stream()
                                .map(ReverseZone::name)
                                .toList(),
                        pods::of,
                        shards,
                        federatedNames(cluster)),
                failures,
                new UpstreamReports(monitoring::forwarding, err));
        options.cluster.kubeDnsData(upstreams::kubeDnsData);
        this.explained = options.explainErrors
                ? Optional.of(new ExplainedErrors(
                        rules.settings(),
                        options.cluster.visibility(),
                        System::nanoTime,
                        ExplainedErrors.thread(),
                        unexplainedNote(err)))
                : Optional.empty();
        explained.ifPresent(errors -> options.cluster.onManifests(errors::keepManifests));
    }

    private ZoneFeed feedOf(ClusterZone zone) {
        ZoneFeed.Builder builder =
                ZoneFeed.builder(zone, InstantSource.system()).observer(monitoring.cluster());
        options.staleLimit().ifPresent(builder::staleLimit);
        return builder.build();
    }

    private LocalNames.FederatedNames federatedNames(ResolverChain cluster) {
        Federations enabled = federations;
        return enabled == null
                ? LocalNames.FederatedNames.NONE
                : new LocalNames.FederatedNames(
                        enabled::contains, others -> enabled.wrap(cluster, shards::hasReadyEndpoint, others));
    }

    /** Returns an observer of explanations that fail, which is a fault of this program. */
    private static Consumer<RuntimeException> unexplainedNote(PrintWriter err) {
        return new OneNote<>(
                err, failure -> "warning: --explain-errors: a missing name cannot be explained: " + failure);
    }

    /** Returns the resolver of all names. */
    DnsResolver resolver() {
        return explained.map(errors -> errors.resolver(upstreams)).orElse(upstreams);
    }

    /** Returns the sink of the source. */
    ClusterSource.Sink sink() {
        return explained.map(errors -> errors.objects(shards)).orElse(shards);
    }

    /** Returns the observer of the source. */
    ClusterObserver observer() {
        return explained.map(errors -> errors.observer(monitoring.cluster())).orElseGet(monitoring::cluster);
    }

    /** Returns the feed of the zone, which is synced when the source has listed all objects. */
    ZoneFeed feed() {
        return feed;
    }

    /**
     * Starts to forward, after the manifests were read.
     *
     * @param listening the addresses of this server, which no upstream server may have
     * @throws IOException see {@link Upstreams#start}
     * @throws ParameterException if {@code --fallthrough} has no effect
     */
    void start(List<InetSocketAddress> listening) throws IOException {
        options.upstream.checkFallthrough(options.canChange() || upstreams.hasConfigMap());
        upstreams.start(listening);
    }

    /**
     * Starts federations and, for a live cluster, reads the ConfigMap of kube-dns and the location of the cluster periodically. Called
     * after the source was started.
     *
     * @throws IOException see {@link Federations#start}
     */
    void follow() throws IOException {
        if (federations != null) {
            federations.start(err);
        }
        if (options.live.isChosen()) {
            upstreams.follow(LiveCluster.kubeDnsData(options.live));
            upstreams.followTopology(LiveCluster.topology(options.live));
        }
    }

    /**
     * Probes for upstream servers that forward to this server, which answers from now on.
     *
     * @param found see {@link Upstreams#probeForLoops}
     */
    void probeForLoops(Consumer<String> found) {
        upstreams.probeForLoops(found);
    }

    /** Stops upstream servers, explanations and federations, in this order. */
    @Override
    public void close() {
        @Nullable ExplainedErrors explaining = explained.orElse(null);
        // Closes all of them, the last one first, even if one fails.
        try (federations;
                explaining;
                upstreams) {}
    }
}
