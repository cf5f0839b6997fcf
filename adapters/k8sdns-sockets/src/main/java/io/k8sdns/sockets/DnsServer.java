package io.k8sdns.sockets;

import io.k8sdns.resolver.Client;
import io.k8sdns.wire.DnsResponder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.util.Optional;

/** A listener that answers DNS. Closing it frees the socket and ends its thread. */
public final class DnsServer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.k8sdns.sockets");

    private final DatagramChannel channel;
    private final DnsResponder responder;
    private final Thread thread;

    private DnsServer(DatagramChannel channel, DnsResponder responder) {
        this.channel = channel;
        this.responder = responder;
        this.thread = new Thread(this::loop, "k8sdns-udp");
    }

    /**
     * Binds a socket and starts to answer.
     *
     * @throws IOException if the address cannot be bound
     */
    public static DnsServer start(InetSocketAddress listen, DnsResponder responder) throws IOException {
        DatagramChannel channel = DatagramChannel.open();
        try {
            channel.bind(listen);
        } catch (IOException | RuntimeException failed) {
            channel.close();
            throw failed;
        }
        DnsServer server = new DnsServer(channel, responder);
        server.thread.start();
        return server;
    }

    /** Returns the address that is listened at. */
    public InetSocketAddress address() throws IOException {
        return (InetSocketAddress) channel.getLocalAddress();
    }

    private void loop() {
        ByteBuffer buffer = ByteBuffer.allocate(65535);
        while (channel.isOpen()) {
            try {
                buffer.clear();
                SocketAddress from = channel.receive(buffer);
                if (from instanceof InetSocketAddress asker) {
                    buffer.flip();
                    responder.respond(buffer, new Client(Optional.of(asker), Client.Transport.UDP), new Reply(asker));
                }
            } catch (ClosedChannelException closed) {
                return;
            } catch (IOException failed) {
                LOG.log(System.Logger.Level.WARNING, "UDP: " + failed.getMessage());
            }
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private final class Reply implements DnsResponder.Sink {
        private final InetSocketAddress asker;

        Reply(InetSocketAddress asker) {
            this.asker = asker;
        }

        @Override
        public void response(ByteBuffer response) {
            try {
                channel.send(response, asker);
            } catch (IOException failed) {
                LOG.log(System.Logger.Level.DEBUG, "UDP: " + failed.getMessage());
            }
        }

        @Override
        public void silence() {}
    }
}
