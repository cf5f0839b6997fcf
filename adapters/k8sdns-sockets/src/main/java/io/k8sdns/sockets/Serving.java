package io.k8sdns.sockets;

import io.k8sdns.resolver.Client;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.wire.DnsSession;
import java.nio.ByteBuffer;

/**
 * What all listeners of one server share.
 *
 * @param responder answers
 * @param limits what clients may take
 * @param failures where failures are told
 */
record Serving(DnsResponder responder, ServerLimits limits, FailureLog failures) {
    /**
     * Answers a message on the fast path.
     *
     * @return whether the session has the response; otherwise {@link #respond} is to be called
     */
    boolean answer(DnsSession session, ByteBuffer query, Client.Transport transport) {
        try {
            return session.answer(query, transport);
        } catch (RuntimeException | Error broken) {
            // An observer that throws; it throws on the slow path, too, where that is reported.
            return false;
        } finally {
            Thread.interrupted();
        }
    }

    /**
     * Answers the message that the session has read.
     *
     * @return whether the responder kept its word and threw nothing; if not, the sink may never be called
     */
    boolean respond(DnsSession session, Client client, DnsResponder.Sink sink) {
        try {
            session.respond(client, sink);
            return true;
        } catch (RuntimeException | Error broken) {
            // A listener outlives whatever a host's resolver throws at it.
            failures.report("a query could not be answered", broken);
            return false;
        } finally {
            // Only a resolver interrupts a listener's thread, its own; a channel that such a thread reads closes.
            Thread.interrupted();
        }
    }
}
