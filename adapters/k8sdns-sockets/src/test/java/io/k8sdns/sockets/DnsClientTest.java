package io.k8sdns.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.resolver.Client.Transport;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class DnsClientTest {
    private final TestZone zone = new TestZone();

    @Test
    void tenThousandQueriesUseOneSocketAndOneConnection() throws IOException {
        try (DnsServer server =
                        zone.serve(TestZone.PATIENT.toBuilder().connections(1).build());
                DnsClient client = new DnsClient()) {
            for (Transport transport : Transport.values()) {
                for (int id = 0; id < 10_000; id++) {
                    byte[] response = client.exchange(
                            TestZone.query(id, "name-" + id + ".test."),
                            server.addresses().get(0),
                            transport,
                            TestZone.PATIENCE);
                    assertThat(ByteBuffer.wrap(response).getShort()).isEqualTo((short) id);
                }
            }
        }
    }

    @Test
    void aLostDatagramIsSentAgain() throws Exception {
        CompletableFuture<Void> answering;
        try (DatagramSocket server = new DatagramSocket(TestZone.loopback(0));
                DnsClient client = new DnsClient()) {
            Set<Short> seen = ConcurrentHashMap.newKeySet();
            answering = CompletableFuture.runAsync(() -> {
                try {
                    while (true) {
                        DatagramPacket query = receive(server);
                        if (!seen.add(ByteBuffer.wrap(query.getData()).getShort())) {
                            respond(server, query, bytes -> bytes);
                        }
                    }
                } catch (IOException over) {
                    // The test has closed the socket.
                }
            });
            assertThat(exchangeInTime(client, TestZone.loopback(server.getLocalPort())))
                    .hasSizeGreaterThan(12);
            assertThat(seen).isNotEmpty();
        }
        answering.get(1, TimeUnit.MINUTES);
    }

    /** Retries after a timeout, because an answer may be late on a slow machine. */
    private static byte[] exchangeInTime(DnsClient client, InetSocketAddress server) throws IOException {
        for (int id = 1; ; id++) {
            try {
                return client.exchange(TestZone.query(id, "a.test."), server, Transport.UDP, Duration.ofMillis(900));
            } catch (SocketTimeoutException late) {
                // Tries again.
            }
        }
    }

    @Test
    void onlyTheResponseToTheQueryIsAccepted() throws Exception {
        try (DatagramSocket server = new DatagramSocket(TestZone.loopback(0));
                DatagramSocket stranger = new DatagramSocket(TestZone.loopback(0));
                DnsClient client = new DnsClient()) {
            CompletableFuture<byte[]> exchange = exchange(client, server, TestZone.PATIENCE);
            DatagramPacket query = receive(server);
            respond(server, query, bytes -> Arrays.copyOf(bytes, 5));
            respond(server, query, bytes -> with(bytes, 1, bytes[1] + 1));
            respond(server, query, bytes -> with(bytes, 13, 'b'));
            respond(server, query, bytes -> with(bytes, bytes.length - 1, 3));
            respond(server, query, bytes -> with(bytes, bytes.length - 3, 'a'));
            respond(server, query, bytes -> with(bytes, 5, 0));
            respond(stranger, query, bytes -> with(bytes, 3, 5));
            server.send(query);
            respond(server, query, bytes -> with(bytes, 13, 'A'));
            assertThat(exchange.get(1, TimeUnit.MINUTES)[13]).isEqualTo((byte) 'A');
        }
    }

    @Test
    void aFailureNeedsNoQuestion() throws Exception {
        try (DatagramSocket server = new DatagramSocket(TestZone.loopback(0));
                DnsClient client = new DnsClient()) {
            CompletableFuture<byte[]> exchange = exchange(client, server, TestZone.PATIENCE);
            respond(server, receive(server), bytes -> Arrays.copyOf(with(with(bytes, 5, 0), 3, 1), 12));
            assertThat(exchange.get(1, TimeUnit.MINUTES)).hasSize(12);
        }
    }

    @Test
    void aMissingResponseIsATimeout() throws Exception {
        try (DatagramSocket udp = new DatagramSocket(TestZone.loopback(0));
                ServerSocket tcp = new ServerSocket(0, 1, TestZone.ip("127.0.0.1"));
                DnsClient client = new DnsClient()) {
            Duration brief = Duration.ofMillis(150);
            byte[] query = TestZone.query(1, "a.test.");
            InetSocketAddress overUdp = TestZone.loopback(udp.getLocalPort());
            assertThatThrownBy(() -> client.exchange(query, overUdp, Transport.UDP, brief))
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessage("127.0.0.1:" + udp.getLocalPort() + " (udp): no response within 150 ms");
            InetSocketAddress overTcp = TestZone.loopback(tcp.getLocalPort());
            assertThatThrownBy(() -> client.exchange(query, overTcp, Transport.TCP, brief))
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessage("127.0.0.1:" + tcp.getLocalPort() + " (tcp): no response within 150 ms");
        }
    }

    @Test
    void aClosedPortIsReported() throws IOException {
        try (DatagramSocket udp = new DatagramSocket(TestZone.loopback(0));
                Socket tcp = new Socket();
                DnsClient client = new DnsClient()) {
            // These sockets refuse all others, and keep other programs from their ports.
            udp.connect(udp.getLocalSocketAddress());
            tcp.bind(TestZone.loopback(0));
            byte[] query = TestZone.query(1, "a.test.");
            for (Transport transport : Transport.values()) {
                int port = transport == Transport.UDP ? udp.getLocalPort() : tcp.getLocalPort();
                assertThatThrownBy(() -> client.exchange(query, TestZone.loopback(port), transport, TestZone.PATIENCE))
                        .isInstanceOf(ConnectException.class)
                        .hasMessageStartingWith("127.0.0.1:" + port + " (");
            }
        }
    }

    @Test
    void aConnectionThatTheServerClosedIsOpenedAgain() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, TestZone.ip("127.0.0.1"));
                DnsClient client = new DnsClient()) {
            CompletableFuture<Void> served = CompletableFuture.runAsync(() -> {
                for (int i = 0; i < 2; i++) {
                    answerOnce(server);
                }
            });
            for (int id = 0; id < 2; id++) {
                client.exchange(
                        TestZone.query(id, "a.test."),
                        TestZone.loopback(server.getLocalPort()),
                        Transport.TCP,
                        TestZone.PATIENCE);
            }
            served.get(1, TimeUnit.MINUTES);
        }
    }

    private static void answerOnce(ServerSocket server) {
        try (Socket socket = server.accept()) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            byte[] query = new byte[in.readUnsignedShort()];
            in.readFully(query);
            socket.getOutputStream()
                    .write(Messages.framed(ByteBuffer.wrap(with(query, 2, 0x80)))
                            .array());
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }

    private static CompletableFuture<byte[]> exchange(DnsClient client, DatagramSocket server, Duration timeout) {
        return CompletableFuture.supplyAsync(() -> {
            // Type 65, HTTPS: its number is a letter, whose case counts.
            byte[] query = TestZone.query(1, "a.test.");
            try {
                return client.exchange(
                        with(query, query.length - 3, 'A'),
                        TestZone.loopback(server.getLocalPort()),
                        Transport.UDP,
                        timeout);
            } catch (IOException failed) {
                throw new AssertionError(failed);
            }
        });
    }

    private static DatagramPacket receive(DatagramSocket socket) throws IOException {
        socket.setSoTimeout((int) TestZone.PATIENCE.toMillis());
        DatagramPacket packet = new DatagramPacket(new byte[512], 512);
        socket.receive(packet);
        return packet;
    }

    private interface Change {
        byte[] of(byte[] response);
    }

    private static void respond(DatagramSocket socket, DatagramPacket query, Change change) throws IOException {
        byte[] response = change.of(with(Arrays.copyOf(query.getData(), query.getLength()), 2, 0x80));
        socket.send(new DatagramPacket(response, response.length, query.getSocketAddress()));
    }

    private static byte[] with(byte[] bytes, int at, int value) {
        byte[] changed = bytes.clone();
        changed[at] = (byte) value;
        return changed;
    }
}
