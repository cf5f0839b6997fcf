package io.k8sdns.forward;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A TCP or TLS connection to one server. Queries are pipelined; responses arrive in any order (RFC 7766). */
final class StreamConnection implements IoLoop.Handler {
    private static final int LENGTH_BYTES = 2;
    private static final int INITIAL_BUFFER = 4_096;

    /** The number of bytes after which other channels are served. */
    private static final int BYTES_PER_TURN = 65_536;

    private static final long STALL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final IoLoop loop;
    private final SocketChannel channel;
    private final SelectionKey key;
    private final @Nullable TlsEngine tls;
    private final Consumer<StreamConnection> ended;
    private final Map<Integer, Attempt> pending = new LinkedHashMap<>();
    private final Queue<ByteBuffer> unsent = new ArrayDeque<>();
    private ByteBuffer received = ByteBuffer.allocate(INITIAL_BUFFER);
    private boolean hasAnswered;

    /** Separate from the channel's state, because the JDK closes a channel whose connection was refused. */
    private boolean isEnded;

    /** Whether a task that continues reading is scheduled. */
    private boolean hasNextTurn;

    private long activeAt = System.nanoTime();

    /** The time at which the last complete message was received; initially the start of the connection. */
    private long messageAt = activeAt;

    /**
     * Starts to connect.
     *
     * @param tls for TLS; null for plain TCP
     * @param ended receives this connection when it is closed, before its attempts fail
     */
    StreamConnection(IoLoop loop, InetSocketAddress server, @Nullable TlsEngine tls, Consumer<StreamConnection> ended)
            throws IOException {
        this.loop = loop;
        this.tls = tls;
        this.ended = ended;
        this.channel = SocketChannel.open();
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            boolean connected = channel.connect(server);
            this.key = loop.register(channel, connected ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT, this);
        } catch (IOException failed) {
            channel.close();
            throw failed;
        }
    }

    boolean hasAnswered() {
        return hasAnswered;
    }

    int pendingCount() {
        return pending.size();
    }

    boolean isPending(int id) {
        return pending.containsKey(id);
    }

    /**
     * Returns whether the oldest query has waited for a while. The server may then be processing the queries one after the other, so
     * that later queries would wait, too.
     */
    boolean isStalled() {
        for (Attempt oldest : pending.values()) {
            return System.nanoTime() - oldest.sentAt() > STALL_NANOS;
        }
        return false;
    }

    /** Returns when bytes were last received, by {@link System#nanoTime()}; initially when the connection was started. */
    long activeAt() {
        return activeAt;
    }

    /** Sends a query; the attempt receives the response or the failure. */
    void send(Attempt attempt) throws IOException {
        pending.put(attempt.id(), attempt);
        byte[] message = attempt.message();
        unsent.add(ByteBuffer.allocate(LENGTH_BYTES + message.length)
                .putShort((short) message.length)
                .put(message)
                .flip());
        if (channel.isConnected()) {
            flush();
        }
    }

    /**
     * Stops waiting for a response.
     *
     * @param late whether the query timed out. If no message arrived since it was sent, the connection is closed, since it may be stuck
     *     in a handshake or within a message
     */
    void forget(Attempt attempt, boolean late) {
        pending.remove(attempt.id(), attempt);
        if (late && messageAt - attempt.sentAt() <= 0) {
            end(new IOException("no response"));
        }
    }

    @Override
    public void ready(SelectionKey selected) throws IOException {
        if (selected.isConnectable() && channel.finishConnect()) {
            activeAt = System.nanoTime();
        }
        if (channel.isConnected()) {
            if (selected.isReadable()) {
                read();
            }
            flush();
        }
    }

    /** Continues reading. A task, because the selector does not report bytes that are already decrypted. */
    private void nextTurn() {
        hasNextTurn = false;
        if (!isEnded) {
            try {
                read();
                flush();
            } catch (IOException failed) {
                end(failed);
            }
        }
    }

    private void read() throws IOException {
        int taken = 0;
        while (!isEnded) {
            if (taken >= BYTES_PER_TURN) {
                if (!hasNextTurn) {
                    hasNextTurn = true;
                    boolean unused = loop.execute(this::nextTurn);
                }
                return;
            }
            if (!received.hasRemaining()) {
                received = ByteBuffer.allocate(2 * received.capacity()).put(received.flip());
            }
            int count = tls == null ? channel.read(received) : tls.read(channel, received);
            if (count < 0) {
                throw new EOFException("the server closed the connection");
            }
            if (count == 0) {
                return;
            }
            taken += count;
            activeAt = System.nanoTime();
            received.flip();
            takeMessages();
            received.compact();
        }
    }

    private void takeMessages() throws IOException {
        while (received.remaining() >= LENGTH_BYTES && !isEnded) {
            int start = received.position();
            int length = Short.toUnsignedInt(received.getShort(start));
            if (received.remaining() - LENGTH_BYTES < length) {
                return;
            }
            messageAt = System.nanoTime();
            ByteBuffer message = received.slice(start + LENGTH_BYTES, length);
            received.position(start + LENGTH_BYTES + length);
            if (length < UpstreamExchange.HEADER_LENGTH) {
                throw new IOException("message of " + length + " bytes is shorter than a DNS header");
            }
            Attempt attempt = pending.get(Short.toUnsignedInt(message.getShort(0)));
            if (attempt != null && attempt.isResponse(message)) {
                pending.remove(attempt.id());
                hasAnswered = true;
                attempt.received(message);
            }
        }
    }

    private void flush() throws IOException {
        if (isEnded) {
            return;
        }
        if (tls != null && !tls.advance(channel)) {
            key.interestOps(SelectionKey.OP_READ | (tls.hasUnsent() ? SelectionKey.OP_WRITE : 0));
            return;
        }
        boolean blocked = false;
        while (!unsent.isEmpty() && !blocked) {
            ByteBuffer next = unsent.element();
            if (tls == null) {
                channel.write(next);
            } else {
                tls.write(channel, next);
            }
            blocked = next.hasRemaining() || tls != null && tls.hasUnsent();
            if (!next.hasRemaining()) {
                unsent.remove();
            }
        }
        boolean isFull = tls == null ? blocked : tls.hasUnsent();
        key.interestOps(SelectionKey.OP_READ | (isFull ? SelectionKey.OP_WRITE : 0));
    }

    @Override
    public void failed(IOException failure) {
        end(failure);
    }

    /**
     * Closes the connection and fails its pending attempts. Not a failure of the server by itself, which may close a connection at any
     * time.
     */
    void end(IOException failure) {
        if (isEnded) {
            return;
        }
        isEnded = true;
        key.cancel();
        try {
            channel.close();
        } catch (IOException ignored) {
            // The connection is not used any more.
        }
        ended.accept(this);
        List<Attempt> waiting = new ArrayList<>(pending.values());
        pending.clear();
        waiting.forEach(attempt -> attempt.lost(failure, hasAnswered));
    }
}
