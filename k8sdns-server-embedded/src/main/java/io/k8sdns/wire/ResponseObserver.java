package io.k8sdns.wire;

import io.k8sdns.resolver.Client;

/**
 * Is told what becomes of every message that a {@link DnsResponder} is handed, for metrics. An extension point.
 *
 * <p>Each message ends in one call, of {@link #response} or of {@link #silence}, before its {@link DnsResponder.Sink} is
 * called; one whose answer comes later ends when it comes. The calls come from all threads that answer, which wait for
 * them: they return soon, do not block, and do not throw. Ordinary messages are answered without allocating, and told of
 * so, too.
 */
public interface ResponseObserver {
    /** The type of a question that could not be read; no record has it. */
    int NO_TYPE = 0;

    /**
     * Returns a mark for a message that was received just now, a time in nanoseconds for example: the responder reads no
     * clock. It is handed back with the outcome.
     */
    default long received() {
        return 0;
    }

    /**
     * A response is ready, and goes to the transport next.
     *
     * @param received what {@link #received} returned
     * @param transport how the query came
     * @param type the type that was asked for, 0 to 65535, or {@link #NO_TYPE}
     * @param dnssecOk whether the query's OPT record had DO set (RFC 3225)
     * @param rcode the RCODE of the response, 0 to 4095: with the upper bits of its OPT record
     * @param cut whether TC is set
     * @param queryOctets the length of the query
     * @param responseOctets the length of the response
     */
    void response(
            long received,
            Client.Transport transport,
            int type,
            boolean dnssecOk,
            int rcode,
            boolean cut,
            int queryOctets,
            int responseOctets);

    /**
     * The message deserves no response: it is shorter than a header, or a response itself.
     *
     * @param received what {@link #received} returned
     * @param transport how the message came
     * @param octets the length of the message
     */
    void silence(long received, Client.Transport transport, int octets);
}
