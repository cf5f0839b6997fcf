package io.k8sdns.rfc2136;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A blocking TCP connection for DNS messages, used by one thread. Messages are pipelined; responses may arrive in any order. Reads
 * while it writes, so that it does not deadlock with a server that stops reading until its responses are read. {@link #close} by
 * another thread, or an interrupt, ends a blocking call.
 */
final class DnsStream implements AutoCloseable {
    private static final int BUFFER = 65_536;
    private static final int LENGTH = 2;

    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final long idleNanos;
    private final long deadline;
    private final InetSocketAddress server;

    private final ByteBuffer in = ByteBuffer.allocate(LENGTH + BUFFER);

    private DnsStream(SocketChannel channel, Selector selector, InetSocketAddress server, Duration idle, Duration whole)
            throws IOException {
        this.channel = channel;
        this.selector = selector;
        this.server = server;
        this.idleNanos = idle.toNanos();
        this.deadline = System.nanoTime() + whole.toNanos();
        channel.configureBlocking(false);
        key = channel.register(selector, 0);
    }

    /**
     * Creates a connection, which the first exchange opens.
     *
     * @param idle the longest time without progress
     * @param whole the longest time of all exchanges together, from now
     */
    static DnsStream to(InetSocketAddress server, Duration idle, Duration whole) throws IOException {
        Selector selector = Selector.open();
        SocketChannel channel = null;
        try {
            channel = SocketChannel.open();
            return new DnsStream(channel, selector, server, idle, whole);
        } catch (IOException | RuntimeException failed) {
            if (channel != null) {
                channel.close();
            }
            selector.close();
            throw failed;
        }
    }

    /** Receives the messages of an exchange. */
    interface Received {
        /**
         * Handles a message.
         *
         * @return whether it was the last one
         * @throws IOException if the exchange cannot continue
         */
        boolean message(byte[] message) throws IOException;
    }

    /**
     * Sends messages, and receives messages until the receiver has got the last one.
     *
     * @param messages at most 65,535 bytes each
     * @param window the maximum number of unanswered messages, if each has one response
     */
    void exchange(Collection<byte[]> messages, int window, Received received) throws IOException {
        try {
            if (!channel.isConnected()) {
                connect();
            }
            Queue<byte[]> waiting = new ArrayDeque<>(messages);
            ByteBuffer out = null;
            int sent = 0;
            int answered = 0;
            while (true) {
                if (out == null && sent - answered < window && !waiting.isEmpty()) {
                    out = framed(waiting.remove());
                    sent++;
                }
                await(out == null ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE);
                if (out != null && key.isWritable()) {
                    channel.write(out);
                    out = out.hasRemaining() ? out : null;
                }
                if (key.isReadable()) {
                    if (channel.read(in) < 0) {
                        throw new IOException("the server closed the connection");
                    }
                    for (byte[] message = next(); message != null; message = next()) {
                        answered++;
                        if (received.message(message)) {
                            return;
                        }
                    }
                }
            }
        } catch (ClosedSelectorException | CancelledKeyException closed) {
            throw new IOException("closed", closed);
        }
    }

    private void connect() throws IOException {
        if (!channel.connect(server)) {
            do {
                await(SelectionKey.OP_CONNECT);
            } while (!channel.finishConnect());
        }
    }

    private void await(int operations) throws IOException {
        key.interestOps(operations);
        long until = System.nanoTime() + Math.min(idleNanos, deadline - System.nanoTime());
        selector.selectedKeys().clear();
        for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
            // Plus 1, because a timeout of 0 means no timeout.
            if (selector.select(TimeUnit.NANOSECONDS.toMillis(left) + 1) > 0) {
                return;
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new IOException("interrupted");
            }
        }
        throw new SocketTimeoutException("no response in time");
    }

    private static ByteBuffer framed(byte[] message) {
        ByteBuffer framed = ByteBuffer.allocate(LENGTH + message.length);
        framed.putShort((short) message.length).put(message).flip();
        return framed;
    }

    /** Returns the next complete message; null if there is none yet. */
    private byte @Nullable [] next() {
        if (in.position() < LENGTH) {
            return null;
        }
        int length = in.getShort(0) & 0xFFFF;
        if (in.position() < LENGTH + length) {
            return null;
        }
        byte[] message = Arrays.copyOfRange(in.array(), LENGTH, LENGTH + length);
        in.flip().position(LENGTH + length);
        in.compact();
        return message;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException ignored) {
            // The channel is not used any more.
        }
        try {
            selector.close();
        } catch (IOException ignored) {
            // The selector is not used any more.
        }
    }
}
