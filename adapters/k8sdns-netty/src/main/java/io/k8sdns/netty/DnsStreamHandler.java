package io.k8sdns.netty;

import io.k8sdns.resolver.Client;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.wire.DnsSession;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Answers one client on a stream (RFC 7766). The client may send any number of queries without waiting; each is answered when its
 * answer is ready, in any order. One handler per channel, on TCP or after a handler that decrypts; it reads and writes {@code
 * ByteBuf}s, with each message's length before it (RFC 1035, 4.2.2).
 *
 * <p>The channel is not read while there is no room for answers (through {@code autoRead}), so that TCP's flow control stops the
 * client. The connection is closed when a time of {@link StreamLimits} is exceeded, or when the client has ended its side and has
 * every answer; the latter needs {@code ChannelOption.ALLOW_HALF_CLOSURE}, without which Netty closes at once. An error of the
 * virtual machine that {@link DnsResponder} passes on is passed to {@code exceptionCaught}, and the connection stays open.
 */
public final class DnsStreamHandler extends ChannelInboundHandlerAdapter {
    private static final int LENGTH_BYTES = 2;
    private static final int MAX_BYTES = 65_535;

    private final DnsResponder responder;
    private final StreamLimits limits;
    private final ChannelFutureListener whenSent = future -> sent();

    /** Received bytes that are not parsed yet. */
    private ByteBuf unread = Unpooled.EMPTY_BUFFER;

    /** Whether {@code unread} was allocated here and may be appended to, and is not a buffer that the channel read. */
    private boolean grows;

    private Client client = Client.IN_PROCESS;
    private @Nullable ChannelHandlerContext context;
    private @Nullable Future<?> check;
    private int inFlight;
    private int unsent;
    private boolean proceeding;
    private boolean again;
    private boolean inputEnded;

    // In nanoseconds of the event loop's clock.
    private long activeAt;
    private long receiveBegunAt;

    /** Creates a handler for one channel. */
    public DnsStreamHandler(DnsResponder responder, StreamLimits limits) {
        this.responder = Objects.requireNonNull(responder, "responder");
        this.limits = Objects.requireNonNull(limits, "limits");
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
        if (added.channel().isActive()) {
            begin(added);
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext active) {
        begin(active);
        active.fireChannelActive();
    }

    private void begin(ChannelHandlerContext active) {
        if (check == null) {
            Optional<InetSocketAddress> address = active.channel().remoteAddress() instanceof InetSocketAddress internet
                    ? Optional.of(internet)
                    : Optional.empty();
            client = address.map(Client::tcp)
                    .orElseGet(() -> Client.builder(Client.Transport.TCP).build());
            activeAt = now(active);
            checkIn(active, shortest());
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext reading, Object message) {
        if (!(message instanceof ByteBuf bytes)) {
            reading.fireChannelRead(message);
            return;
        }
        activeAt = now(reading);
        if (!unread.isReadable()) {
            receiveBegunAt = activeAt;
            unread.release();
            unread = bytes;
            grows = false;
        } else {
            if (!grows || unread.writableBytes() < bytes.readableBytes()) {
                unread = moved(reading, bytes.readableBytes());
                grows = true;
            }
            unread.writeBytes(bytes);
            bytes.release();
        }
        proceed(reading);
    }

    /** Moves the unread bytes to a buffer that grows by doubling, so that single bytes do not cost a copy each. */
    private ByteBuf moved(ChannelHandlerContext reading, int more) {
        int bytes = unread.readableBytes() + more;
        ByteBuf larger =
                reading.alloc().buffer(Integer.highestOneBit(bytes) << 1).writeBytes(unread);
        unread.release();
        return larger;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext here, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            inputEnded = true;
            proceed(here);
        }
        here.fireUserEventTriggered(event);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext here) {
        proceed(here);
        here.fireChannelWritabilityChanged();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ended) {
        free();
        ended.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext removed) {
        free();
        context = null;
    }

    private void free() {
        if (check != null) {
            boolean unused = check.cancel(false);
        }
        unread.release();
        unread = Unpooled.EMPTY_BUFFER;
    }

    private static void close(ChannelHandlerContext here) {
        ChannelFuture unused = here.close();
    }

    // ---- queries and answers ----

    /** Answers as far as possible without waiting for the client or an answer. */
    private void proceed(ChannelHandlerContext here) {
        again = true;
        if (proceeding) {
            return;
        }
        proceeding = true;
        try {
            while (again) {
                again = false;
                while (hasRoom(here) && isWhole()) {
                    answer(here);
                }
                here.flush();
            }
        } finally {
            proceeding = false;
        }
        if (!unread.isReadable()) {
            unread.release();
            unread = Unpooled.EMPTY_BUFFER;
        }
        if (inputEnded && isIdle()) {
            close(here);
            return;
        }
        boolean read = !inputEnded && hasRoom(here);
        if (read != here.channel().config().isAutoRead()) {
            if (read) {
                // The time in which the handler did not read does not count against the client.
                receiveBegunAt = now(here);
            }
            here.channel().config().setAutoRead(read);
        }
    }

    private boolean hasRoom(ChannelHandlerContext here) {
        return inFlight < limits.queries() && here.channel().isWritable();
    }

    private boolean isWhole() {
        return unread.readableBytes() >= LENGTH_BYTES
                && unread.readableBytes() - LENGTH_BYTES >= unread.getUnsignedShort(unread.readerIndex());
    }

    private boolean isIdle() {
        return inFlight == 0 && unsent == 0 && !isWhole();
    }

    private void answer(ChannelHandlerContext here) {
        int bytes = unread.readUnsignedShort();
        ByteBuffer query = HandlerFunctions.message(unread, unread.readerIndex(), bytes);
        unread.skipBytes(bytes);
        receiveBegunAt = now(here);
        inFlight++;
        StreamSink sink = new StreamSink(here);
        try {
            DnsSession session = HandlerFunctions.session(responder);
            if (session.answer(query, Client.Transport.TCP)) {
                sink.response(session.response());
            } else {
                session.respond(client, sink);
            }
        } catch (RuntimeException | Error broken) {
            sink.drop();
            here.fireExceptionCaught(broken);
        }
    }

    private static ByteBuf framed(ChannelHandlerContext here, ByteBuffer response) {
        int bytes = response.remaining();
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException("a message has at most " + MAX_BYTES + " bytes, not " + bytes);
        }
        return here.alloc().ioBuffer(LENGTH_BYTES + bytes).writeShort(bytes).writeBytes(response);
    }

