package io.k8sdns.sockets;

import io.k8sdns.resolver.Client;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.wire.DnsSession;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Answers the datagrams of one UDP socket. Responses have the right source address, since the socket is bound to one address.
 *
 * <p>One thread receives; any thread sends. Allocates nothing for a query that the responder answers at once; the JDK allocates
 * the sender's address whenever it differs from the last one.
 */
final class UdpSocket {
    private final DatagramChannel channel;
    private final QueryHandler handler;
    private final InFlight inFlight;
    private final Sender whenClosed;

    /**
     * Takes over a bound channel.
     *
     * @param inFlight counts the queries whose answers come later
     * @param whenClosed sends such an answer when this socket is closed by then
     */
    UdpSocket(DatagramChannel channel, QueryHandler handler, InFlight inFlight, Sender whenClosed) {
        this.channel = channel;
        this.handler = handler;
        this.inFlight = inFlight;
        this.whenClosed = whenClosed;
    }

    /**
     * Receives one datagram; in blocking mode waits for it.
     *
     * @return the sender; null if there is no datagram, in non-blocking mode only
     */
    @Nullable
    InetSocketAddress receive(ByteBuffer buffer) throws IOException {
        buffer.clear();
        InetSocketAddress from = (InetSocketAddress) channel.receive(buffer);
        buffer.flip();
        return from;
    }

    /**
     * Answers a datagram, now or later. The buffer and the session may be used again when this returns.
     *
     * @param session the calling thread's
     */
    void answer(ByteBuffer query, InetSocketAddress from, DnsSession session) {
        if (handler.answer(session, query, Client.Transport.UDP)) {
            answered(session.response(), from);
            return;
        }
        inFlight.begin();
        DatagramSink sink = new DatagramSink(from);
        if (!handler.respond(session, Client.udp(from), sink)) {
            sink.drop();
        }
    }

    private void answered(ByteBuffer response, InetSocketAddress to) {
        try {
            // A non-blocking channel without room in the send buffer drops the response, as a network may.
            channel.send(response, to);
        } catch (ClosedChannelException closed) {
            later(response, to);
        } catch (IOException failed) {
            handler.failures().report("a response could not be sent over UDP", failed);
        }
    }

    private void later(ByteBuffer response, InetSocketAddress to) {
        try {
            whenClosed.send(response, to);
        } catch (ClosedChannelException ended) {
            // The server has ended after its drain time.
        } catch (IOException failed) {
            handler.failures().report("a response could not be sent over UDP", failed);
        }
    }

    /** Sends a datagram from this socket. */
    void sendTo(ByteBuffer datagram, InetSocketAddress to) throws IOException {
        channel.send(datagram, to);
    }

    /** Frees the socket; ends a {@link #receive} that waits. */
    void close() {
        try {
            channel.close();
        } catch (IOException failed) {
            handler.failures().report("a UDP socket could not be closed", failed);
        }
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    /** Returns the size of the socket's receive buffer, which may be less than requested. */
    int receiveBufferBytes() throws IOException {
        return channel.getOption(StandardSocketOptions.SO_RCVBUF);
    }

    /** Receives the response to one query that was not answered at once, from any thread. */
    private final class DatagramSink implements DnsResponder.Sink {
        private final InetSocketAddress to;
        private final AtomicBoolean given = new AtomicBoolean();

        DatagramSink(InetSocketAddress to) {
            this.to = to;
        }

        @Override
        public void response(ByteBuffer response) {
            // A channel closes, for all clients, when an interrupted thread writes to it. The thread may be a host's
            // that is about to end.
            boolean interrupted = Thread.interrupted();
            try {
                answered(response, to);
            } finally {
                drop();
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        @Override
        public void drop() {
            if (given.compareAndSet(false, true)) {
                inFlight.end();
            }
        }
    }

    /** Sends a datagram. */
    @FunctionalInterface
    interface Sender {
        void send(ByteBuffer datagram, InetSocketAddress to) throws IOException;
    }
}
