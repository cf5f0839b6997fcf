package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.wire.ResponseObserver;
import io.k8sdns.zone.ZoneFeed;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/** What is to be told how {@code serve} is doing: {@link MetricsServer}, or nobody. */
interface Monitoring extends AutoCloseable {
    /** Nobody. */
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
        public void serves(ZoneFeed filling) {}

        @Override
        public void receiveBufferDrops(Supplier<OptionalLong> drops) {}

        @Override
        public void stopping() {}

        @Override
        public void close() {}
    };

    /** Returns what is to be told by the source, and by the feed that fills the zone. */
    ClusterObserver cluster();

    /** Returns what is to be told of the responder's answers, if it wants to know. */
    Optional<ResponseObserver> responses();

    /** Says what fills the zone that is served: readiness is the feed's. */
    void serves(ZoneFeed filling);

    /**
     * Has datagrams counted that the kernel drops.
     *
     * @param drops returns how many since the start, if the system tells
     */
    void receiveBufferDrops(Supplier<OptionalLong> drops);

    /** The process is about to end: it is not ready any more. */
    void stopping();

    @Override
    void close();
}
