package io.k8sdns.sockets;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Client.Transport;
import io.k8sdns.wire.DnsResponder;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;

@Timeout(300)
class UdpTest {
    private final TestZone zone = new TestZone();

    @Test
    void aDatagramIsAnswered() throws IOException {
        try (DnsServer server = zone.serve(TestZone.PATIENT);
                DnsClient client = new DnsClient()) {
            Message response = ask(client, server.addresses().get(0), 4711, "a.test.");
            assertThat(response.getHeader().getID()).isEqualTo(4711);
        }
    }

    @Test
    void theResponderReceivesTheClientAddress() throws Exception {
        try (DnsServer server = zone.serve(TestZone.PATIENT);
                DatagramSocket client = socket()) {
            send(client, server.addresses().get(0), TestZone.query(1, "later.test."));
            TestZone.Asked asked = zone.nextAsked();
            Client expected = Client.udp((InetSocketAddress) client.getLocalSocketAddress())
                    .withResponseLimit(512);
            assertThat(asked.client()).isEqualTo(expected);
            asked.complete();
            assertThat(receive(client).getHeader().getID()).isEqualTo(1);
        }
    }

    @Test
    void laterAnswersAreSentToTheirClients() throws Exception {
        try (DnsServer server = zone.serve(TestZone.PATIENT);
                DatagramSocket one = socket();
                DatagramSocket other = socket()) {
            InetSocketAddress address = server.addresses().get(0);
            send(one, address, TestZone.query(1, "later1.test."));
            TestZone.Asked first = zone.nextAsked();
            send(other, address, TestZone.query(2, "later2.test."));
            TestZone.Asked second = zone.nextAsked();
            send(one, address, TestZone.query(3, "a.test."));
            assertThat(receive(one).getHeader().getID()).isEqualTo(3);
            second.complete();
            first.complete();
            assertThat(receive(one).getHeader().getID()).isEqualTo(1);
            assertThat(receive(other).getHeader().getID()).isEqualTo(2);
        }
    }

    @Test
    void aLargeAnswerIsTruncatedAndCompleteOverTcp() throws IOException {
        try (DnsServer server = zone.serve(TestZone.PATIENT);
                DnsClient client = new DnsClient()) {
            byte[] query = TestZone.query(1, "big.test.");
            byte[] cut = client.exchange(query, server.addresses().get(0), Transport.UDP, TestZone.PATIENCE);
            assertThat(cut).hasSizeLessThanOrEqualTo(512);
            assertThat(TestZone.parsed(cut).getHeader().getFlag(Flags.TC)).isTrue();
            byte[] whole = client.exchange(query, server.addresses().get(0), Transport.TCP, TestZone.PATIENCE);
            assertThat(whole).hasSizeGreaterThan(60_000);
        }
    }

    @Test
    void anAnswerFromAnInterruptedThreadIsSentAndTheServerContinues() throws Exception {
        try (DnsServer server = zone.serve(TestZone.PATIENT);
                DatagramSocket client = socket()) {
            InetSocketAddress address = server.addresses().get(0);
            send(client, address, TestZone.query(1, "later.test."));
            TestZone.Asked asked = zone.nextAsked();
            Thread.currentThread().interrupt();
            asked.complete();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(receive(client).getHeader().getID()).isEqualTo(1);
            send(client, address, TestZone.query(2, "a.test."));
            assertThat(receive(client).getHeader().getID()).isEqualTo(2);
        }
    }

