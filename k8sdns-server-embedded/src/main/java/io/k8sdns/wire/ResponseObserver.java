package io.k8sdns.wire;

import io.k8sdns.resolver.Client;

/**
 * Receives the outcome of every message that a {@link DnsResponder} processes, for metrics. An extension point.
 *
 * <p>The responder reports each message once, to {@link #response} or {@link #drop}, before it calls the message's {@link
 * DnsResponder.Sink}; if the answer is pending, it reports when the answer is complete. Every thread that answers calls these
 * methods and waits for them: implementations return quickly, do not block and do not throw. On the fast path the responder
 * allocates nothing for these calls.
 */
public interface ResponseObserver {
    /** The type reported for a question that could not be decoded; no record has this type. */
    int NO_TYPE = 0;

    /**
     * Returns a value for a message that has just been received, for example the time in nanoseconds, because the responder
     * reads no clock. The responder passes the value back with the outcome.
     */
    default long received() {
        return 0;
    }

    /**
     * Returns the observer of a question, for an observer that distinguishes names, for example by zone; by default this observer. The
     * responder calls this method once for each message that has exactly one question that can be decoded, on its receipt, and reports
     * the response to the returned observer. It reports other messages to this observer.
     *
     * @param message the array that holds the question's name in wire form, uncompressed, in upper or lower case; must not be changed,
     *     or used after this method has returned
     * @param from the index of the name's first length byte
     * @param root the index of the name's root label
     * @param type the type of the question, 0 to 65535
     */
    default ResponseObserver ofQuestion(byte[] message, int from, int root, int type) {
        return this;
    }

    /**
     * Reports a response, just before the transport sends it.
     *
     * @param received what {@link #received} of the responder's observer returned
     * @param transport the transport of the query
     * @param type the type of the question, 0 to 65535, or {@link #NO_TYPE}
     * @param dnssecOk whether the query's OPT record had DO set (RFC 3225)
     * @param rcode the RCODE of the response, 0 to 4095, including the upper bits in its OPT record
     * @param truncated whether TC is set
     * @param queryBytes the length of the query in bytes
     * @param responseBytes the length of the response in bytes
     */
    void response(
            long received,
            Client.Transport transport,
            int type,
            boolean dnssecOk,
            int rcode,
            boolean truncated,
            int queryBytes,
            int responseBytes);

    /**
     * Reports a message that gets no response: it is shorter than a header, or is a response itself.
     *
     * @param received what {@link #received} returned
     * @param transport the transport of the message
     * @param messageBytes the length of the message in bytes
     */
    void drop(long received, Client.Transport transport, int messageBytes);
}
