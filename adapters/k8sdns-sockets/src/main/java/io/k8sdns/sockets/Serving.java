package io.k8sdns.sockets;

import io.k8sdns.resolver.Client;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.wire.Scratch;
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
     * Has a message answered if that takes no thought.
     *
     * @return whether the response is in the scratch; if not, it is to be handed to {@link #respond}
     */
    boolean respondAtOnce(ByteBuffer query, Client.Transport transport, Scratch scratch) {
        try {
            return responder.respondAtOnce(query, transport, scratch);
        } catch (RuntimeException | Error broken) {
            // The whole way meets the same, and reports it.
            return false;
        } finally {
            Thread.interrupted();
        }
    }

    /**
     * Has a message answered.
     *
     * @return whether the responder kept its word and threw nothing; if not, the sink may never be called
     */
    boolean respond(ByteBuffer query, Client client, DnsResponder.Sink sink) {
        try {
            responder.respond(query, client, sink);
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