    @Test
    void theServerContinuesAfterVanishedClientsAndGarbage() throws Exception {
        try (DnsServer server = zone.serve(TestZone.PATIENT);
                DnsClient client = new DnsClient()) {
            InetSocketAddress address = server.addresses().get(0);
            for (int i = 0; i < 100; i++) {
                TestZone.Asked asked;
                try (DatagramSocket vanished = socket()) {
                    send(vanished, address, new byte[i]);
                    send(vanished, address, TestZone.query(1, "later.test."));
                    asked = zone.nextAsked();
                }
                asked.complete();
            }
            try (DatagramSocket large = socket()) {
                send(large, address, new byte[60_000]);
            }
            try (DatagramSocket other = socket()) {
                send(other, address, TestZone.query(2, "broken.test."));
            }
            ask(client, address, 3, "interrupts.test.");
            assertThat(ask(client, address, 3, "a.test.").getHeader().getID()).isEqualTo(3);
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aWildcardAnswersFromTheAddressOfTheQuery() throws IOException {
        try (DnsServer server = DnsServer.start(
                        List.of(new InetSocketAddress(TestZone.ip("0.0.0.0"), 0)), zone.responder(), TestZone.PATIENT);
                DnsClient client = new DnsClient()) {
            InetSocketAddress listening = server.addresses().get(0);
            assertThat(listening.getAddress().isAnyLocalAddress()).isTrue();
            for (String address : List.of("127.0.0.1", "127.0.0.2", "127.0.1.1")) {
                InetSocketAddress asked = new InetSocketAddress(TestZone.ip(address), listening.getPort());
                // The client's socket is connected, so it receives datagrams only from the address that it queried.
                ask(client, asked, 1, "a.test.");
                client.exchange(TestZone.query(2, "a.test."), asked, Transport.TCP, TestZone.PATIENCE);
            }
            if (server.udp().mode() == UdpMode.PLAIN) {
                assertThat(Threads.ofServers()).hasSize(2);
            } else {
                ask(client, new InetSocketAddress(TestZone.ip("127.9.8.7"), listening.getPort()), 3, "a.test.");
            }
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aWildcardSendsLaterAnswersFromTheAddressOfTheQuery() throws Exception {
        try (DnsServer server = DnsServer.start(
                        List.of(new InetSocketAddress(TestZone.ip("0.0.0.0"), 0)), zone.responder(), TestZone.PATIENT);
                DatagramSocket client = socket()) {
            // A connected socket receives datagrams from its peer only.
            client.connect(new InetSocketAddress(
                    TestZone.ip("127.0.0.2"), server.addresses().get(0).getPort()));
            byte[] query = TestZone.query(1, "later.test.");
            client.send(new DatagramPacket(query, query.length));
            zone.nextAsked().complete();
            assertThat(receive(client).getHeader().getID()).isEqualTo(1);
        }
    }

    @Test
    void answersOfAFullBatchThatAreLargeAllArrive() throws Exception {
        DnsResponder responder = zone.responderOfLargeDatagrams();
        try (DnsServer server = DnsServer.builder(List.of(TestZone.loopback(0)), responder)
                        .udpThreads(1)
                        .start();
                DatagramSocket client = socket()) {
            client.setReceiveBufferSize(1 << 20);
            InetSocketAddress address = server.addresses().get(0);
            send(client, address, TestZone.query(1, "blocks.test."));
            TestZone.Asked held = zone.nextAsked();
            for (int id = 2; id < 10; id++) {
                send(client, address, TestZone.query(id, "big.test.", 40_000));
            }
            zone.stopBlocking();
            held.complete();
            for (int id = 1; id < 10; id++) {
                assertThat(receive(client).getHeader().getID()).isEqualTo(id);
            }
        }
    }

    @Test
    void theServerContinuesAfterAnAnswerTooLongForADatagram() throws Exception {
        try (DnsServer server = DnsServer.builder(List.of(TestZone.loopback(0)), zone.responderOfLargeDatagrams())
                        .start();
                DatagramSocket client = socket()) {
            InetSocketAddress address = server.addresses().get(0);
            // 65,535 bytes would be a message, and 65,507 are a datagram of IPv4.
            send(client, address, TestZone.query(1, "big.test.", 65_535));
            send(client, address, TestZone.query(2, "a.test."));
            assertThat(receive(client).getHeader().getID()).isEqualTo(2);
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void addedAndRemovedAddressesAreFollowed() throws Exception {
        InetAddress first = TestZone.ip("127.0.0.3");
        InetAddress second = TestZone.ip("127.0.0.4");
        InetAddress notOurs = TestZone.ip("192.0.2.77");
        AtomicReference<Set<InetAddress>> addresses = new AtomicReference<>(Set.of(first, notOurs));
        InetSocketAddress wildcard;
        WildcardUdpListener listener;
        for (int triesLeft = 32; ; triesLeft--) {
            try (DatagramSocket free = new DatagramSocket(0, TestZone.ip("0.0.0.0"))) {
                wildcard = new InetSocketAddress(TestZone.ip("0.0.0.0"), free.getLocalPort());
            }
            try {
                listener = new WildcardUdpListener(
                        wildcard,
                        new QueryHandler(zone.responder(), TestZone.PATIENT, new FailureLog()),
                        PortSharing.NONE,
                        any -> new LinkedHashSet<>(addresses.get()),
                        Duration.ofMillis(10));
                break;
            } catch (BindException taken) {
                // Another program may have bound the port meanwhile.
                assertThat(triesLeft).as(taken.getMessage()).isPositive();
            }
        }
        int port = wildcard.getPort();
        Thread thread = new Thread(listener);
        thread.start();
        try (DnsClient client = new DnsClient()) {
            ask(client, new InetSocketAddress(first, port), 1, "a.test.");
            addresses.set(Set.of(second));
            awaitAnswer(client, new InetSocketAddress(second, port));
            assertThat(awaitRefusal(client, new InetSocketAddress(first, port)))
                    .hasMessage("127.0.0.3:" + port + " (udp): nothing listens there");
            addresses.set(Set.of(first));
            awaitAnswer(client, new InetSocketAddress(first, port));
        } finally {
            listener.stop(System.nanoTime());
            thread.join();
        }
    }

    private static void awaitAnswer(DnsClient client, InetSocketAddress server) throws IOException {
        long deadline = System.nanoTime() + TestZone.PATIENCE.toNanos();
        while (true) {
            try {
                client.exchange(TestZone.query(1, "a.test."), server, Transport.UDP, Duration.ofMillis(600));
                return;
            } catch (SocketTimeoutException | ConnectException notYet) {
                assertThat(System.nanoTime()).isLessThan(deadline);
            }
        }
    }

    /** Asks until the server's socket is closed, and returns the exception of that query. */
    private static ConnectException awaitRefusal(DnsClient client, InetSocketAddress server) throws IOException {
        long deadline = System.nanoTime() + TestZone.PATIENCE.toNanos();
        while (true) {
            try {
                client.exchange(TestZone.query(1, "a.test."), server, Transport.UDP, Duration.ofMillis(600));
            } catch (SocketTimeoutException notYet) {
                // The query was in the queue of the socket when that was closed.
            } catch (ConnectException refused) {
                return refused;
            }
            assertThat(System.nanoTime()).as("the socket is closed in time").isLessThan(deadline);
        }
    }

    private static Message ask(DnsClient client, InetSocketAddress server, int id, String name) throws IOException {
        return TestZone.parsed(client.exchange(TestZone.query(id, name), server, Transport.UDP, TestZone.PATIENCE));
    }

    private static DatagramSocket socket() throws IOException {
        DatagramSocket socket = new DatagramSocket(TestZone.loopback(0));
        socket.setSoTimeout((int) TestZone.PATIENCE.toMillis());
        return socket;
    }

    private static void send(DatagramSocket socket, InetSocketAddress server, byte[] bytes) throws IOException {
        socket.send(new DatagramPacket(bytes, bytes.length, server));
    }

    private static Message receive(DatagramSocket socket) throws IOException {
        DatagramPacket packet = new DatagramPacket(new byte[65_535], 65_535);
        socket.receive(packet);
        return TestZone.parsed(Arrays.copyOf(packet.getData(), packet.getLength()));
    }
}
