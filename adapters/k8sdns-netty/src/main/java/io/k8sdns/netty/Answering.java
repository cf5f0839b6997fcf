package io.k8sdns.netty;

import io.k8sdns.wire.DnsResponder;
import io.k8sdns.wire.DnsSession;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.util.concurrent.FastThreadLocal;
import java.nio.ByteBuffer;

/** What the handlers have in common: buffers of Netty and messages of a responder. */
final class Answering {
    /** The session of each event loop's last responder: event loops rarely serve several. */
    private static final FastThreadLocal<DnsSession> SESSION = new FastThreadLocal<>();

    private Answering() {}

    /** Returns the calling event loop's session of a responder. */
    static DnsSession session(DnsResponder responder) {
        DnsSession session = SESSION.getIfExists();
        if (session == null || session.responder() != responder) {
            session = responder.session();
            SESSION.set(session);
        }
        return session;
    }

    /** Returns the octets of a message, for as long as the buffer lives and nobody asks for others of it. */
    static ByteBuffer message(ByteBuf buffer, int at, int octets) {
        return switch (buffer.nioBufferCount()) {
            case -1 -> ByteBuffer.wrap(ByteBufUtil.getBytes(buffer, at, octets));
            case 1 -> buffer.internalNioBuffer(at, octets);
            default -> buffer.nioBuffer(at, octets);
        };
    }
}