    private void write(ChannelHandlerContext here, ByteBuf framed) {
        unsent++;
        ChannelFuture unused = here.write(framed).addListener(whenSent);
    }

    private void sent() {
        unsent--;
        ChannelHandlerContext here = context;
        if (here != null && here.channel().isActive()) {
            activeAt = now(here);
            if (inputEnded && isIdle()) {
                close(here);
            }
        }
    }

    /** Ends one query, with its response after its length, or with an empty buffer for no response. On the event loop. */
    private void answered(ChannelHandlerContext here, ByteBuf framed) {
        inFlight--;
        if (!here.channel().isActive()) {
            framed.release();
            return;
        }
        activeAt = now(here);
        if (framed.isReadable()) {
            write(here, framed);
        }
        proceed(here);
    }

    /** Receives the response to one query, from any thread. */
    private final class StreamSink implements DnsResponder.Sink {
        private final ChannelHandlerContext here;
        private final AtomicBoolean given = new AtomicBoolean();

        StreamSink(ChannelHandlerContext here) {
            this.here = here;
        }

        @Override
        public void response(ByteBuffer response) {
            give(framed(here, response));
        }

        @Override
        public void drop() {
            give(Unpooled.EMPTY_BUFFER);
        }

        private void give(ByteBuf framed) {
            if (!given.compareAndSet(false, true)) {
                framed.release();
            } else if (here.executor().inEventLoop()) {
                answered(here, framed);
            } else {
                passToEventLoop(framed);
            }
        }

        private void passToEventLoop(ByteBuf framed) {
            try {
                here.executor().execute(() -> answered(here, framed));
            } catch (RejectedExecutionException ended) {
                framed.release();
            }
        }
    }

    // ---- times ----

    private static long now(ChannelHandlerContext here) {
        return here.executor().ticker().nanoTime();
    }

    private void checkIn(ChannelHandlerContext here, long nanos) {
        check = here.executor().schedule(() -> check(here), nanos, TimeUnit.NANOSECONDS);
    }

    private void check(ChannelHandlerContext here) {
        long left = nanosLeft(here);
        if (left > 0) {
            checkIn(here, Math.min(left, shortest()));
        } else {
            close(here);
        }
    }

    /** Returns the shortest limit: one that begins to count after a check is not reached before the next check. */
    private long shortest() {
        return Math.min(
                limits.idle().toNanos(),
                Math.min(limits.receive().toNanos(), limits.pending().toNanos()));
    }

    private long nanosLeft(ChannelHandlerContext here) {
        long now = now(here);
        if (isIdle() && !unread.isReadable()) {
            return limits.idle().toNanos() - (now - activeAt);
        }
        long left = Long.MAX_VALUE;
        if (unread.isReadable() && here.channel().config().isAutoRead()) {
            left = limits.receive().toNanos() - (now - receiveBegunAt);
        }
        if (!isIdle()) {
            left = Math.min(left, limits.pending().toNanos() - (now - activeAt));
        }
        return left;
    }
}
