package io.k8sdns.sockets;

import io.k8sdns.resolver.Client;
import io.k8sdns.wire.DnsResponder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One client on TCP (RFC 7766). The client may send any number of queries without waiting; each is answered when its answer is
 * ready, in any order.
 *
 * <p>Runs on the listener's thread; only a {@link ConnectionSink} may be called from other threads; it passes the answer to the
 * listener's thread. The connection is not read while there is no room for answers, so that TCP's flow control stops the client. It
 * ends when the client has ended its side and has every answer, or when a time of {@link ServerLimits} is exceeded.
 */
final class TcpConnection {
    /** The maximum number of bytes read in one turn, so that other clients do not wait for a busy one. */
    private static final int BYTES_PER_TURN = 16_384;

    /** The number of turns in which a client may still send queries when the server ends. */
    private static final int LAST_TURNS = 16;

    /** The size of the {@linkplain TcpListener#input() shared buffer}: the longest incomplete message, and one turn. */
    static final int INPUT_BYTES = Messages.LENGTH_BYTES + Messages.MAX_BYTES + BYTES_PER_TURN;

    /** Responses handed to the kernel in one call. */
    private static final int RESPONSES_PER_WRITE = 16;

    /** The kernel's send buffer, which fills if a client does not read; by default Linux lets it grow to megabytes. */
    private static final int SEND_BUFFER_BYTES = 65_536;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final TcpListener listener;
    private final QueryHandler handler;
    private final SocketChannel channel;
    private final SelectionKey key;
    private final Client client;

    /** Received bytes that are not processed yet: less than one message, or more while there is no room for answers. */
    private ByteBuffer unread = NOTHING;

    private final Deque<ByteBuffer> unsent = new ArrayDeque<>();
    private long unsentBytes;
    private int inFlight;
    private boolean inputEnded;
    private boolean reading = true;
    private boolean working;

    // In System.nanoTime().
    private long activeAt;
    private long receiveBegunAt;
    private long sendBegunAt;

