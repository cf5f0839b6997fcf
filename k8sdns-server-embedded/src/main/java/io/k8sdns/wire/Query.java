package io.k8sdns.wire;

import io.k8sdns.resolver.Question;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A decoded query. {@link QueryReader} describes how messages are decoded.
 *
 * @param id the message id
 * @param flags the second 16 bits of the header
 * @param question the question; empty unless there is exactly one and it can be decoded
 * @param edns the first OPT record; empty if there is none
 * @param malformed whether the response is FORMERR
 */
record Query(int id, int flags, Optional<Question> question, Optional<Edns> edns, boolean malformed) {
    /**
     * The fixed fields of an OPT record (RFC 6891, 6.1.3), without its options.
     *
     * @param version the EDNS version
     * @param payload the largest datagram that the client accepts, in bytes
     * @param dnssecOk the DO bit
     */
    record Edns(int version, int payload, boolean dnssecOk) {}

    /** Returns the OPCODE, 0 to 15. */
    int opcode() {
        return flags >>> 11 & 0xF;
    }

    /**
     * Decodes a message, from position to limit. The buffer's position and limit do not change.
     *
     * @return empty if the message gets no response: it is shorter than a header, or is a response itself
     */
    static Optional<Query> read(ByteBuffer message) {
        QueryReader reader = new QueryReader();
        return reader.read(message) ? Optional.of(reader.query()) : Optional.empty();
    }
}
