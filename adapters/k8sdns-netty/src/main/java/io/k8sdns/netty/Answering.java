package io.k8sdns.netty;

import io.k8sdns.wire.Scratch;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.util.concurrent.FastThreadLocal;
import java.nio.ByteBuffer;

/** What the handlers have in common: buffers of Netty and messages of a responder. */
final class Answering {
    /** One per event loop, however many channels it has. */
    private static final FastThreadLocal<Scratch> SCRATCH = new FastThreadLocal<>() {
        @Override
        protected Scratch initialValue() {
            return new Scratch();
        }
    };

    private Answering() {}

    /** Returns the calling event loop's working memory. */
    static Scratch scratch() {
        return SCRATCH.get();
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
