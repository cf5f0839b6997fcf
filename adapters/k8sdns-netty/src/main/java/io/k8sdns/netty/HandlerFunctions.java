package io.k8sdns.netty;

import io.k8sdns.wire.DnsResponder;
import io.k8sdns.wire.DnsSession;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.util.concurrent.FastThreadLocal;
import java.nio.ByteBuffer;

/** Functions that both handlers use: the session of an event loop, and messages in buffers of Netty. */
final class HandlerFunctions {
    /** The session of the last responder, per event loop; event loops rarely serve several responders. */
    private static final FastThreadLocal<DnsSession> SESSION = new FastThreadLocal<>();

    private HandlerFunctions() {}

    /** Returns the calling event loop's session of a responder. */
    static DnsSession session(DnsResponder responder) {
        DnsSession session = SESSION.getIfExists();
        if (session == null || session.responder() != responder) {
            session = responder.session();
            SESSION.set(session);
        }
        return session;
    }

    /** Returns the bytes of a message; valid until the buffer is released or this is called again for it. */
    static ByteBuffer message(ByteBuf buffer, int at, int bytes) {
        return switch (buffer.nioBufferCount()) {
            case -1 -> ByteBuffer.wrap(ByteBufUtil.getBytes(buffer, at, bytes));
            case 1 -> buffer.internalNioBuffer(at, bytes);
            default -> buffer.nioBuffer(at, bytes);
        };
    }
}
