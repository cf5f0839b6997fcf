package io.k8sdns.sockets;

import io.k8sdns.resolver.Client;
import io.k8sdns.wire.DnsResponder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Answers what comes to one UDP socket, from the address that it was sent to: the socket is bound to that address alone.
 *
 * <p>One thread receives; answers leave from any thread. While the same client asks nothing is allocated here: the
 * channel hands out the same address object as long as it does not change, and what is made of it is kept.
 */
final class UdpSocket {
    private final DatagramChannel channel;
    private final Serving serving;
    private final InFlight inFlight;
    private Asker last = new Asker(new InetSocketAddress(0));

    /** Takes over a bound channel; its queries are counted here. */
    UdpSocket(DatagramChannel channel, Serving serving, InFlight inFlight) {
        this.channel = channel;
        this.serving = serving;
        this.inFlight = inFlight;
    }

    /**
     * Receives one datagram; in blocking mode waits for it.
     *
     * @return who sent it; null if none is there, in non-blocking mode only
     */
    @Nullable
    InetSocketAddress receive(ByteBuffer buffer) throws IOException {
        buffer.clear();
        InetSocketAddress from = (InetSocketAddress) channel.receive(buffer);
        buffer.flip();
        return from;
    }

    /** Has a datagram answered, now or later. The buffer may be used again when this returns. */
    void answer(ByteBuffer query, InetSocketAddress from) {
        if (!last.address.equals(from)) {
            last = new Asker(from);
        }
        inFlight.begin();
        if (!serving.respond(query, last.client, last)) {
            inFlight.end();
        }
    }

    /** Frees the socket; ends a {@link #receive} that waits. */
    void close() {
        try {
            channel.close();
        } catch (IOException failed) {
            serving.failures().report("a UDP socket could not be closed", failed);
        }
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    /** Sends an empty datagram from this socket to itself. */
    void sendToItself() throws IOException {
        channel.send(ByteBuffer.allocate(0), channel.getLocalAddress());
    }

    /** Where the responses to one client go; serves any number of its queries, since nothing in it is of one query. */
    private final class Asker implements DnsResponder.Sink {
        private final InetSocketAddress address;
        private final Client client;

        Asker(InetSocketAddress address) {
            this.address = address;
            this.client = new Client(Optional.of(address), Client.Transport.UDP);
        }

        @Override
        public void response(ByteBuffer response) {
            // A channel that an interrupted thread writes to closes, and would be closed to every client. The thread
            // may
            // be a host's that is about to end.
            boolean interrupted = Thread.interrupted();
            try {
                // Without room in the send buffer a non-blocking channel drops it, as the network may.
                channel.send(response, address);
            } catch (IOException failed) {
                if (channel.isOpen()) {
                    serving.failures().report("a response could not be sent over UDP", failed);
                }
            } finally {
                inFlight.end();
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        @Override
        public void silence() {
            inFlight.end();
        }
    }
}
