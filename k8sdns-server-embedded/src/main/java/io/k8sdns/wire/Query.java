package io.k8sdns.wire;

import io.k8sdns.resolver.Question;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A query, as far as it could be read; {@link QueryReader} says how.
 *
 * @param id the message id
 * @param flags the second 16 bits of the header
 * @param question the question; empty if there is not exactly one that can be read
 * @param edns the first OPT record; empty if there is none
 * @param malformed whether this message deserves FORMERR
 */
record Query(int id, int flags, Optional<Question> question, Optional<Edns> edns, boolean malformed) {
    /**
     * What an OPT record says (RFC 6891, 6.1.3); its options mean nothing to us.
     *
     * @param version the EDNS version
     * @param payload the largest datagram that the client takes, in bytes
     * @param dnssecOk the DO bit
     */
    record Edns(int version, int payload, boolean dnssecOk) {}

    /** Returns the OPCODE, 0 to 15. */
    int opcode() {
        return flags >>> 11 & 0xF;
    }

    /**
     * Reads a message, from position to limit; the buffer does not change.
     *
     * @return empty if the bytes deserve no answer: shorter than a header, or a response
     */
    static Optional<Query> read(ByteBuffer message) {
        QueryReader reader = new QueryReader();
        return reader.read(message) ? Optional.of(reader.query()) : Optional.empty();
    }
}
