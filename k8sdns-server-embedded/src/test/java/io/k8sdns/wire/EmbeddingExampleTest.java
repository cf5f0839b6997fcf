package io.k8sdns.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.ClusterIpService;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.zone.ClusterZone;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.Message;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** The code of a host that connects the responder to its own transport, here the JDK's datagram channel. */
class EmbeddingExampleTest {
    // region zone
    static DnsResponder responder() {
        ClusterZone zone = ClusterZone.create();
        zone.put(ClusterIpService.of("shop", "cart", "10.96.0.10"));
        return DnsResponder.builder(ResolverChain.of(zone)).build();
    }
    // endregion

    // region transport
    static void serve(DatagramChannel channel, DnsResponder responder) throws IOException {
        ByteBuffer query = ByteBuffer.allocate(65535);
        while (channel.isOpen()) {
            InetSocketAddress client = (InetSocketAddress) channel.receive(query.clear());
            responder.respond(query.flip(), Client.udp(client), response -> send(channel, response, client));
        }
    }

    static void send(DatagramChannel channel, ByteBuffer response, InetSocketAddress client) {
        try {
            channel.send(response, client);
        } catch (IOException failed) {
            // Like a datagram that the network lost: the client retries.
        }
    }
    // endregion

    @Test
    void aHostAnswersOnItsOwnTransport() throws Exception {
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        Thread host;
        try (DatagramChannel channel = DatagramChannel.open().bind(anyPort);
                DatagramSocket client = new DatagramSocket(anyPort)) {
            host = new Thread(() -> untilClosed(channel));
            host.start();
            byte[] query = Packet.query("cart.shop.svc.cluster.local.", Type.A).bytes();
            client.setSoTimeout(60_000);
            client.send(new DatagramPacket(query, query.length, channel.getLocalAddress()));
            DatagramPacket response = new DatagramPacket(new byte[512], 512);
            client.receive(response);

            Message message = new Message(Arrays.copyOf(response.getData(), response.getLength()));
            assertThat(message.getSection(Section.ANSWER))
                    .singleElement()
                    .asString()
                    .contains("cart.shop.svc.cluster.local.", "10.96.0.10");
        }
        host.join();
    }

    private static void untilClosed(DatagramChannel channel) {
        try {
            serve(channel, responder());
        } catch (ClosedChannelException closed) {
            // The test is over.
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
