package io.k8sdns.sockets;

import java.nio.ByteBuffer;

/** The sizes of DNS messages, and their framing on TCP (RFC 1035, 4.2.2). */
final class Messages {
    /** The size of a header: id, flags and four counts. */
    static final int HEADER_BYTES = 12;

    /** The size of the longest message, on UDP and TCP. */
    static final int MAX_BYTES = 65_535;

    /** The size of the length before a message on TCP. */
    static final int LENGTH_BYTES = 2;

    private Messages() {}

    /**
     * Returns a copy of a message with its length before it.
     *
     * @throws IllegalArgumentException if it has more than 65,535 bytes
     */
    static ByteBuffer framed(ByteBuffer message) {
        int bytes = message.remaining();
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException("a message has at most " + MAX_BYTES + " bytes, not " + bytes);
        }
        return ByteBuffer.allocate(LENGTH_BYTES + bytes)
                .putShort((short) bytes)
                .put(message.duplicate())
                .flip();
    }

    /** Returns whether the buffer has a complete framed message at its position. */
    static boolean isWhole(ByteBuffer received) {
        return received.remaining() >= LENGTH_BYTES
                && received.remaining() - LENGTH_BYTES >= length(received, received.position());
    }

    /** Returns the message at the buffer's position, which must be {@linkplain #isWhole complete}, and advances; shares its bytes. */
    static ByteBuffer takeFrom(ByteBuffer received) {
        int start = received.position() + LENGTH_BYTES;
        int bytes = length(received, received.position());
        ByteBuffer message = received.slice(start, bytes);
        received.position(start + bytes);
        return message;
    }

    private static int length(ByteBuffer received, int at) {
        return Short.toUnsignedInt(received.getShort(at));
    }
}