    /** Takes over an accepted channel. */
    TcpConnection(TcpListener listener, QueryHandler handler, SocketChannel channel, Selector selector)
            throws IOException {
        this.listener = listener;
        this.handler = handler;
        this.channel = channel;
        this.client = Client.tcp((InetSocketAddress) channel.getRemoteAddress());
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_SNDBUF, SEND_BUFFER_BYTES);
        this.key = channel.register(selector, SelectionKey.OP_READ, this);
        this.activeAt = System.nanoTime();
    }

    /** Reads and writes as far as the channel is ready. */
    void ready() {
        work(() -> {
            if (key.isReadable()) {
                read();
            }
            proceed();
        });
    }

    /** Reads the queries that have arrived and no later ones; the connection ends when they are answered. */
    void finish() {
        work(() -> {
            for (int turn = 0; turn < LAST_TURNS && reading && read(); turn++) {
                proceed();
            }
            inputEnded = true;
            proceed();
        });
    }

    /** Returns whether no query is received or in flight and no response is unsent. */
    boolean isIdle() {
        return inFlight == 0 && unsent.isEmpty() && !unread.hasRemaining();
    }

    /** Returns the nanoseconds since a byte was last received or sent. */
    long quietFor(long now) {
        return now - activeAt;
    }

    /** Returns the nanoseconds until a limit is reached; 0 or less once it has been. */
    long nanosLeft(long now) {
        ServerLimits limits = handler.limits();
        if (isIdle()) {
            return limits.idle().toNanos() - quietFor(now);
        }
        long left = Long.MAX_VALUE;
        if (reading && unread.hasRemaining()) {
            left = Math.min(left, limits.receive().toNanos() - (now - receiveBegunAt));
        }
        if (inFlight > 0) {
            left = Math.min(left, limits.answer().toNanos() - quietFor(now));
        }
        if (!unsent.isEmpty()) {
            left = Math.min(left, limits.send().toNanos() - (now - sendBegunAt));
        }
        return left;
    }

    /** Closes the connection: properly if it is idle, else by a reset, so that the kernel drops the unsent bytes. */
    void end() {
        try {
            if (!isIdle() && channel.isOpen()) {
                channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            }
            channel.close();
        } catch (IOException gone) {
            // The client has closed the connection first.
        } finally {
            listener.ended(this);
        }
    }

    private void work(Work work) {
        if (!channel.isOpen()) {
            return;
        }
        working = true;
        try {
            work.run();
        } catch (IOException gone) {
            // The client has reset or closed the connection, which is not a failure of the server.
            end();
        } catch (RuntimeException broken) {
            // A bug must end only one connection, not all of them.
            handler.failures().report("a TCP connection could not be served", broken);
            end();
        } finally {
            working = false;
            keepUnread();
        }
    }

    /** Reads once; returns whether any byte was received. */
    private boolean read() throws IOException {
        keepUnread();
        ByteBuffer input = listener.input();
        boolean between = !unread.hasRemaining();
        input.clear().put(unread).limit(input.position() + BYTES_PER_TURN);
        int count = channel.read(input);
        unread = input.flip();
        if (count < 0) {
            inputEnded = true;
        }
        if (count <= 0) {
            return false;
        }
        activeAt = System.nanoTime();
        if (between) {
            receiveBegunAt = activeAt;
        }
        return true;
    }

    /** Copies unread bytes out of the shared buffer, before the next read overwrites them. */
    private void keepUnread() {
        if (unread.isDirect()) {
            unread = unread.hasRemaining()
                    ? ByteBuffer.allocate(unread.remaining()).put(unread).flip()
                    : NOTHING;
        }
    }

    /** Writes and answers as far as possible without waiting for the client or an answer. */
    private void proceed() throws IOException {
        do {
            write();
        } while (answerUnread());
        if (inputEnded && inFlight == 0 && unsent.isEmpty()) {
            unread = NOTHING;
            end();
            return;
        }
        boolean resumes = !reading;
        reading = !inputEnded && hasRoom();
        if (reading && resumes) {
            // The time in which the server did not read does not count against the client.
            receiveBegunAt = System.nanoTime();
        }
        key.interestOps((reading ? SelectionKey.OP_READ : 0) | (unsent.isEmpty() ? 0 : SelectionKey.OP_WRITE));
    }

    private void write() throws IOException {
        while (!unsent.isEmpty()) {
            ByteBuffer[] some = unsent.stream().limit(RESPONSES_PER_WRITE).toArray(ByteBuffer[]::new);
            long count = channel.write(some);
            if (count > 0) {
                unsentBytes -= count;
                activeAt = System.nanoTime();
            }
            while (!unsent.isEmpty() && !unsent.element().hasRemaining()) {
                unsent.remove();
                sendBegunAt = activeAt;
            }
            if (some[some.length - 1].hasRemaining()) {
                return;
            }
        }
    }

    /** Answers complete messages while there is room; returns whether there was one. */
    private boolean answerUnread() {
        boolean any = false;
        while (hasRoom() && Messages.isWhole(unread)) {
            any = true;
            ByteBuffer query = Messages.takeFrom(unread);
            if (handler.answer(listener.session(), query, Client.Transport.TCP)) {
                queue(Messages.framed(listener.session().response()));
                continue;
            }
            inFlight++;
            ConnectionSink sink = new ConnectionSink();
            if (!handler.respond(listener.session(), client, sink)) {
                sink.drop();
            }
        }
        if (any) {
            receiveBegunAt = System.nanoTime();
        }
        return any;
    }

    private boolean hasRoom() {
        return inFlight < handler.limits().queriesPerConnection()
                && unsentBytes < handler.limits().unsentBytesPerConnection();
    }

    /** Ends one query, with its response after its length, or with an empty buffer for no response. */
    private void answered(ByteBuffer framed) {
        inFlight--;
        if (framed.hasRemaining()) {
            queue(framed);
        }
        if (!working) {
            work(this::proceed);
        }
    }

    private void queue(ByteBuffer framed) {
        if (unsent.isEmpty()) {
            sendBegunAt = System.nanoTime();
        }
        unsent.add(framed);
        unsentBytes += framed.remaining();
    }

    /** Receives the response to one query, from any thread. */
    private final class ConnectionSink implements DnsResponder.Sink {
        private final AtomicBoolean given = new AtomicBoolean();

        @Override
        public void response(ByteBuffer response) {
            give(Messages.framed(response));
        }

        @Override
        public void drop() {
            give(NOTHING);
        }

        private void give(ByteBuffer framed) {
            if (given.compareAndSet(false, true)) {
                listener.execute(() -> answered(framed));
            }
        }
    }

    @FunctionalInterface
    private interface Work {
        void run() throws IOException;
    }
}
