package io.k8sdns.forward;

/**
 * Receives the events of forwarded questions and their servers, for metrics. An extension point. Called on the forwarder's thread, so
 * that implementations must be fast. Exceptions are ignored.
 */
public interface UpstreamObserver {
    /** Ignores all events. */
    UpstreamObserver NONE = new UpstreamObserver() {};

    /**
     * A server has answered.
     *
     * @param server the server
     * @param rcode the RCODE of its answer
     * @param nanos the time from query to response, in nanoseconds
     */
    default void answered(UpstreamServer server, int rcode, long nanos) {}

    /** A server did not answer in time, could not be reached, or sent a malformed response. */
    default void failed(UpstreamServer server, Failure failure) {}

    /** A connection to a server is being opened, over TCP or TLS. */
    default void connecting(UpstreamServer server) {}

    /** A query is sent over an open connection. */
    default void reusing(UpstreamServer server) {}

    /** A server is marked down after two consecutive failures: it is asked last until it answers a probe. */
    default void markedDown(UpstreamServer server) {}

    /** A server that was down has answered, and is used normally again. */
    default void markedUp(UpstreamServer server) {}

    /** No server of a zone answered a question. */
    default void unanswered(UpstreamZone zone) {}

    /** A question was refused because of {@link UpstreamZone.Builder#maxConcurrent}. */
    default void refused(UpstreamZone zone) {}

    /** The kind of a server's failure. */
    enum Failure {
        /** No response arrived in time. */
        TIMEOUT,
        /** The server could not be reached, or closed the connection. */
        NETWORK,
        /** The response cannot be parsed. */
        MALFORMED
    }
}
