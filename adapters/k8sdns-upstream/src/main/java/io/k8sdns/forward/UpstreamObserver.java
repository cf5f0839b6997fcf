package io.k8sdns.forward;

/**
 * Receives what becomes of forwarded questions, for metrics. An extension point. Called on the forwarder's thread, which waits:
 * implementations return soon. Whatever they throw is ignored.
 */
public interface UpstreamObserver {
    /** Observes nothing. */
    UpstreamObserver NONE = new UpstreamObserver() {};

    /**
     * A server has answered.
     *
     * @param server the server
     * @param rcode the RCODE of its answer
     * @param nanos how long it took, in nanoseconds
     */
    default void answered(UpstreamServer server, int rcode, long nanos) {}

    /** A server has not answered in time, could not be reached, or has sent what is no answer. */
    default void failed(UpstreamServer server, Failure failure) {}

    /** A connection to a server is being opened, over TCP or TLS. */
    default void connecting(UpstreamServer server) {}

    /** A query goes over a connection that is open already. */
    default void reusing(UpstreamServer server) {}

    /** A server is set aside after repeated failures: it is asked last until it answers a probe. */
    default void setAside(UpstreamServer server) {}

    /** A server that was set aside has answered. */
    default void broughtBack(UpstreamServer server) {}

    /** No server of a zone has answered a question in time. */
    default void unanswered(UpstreamZone zone) {}

    /** A question was refused because too many of its zone are being forwarded. */
    default void refused(UpstreamZone zone) {}

    /** How a server failed. */
    enum Failure {
        /** No response in time. */
        TIMEOUT,
        /** It could not be reached, or closed the connection. */
        NETWORK,
        /** It sent a response that cannot be read. */
        MALFORMED
    }
}
