package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.federation.FederatedZone;
import io.k8sdns.federation.external.ExternalSync;
import io.k8sdns.wire.ResponseObserver;
import io.k8sdns.zone.ZoneFeed;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/** Receives how a server command is doing: {@link MetricsServer}, or {@link #NONE}. */
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
        public ForwardingObserver forwarding() {
            return ForwardingObserver.NONE;
        }

        @Override
        public void serves(ZoneFeed filling) {}

        @Override
        public void serves(FederatedZone zone) {}

        @Override
        public void keeps(ExternalSync zone) {}

        @Override
        public void requires(Supplier<List<String>> missing) {}

        @Override
        public void receiveBufferDrops(Supplier<OptionalLong> drops) {}

        @Override
        public void stopping() {}

        @Override
        public void close() {}
    };

    /** Returns the observer of the source, and of the feed that fills the zone. */
    ClusterObserver cluster();

    /** Returns the observer of the responder's answers, if there is one. */
    Optional<ResponseObserver> responses();

    /** Returns the observer of forwarded questions, of the cache and of autopath; registers its metrics, so only for a server that forwards. */
    ForwardingObserver forwarding();

    /** Sets what fills the zone that is served: readiness is the feed's. */
    void serves(ZoneFeed filling);

    /** Sets the zone of federated names that is served, in a process without other zones: it is ready when its store has been read. */
    void serves(FederatedZone zone);

    /** Sets the external zone that is kept. */
    void keeps(ExternalSync zone);

    /**
     * Sets what must be empty for readiness, besides the zones of {@link #serves}; without any zone it alone decides.
     *
     * @param missing returns what is missing, a line each; called by the threads that answer HTTP
     */
    void requires(Supplier<List<String>> missing);

    /**
     * Sets the counter of datagrams that the kernel drops.
     *
     * @param drops returns how many since the start, if the system reports it
     */
    void receiveBufferDrops(Supplier<OptionalLong> drops);

    /** The process is about to end, and no longer ready. */
    void stopping();

    @Override
    void close();
}
