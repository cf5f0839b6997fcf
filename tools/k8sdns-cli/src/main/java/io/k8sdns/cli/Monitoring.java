package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.federation.FederatedZone;
import io.k8sdns.federation.external.ExternalSync;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.wire.ResponseObserver;
import io.k8sdns.zone.ZoneFeed;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/** Receives the state of a server command: {@link MetricsServer}, or {@link #NONE}. */
interface Monitoring extends AutoCloseable {
    /** Ignores everything. */
    Monitoring NONE = new Monitoring() {
        @Override
        public ClusterObserver cluster() {
            return ClusterObserver.NONE;
        }

        @Override
        public Optional<ResponseObserver> responses() {
            return Optional.empty();
        }

        @Override
        public void countsZones(List<DnsLabels> zones) {}

        @Override
        public ForwardingObserver forwarding() {
            return ForwardingObserver.NONE;
        }

        @Override
        public void serves(ZoneFeed filling) {}

        @Override
        public void serves(FederatedZone zone) {}

        @Override
        public void updates(ExternalSync zone) {}

        @Override
        public void requires(Supplier<List<String>> missing) {}

        @Override
        public void receiveBufferDrops(Supplier<OptionalLong> drops) {}

        @Override
        public void markStopping() {}

        @Override
        public void markStopped() {}

        @Override
        public void close() {}
    };

    /** Returns the observer of the source and of the zone's feed. */
    ClusterObserver cluster();

    /** Returns the observer of the responder's answers; empty if they are not observed. */
    Optional<ResponseObserver> responses();

    /**
     * Sets the zones by which requests are counted. Called before {@link #responses} and after each change of the zones, or never: requests
     * are then not counted by zone.
     *
     * @param zones the names of all zones; a name may occur twice
     */
    void countsZones(List<DnsLabels> zones);

    /**
     * Returns the observer of forwarding, its cache and autopath. Registers the metrics, so it must be called only by servers that
     * forward.
     */
    ForwardingObserver forwarding();

    /** Adds a zone that is served: the process is ready if the feed of the zone is. */
    void serves(ZoneFeed filling);

    /**
     * Sets the zone of federated names, in a process without other zones: the process is ready when the zone's store has been read.
     */
    void serves(FederatedZone zone);

    /** Sets the external zone that is updated. */
    void updates(ExternalSync zone);

    /**
     * Sets another condition of readiness, besides the zones of {@link #serves}; without a zone it is the only condition.
     *
     * @param missing returns the reasons why the process is not ready, one line each; empty if it is. Called by the threads of the
     *     HTTP server
     */
    void requires(Supplier<List<String>> missing);

    /**
     * Sets the counter of datagrams that the kernel has dropped.
     *
     * @param drops returns the number since the start, if the system reports it
     */
    void receiveBufferDrops(Supplier<OptionalLong> drops);

    /** Reports that the process is stopping and no longer ready. */
    void markStopping();

    /** Reports that the process answers nothing more and ends now: removes what would look like a running one. Idempotent. */
    void markStopped();

    @Override
    void close();
}
