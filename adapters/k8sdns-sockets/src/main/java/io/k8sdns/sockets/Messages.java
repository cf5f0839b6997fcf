package io.k8sdns.sockets;

import java.nio.ByteBuffer;

/** What a transport has to know of DNS messages: their size, and how TCP frames them (RFC 1035, 4.2.2). */
final class Messages {
    /** The octets of a header: id, flags and four counts. */
    static final int HEADER_OCTETS = 12;

    /** The most octets that a message can have, on UDP and TCP. */
    static final int MAX_OCTETS = 65_535;

    /** The octets that say the length of a message on TCP. */
    static final int LENGTH_OCTETS = 2;

    private Messages() {}

    /**
     * Returns a copy of a message with its length before it.
     *
     * @throws IllegalArgumentException if it has more than 65,535 octets
     */
    static ByteBuffer framed(ByteBuffer message) {
        int octets = message.remaining();
        if (octets > MAX_OCTETS) {
            throw new IllegalArgumentException("a message has at most " + MAX_OCTETS + " octets, not " + octets);
        }
        return ByteBuffer.allocate(LENGTH_OCTETS + octets)
                .putShort((short) octets)
                .put(message.duplicate())
                .flip();
    }

    /** Returns whether a whole framed message is there, from the buffer's position on. */
    static boolean isWhole(ByteBuffer received) {
        return received.remaining() >= LENGTH_OCTETS
                && received.remaining() - LENGTH_OCTETS >= length(received, received.position());
    }

    /** Takes a message out of the buffer, which {@linkplain #isWhole holds it whole}; shares its octets. */
    static ByteBuffer takeFrom(ByteBuffer received) {
        int start = received.position() + LENGTH_OCTETS;
        int octets = length(received, received.position());
        ByteBuffer message = received.slice(start, octets);
        received.position(start + octets);
        return message;
    }

    private static int length(ByteBuffer received, int at) {
        return Short.toUnsignedInt(received.getShort(at));
    }
}
