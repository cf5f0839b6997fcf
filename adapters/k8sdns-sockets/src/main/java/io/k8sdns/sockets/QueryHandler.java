package io.k8sdns.sockets;

import io.k8sdns.resolver.Client;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.wire.DnsSession;
import java.nio.ByteBuffer;

/**
 * The responder, limits and log that all listeners of one server share.
 *
 * @param responder answers the queries
 * @param limits the limits for clients
 * @param failures logs failures
 */
record QueryHandler(DnsResponder responder, ServerLimits limits, FailureLog failures) {
    /**
     * Answers a message on the fast path.
     *
     * @return whether the session has the response; otherwise {@link #respond} is to be called
     */
    boolean answer(DnsSession session, ByteBuffer query, Client.Transport transport) {
        try {
            return session.answer(query, transport);
        } catch (RuntimeException | Error broken) {
            // The host's observer threw. It throws again on the slow path, which reports it.
            return false;
        } finally {
            Thread.interrupted();
        }
    }

    /**
     * Answers the message that the session has read.
     *
     * @return false if the responder threw; then the sink may never be called
     */
    boolean respond(DnsSession session, Client client, DnsResponder.Sink sink) {
        try {
            session.respond(client, sink);
            return true;
        } catch (RuntimeException | Error broken) {
            // An exception of a host's resolver must not end the listener.
            failures.report("a query could not be answered", broken);
            return false;
        } finally {
            // A resolver may have interrupted its own thread; a channel closes when an interrupted thread reads from
            // it.
            Thread.interrupted();
        }
    }
}
