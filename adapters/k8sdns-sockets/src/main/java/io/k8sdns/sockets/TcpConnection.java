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
 * One client on TCP (RFC 7766): any number of queries one after another without waiting, each answered when its answer
 * is there, in whatever order.
 *
 * <p>Everything happens on the listener's thread; only a {@link Reply} may be called from elsewhere and brings its answer
 * there. Nothing is read while there is no room for the answers, so that the client's TCP holds it back. The connection
 * is over when the client has ended its side and has every answer that is due, and it is ended when one of the times of
 * {@link ServerLimits} has run out.
 */
final class TcpConnection {
    /** Octets read in one turn, so that one busy client does not keep the others waiting. */
    private static final int OCTETS_PER_TURN = 16_384;

    /** Turns after which a client that never stops sending is no longer listened to when the server ends. */
    private static final int LAST_TURNS = 16;

    /** What the {@linkplain TcpListener#input() shared buffer} must hold: what is kept, and what a turn adds. */
    static final int INPUT_OCTETS = Messages.LENGTH_OCTETS + Messages.MAX_OCTETS + OCTETS_PER_TURN;

    /** Responses handed to the kernel in one call. */
    private static final int RESPONSES_PER_WRITE = 16;

    /** What the kernel holds for a client that does not read; unless told, Linux lets it grow to megabytes. */
    private static final int SEND_BUFFER_OCTETS = 65_536;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final TcpListener listener;
    private final Serving serving;
    private final SocketChannel channel;
    private final SelectionKey key;
    private final Client client;

    /** Received and not begun: whole messages only while there is no room, else less than one. */
    private ByteBuffer unread = NOTHING;

    private final Deque<ByteBuffer> unsent = new ArrayDeque<>();
    private long unsentBytes;
    private int inFlight;
    private boolean inputEnded;
    private boolean reading = true;
    private boolean working;

    // All of System.nanoTime().
    private long activeAt;
    private long receiveBegunAt;
    private long sendBegunAt;

    /** Takes over an accepted channel. */
    TcpConnection(TcpListener listener, Serving serving, SocketChannel channel, Selector selector) throws IOException {
        this.listener = listener;
        this.serving = serving;
        this.channel = channel;
        this.client = Client.tcp((InetSocketAddress) channel.getRemoteAddress());
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_SNDBUF, SEND_BUFFER_OCTETS);
        this.key = channel.register(selector, SelectionKey.OP_READ, this);
        this.activeAt = System.nanoTime();
    }

    /** Does what the channel is ready for. */
    void ready() {
        work(() -> {
            if (key.isReadable()) {
                read();
            }
            proceed();
        });
    }

    /** Takes what has arrived and nothing that comes later; the connection is over when that is answered. */
    void finish() {
        work(() -> {
            for (int turn = 0; turn < LAST_TURNS && reading && read(); turn++) {
                proceed();
            }
            inputEnded = true;
            proceed();
        });
    }

    /** Returns whether nothing is asked and nothing is due. */
    boolean isIdle() {
        return inFlight == 0 && unsent.isEmpty() && !unread.hasRemaining();
    }

    /** Returns for how long nothing has come or gone, in nanoseconds. */
    long quietFor(long now) {
        return now - activeAt;
    }

    /** Returns the nanoseconds until a limit is reached; 0 or less when it has been. */
    long nanosLeft(long now) {
        ServerLimits limits = serving.limits();
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

    /** Closes the connection: in order when nothing is due, else by a reset, so that the kernel forgets what is unsent. */
    void end() {
        try {
            if (!isIdle() && channel.isOpen()) {
                channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            }
            channel.close();
        } catch (IOException gone) {
            // It is closed all the same: the client was faster.
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
            // A reset, or a response to a client that has left: its own affair.
            end();
        } catch (RuntimeException broken) {
            // A mistake of ours costs one connection, not all of them.
            serving.failures().report("a TCP connection could not be served", broken);
            end();
        } finally {
            working = false;
            keepUnread();
        }
    }

    /** Reads once; returns whether anything came. */
    private boolean read() throws IOException {
        keepUnread();
        ByteBuffer input = listener.input();
        boolean between = !unread.hasRemaining();
        input.clear().put(unread).limit(input.position() + OCTETS_PER_TURN);
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

    /** What is left in the shared buffer moves out of it before anything else is read into it. */
    private void keepUnread() {
        if (unread.isDirect()) {
            unread = unread.hasRemaining()
                    ? ByteBuffer.allocate(unread.remaining()).put(unread).flip()
                    : NOTHING;
        }
    }

    /** Goes as far as can be gone without waiting for the client or an answer. */
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
            // The time in which nothing was read is not the client's.
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

    /** Begins the messages that are whole while there is room; returns whether there was one. */
    private boolean answerUnread() {
        boolean any = false;
        while (hasRoom() && Messages.isWhole(unread)) {
            any = true;
            ByteBuffer query = Messages.takeFrom(unread);
            if (serving.answer(listener.session(), query, Client.Transport.TCP)) {
                queue(Messages.framed(listener.session().response()));
                continue;
            }
            inFlight++;
            Reply reply = new Reply();
            if (!serving.respond(listener.session(), client, reply)) {
                reply.silence();
            }
        }
        if (any) {
            receiveBegunAt = System.nanoTime();
        }
        return any;
    }

    private boolean hasRoom() {
        return inFlight < serving.limits().queriesPerConnection()
                && unsentBytes < serving.limits().unsentBytesPerConnection();
    }

    /** Takes the end of one query: a response with its length before it, or nothing. */
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

    /** Where the response to one query goes, from any thread. */
    private final class Reply implements DnsResponder.Sink {
        private final AtomicBoolean given = new AtomicBoolean();

        @Override
        public void response(ByteBuffer response) {
            give(Messages.framed(response));
        }

        @Override
        public void silence() {
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
