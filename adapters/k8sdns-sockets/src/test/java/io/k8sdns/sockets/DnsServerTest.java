package io.k8sdns.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.k8sdns.model.ClusterIpService;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client.Transport;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.upstream.ForwardingResolver;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.zone.ClusterZone;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SimpleResolver;
import org.xbill.DNS.Type;

@Timeout(300)
class DnsServerTest {
    private final TestZone zone = new TestZone();

    @Test
    void portZeroIsTheSamePortForUdpAndTcp() throws IOException {
        try (DnsServer server = zone.serve(TestZone.PATIENT)) {
            assertThat(server.addresses()).hasSize(1);
            InetSocketAddress address = server.addresses().get(0);
            assertThat(address.getAddress()).isEqualTo(TestZone.ip("127.0.0.1"));
            assertThat(address.getPort()).isPositive();
            answersAt(address);
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void portIsSharedByServersThatBothEnableSharing() throws IOException {
        DnsServer first = DnsServer.builder(List.of(TestZone.loopback(0)), zone.responder())
                .limits(TestZone.PATIENT)
                .sharePort()
                .start();
        InetSocketAddress address = first.address();
        try (DnsServer second = DnsServer.builder(List.of(address), zone.responder())
                .sharePort()
                .start()) {
            assertThatThrownBy(() -> DnsServer.builder(List.of(address), zone.responder())
                            .start())
                    .isInstanceOf(BindException.class)
                    .hasMessage("127.0.0.1:" + address.getPort() + " is in use");
            first.close();
            assertThat(second.address()).isEqualTo(address);
            answersAt(address);
        } finally {
            first.close();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void portThatIsNotSharedIsInUse() throws IOException {
        try (DnsServer first = zone.serve(TestZone.PATIENT)) {
            assertThatThrownBy(() -> DnsServer.builder(List.of(first.address()), zone.responder())
                            .sharePort()
                            .start())
                    .isInstanceOf(BindException.class)
                    .hasMessage("127.0.0.1:" + first.port() + " is in use");
        }
    }

    @Test
    void everyAddressAnswers() throws IOException {
        try (DnsServer server = DnsServer.builder(List.of(TestZone.loopback(0), TestZone.loopback(0)), zone.responder())
                .udpThreads(1)
                .start()) {
            assertThat(server.addresses()).hasSize(2).doesNotHaveDuplicates();
            for (InetSocketAddress address : server.addresses()) {
                answersAt(address);
            }
            assertThat(Threads.ofServers()).hasSize(3);
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void udpThreadsAreConfigurable() throws IOException {
        try (DnsServer server = zone.serve(TestZone.PATIENT, 3)) {
            String name = "k8sdns-udp-127.0.0.1:" + server.addresses().get(0).getPort();
            assertThat(Threads.ofServers()).containsExactly("k8sdns-tcp", name, name + "#2", name + "#3");
            assertThat(server.udp().threads()).isEqualTo(3);
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "k8sdns.batched", matches = "true")
    void udpIsBatchedIfTheBuildRequiresIt() throws IOException {
        try (DnsServer server = zone.serve(TestZone.PATIENT)) {
            assertThat(server.udp().mode()).isEqualTo(UdpMode.BATCHED);
            assertThat(server.udp().missing()).isEmpty();
        }
    }

    @Test
    @DisabledIfSystemProperty(named = "k8sdns.batched", matches = "true")
    void batchedUdpIsRefusedWhereItIsUnavailable() {
        assertThatThrownBy(() -> DnsServer.builder(List.of(TestZone.loopback(0)), zone.responder())
                        .udpMode(UdpMode.BATCHED)
                        .start())
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("batched UDP needs JDK 22 or later");
        assertThat(Threads.ofServers()).isEmpty();
    }

    @Test
    void udpIsPlainIfConfigured() throws IOException {
        try (DnsServer server = DnsServer.builder(List.of(TestZone.loopback(0)), zone.responder())
                .udpMode(UdpMode.PLAIN)
                .start()) {
            assertThat(server.udp().mode()).isEqualTo(UdpMode.PLAIN);
            answersAt(server.addresses().get(0));
        }
    }

    @Test
    @SuppressWarnings("NullAway") // the nulls are the test
    void anInvalidListOfAddressesIsReported() {
        assertThatThrownBy(() -> DnsServer.builder(null, zone.responder()))
                .isExactlyInstanceOf(NullPointerException.class)
                .hasMessage("listen");
        assertThatThrownBy(() -> DnsServer.builder(Collections.singletonList(null), zone.responder()))
                .isExactlyInstanceOf(NullPointerException.class)
                .hasMessage("listen[0]");
        assertThatThrownBy(() -> DnsServer.builder(List.of(), zone.responder()))
                .isExactlyInstanceOf(IllegalArgumentException.class)
                .hasMessage("no address to listen at");
        List<InetSocketAddress> unreadable = new AbstractList<>() {
            @Override
            public InetSocketAddress get(int index) {
                throw new IllegalStateException("boom");
            }

            @Override
            public int size() {
                return 1;
            }
        };
        assertThatThrownBy(() -> DnsServer.builder(unreadable, zone.responder()))
                .isExactlyInstanceOf(IllegalArgumentException.class)
                .hasMessage("listen: cannot be read: java.lang.IllegalStateException: boom");
    }

    @Test
    void invalidThreadNumbersAreRefused() {
        for (int number : new int[] {0, 1_025}) {
            assertThatThrownBy(() -> zone.serve(TestZone.PATIENT, number))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("(1 to 1024): " + number);
        }
    }

    @Test
    void ipv6Answers() throws IOException {
        assumeTrue(hasIpv6(), "this machine has no IPv6");
        try (DnsServer server = DnsServer.start(
                List.of(new InetSocketAddress(TestZone.ip("::1"), 0)), zone.responder(), TestZone.PATIENT)) {
            answersAt(server.addresses().get(0));
            assertThat(Threads.ofServers())
                    .contains("k8sdns-udp-[::1]:" + server.addresses().get(0).getPort());
        }
    }

    @Test
    void theWildcardOfIpv6AnswersBothFamilies() throws IOException {
        assumeTrue(hasIpv6(), "this machine has no IPv6");
        try (DnsServer server = DnsServer.start(
                List.of(new InetSocketAddress(TestZone.ip("::"), 0)), zone.responder(), TestZone.PATIENT)) {
            int port = server.addresses().get(0).getPort();
            answersAt(new InetSocketAddress(TestZone.ip("::1"), port));
            answersAt(TestZone.loopback(port));
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void anAddressThatAnotherOneOfTheSameServerIncludesIsExplained() throws IOException {
        int port = freePort();
        InetSocketAddress loopback = TestZone.loopback(port);
        InetSocketAddress ipv4 = new InetSocketAddress(TestZone.ip("0.0.0.0"), port);
        InetSocketAddress all = new InetSocketAddress(TestZone.ip("::"), port);
        String is = ":" + port + " is in use by this server: ";
        doesNotStart(List.of(ipv4, loopback), "127.0.0.1" + is + "0.0.0.0:" + port + " includes it");
        doesNotStart(List.of(loopback, ipv4), "0.0.0.0" + is + "it includes 127.0.0.1:" + port);
        assumeTrue(hasIpv6(), "this machine has no IPv6");
        doesNotStart(List.of(all, ipv4), "0.0.0.0" + is + "[::]:" + port + " includes it");
        doesNotStart(List.of(ipv4, all), "[::]" + is + "it includes 0.0.0.0:" + port);
    }

    private void doesNotStart(List<InetSocketAddress> addresses, String message) {
        assertThatThrownBy(() -> DnsServer.start(addresses, zone.responder(), TestZone.PATIENT))
                .isInstanceOf(BindException.class)
                .hasMessage(message);
    }

    @Test
    void aPortInUseIsReportedAndAllAddressesAreReleased() throws IOException {
        int free = freePort();
        try (DnsServer server = zone.serve(TestZone.PATIENT)) {
            int taken = server.addresses().get(0).getPort();
            assertThatThrownBy(() -> DnsServer.start(
                            List.of(TestZone.loopback(free), TestZone.loopback(taken)),
                            zone.responder(),
                            TestZone.PATIENT))
                    .isInstanceOf(BindException.class)
                    .hasMessage("127.0.0.1:" + taken + " is in use");
            assertThatThrownBy(() -> DnsServer.start(
                            List.of(new InetSocketAddress(TestZone.ip("0.0.0.0"), taken)),
                            zone.responder(),
                            TestZone.PATIENT))
                    .hasMessageContaining(taken + " is in use");
        }
        isFree(free);
        assertThat(Threads.ofServers()).isEmpty();
    }

    @Test
    void aPortInUseOnlyForUdpIsInUse() throws IOException {
        int taken = freePort();
        try (DatagramSocket other = new DatagramSocket(TestZone.loopback(taken))) {
            assertThat(other.isBound()).isTrue();
            assertThatThrownBy(() ->
                            DnsServer.start(List.of(TestZone.loopback(taken)), zone.responder(), TestZone.PATIENT))
                    .hasMessage("127.0.0.1:" + taken + " is in use");
            assertThatThrownBy(() -> DnsServer.start(
                            List.of(new InetSocketAddress(TestZone.ip("0.0.0.0"), taken)),
                            zone.responder(),
                            TestZone.PATIENT))
                    .hasMessageMatching("(127|0)\\.0\\.0\\.[01]:" + taken + " is in use");
            try (ServerSocket tcp = new ServerSocket(taken, 1, TestZone.ip("127.0.0.1"))) {
                assertThat(tcp.isBound()).isTrue();
            }
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aPortThatAnotherProgramSharesIsInUse() throws IOException {
        int taken = freePort();
        try (DatagramChannel other = DatagramChannel.open(StandardProtocolFamily.INET)) {
            other.setOption(StandardSocketOptions.SO_REUSEPORT, true).bind(TestZone.loopback(taken));
            assertThatThrownBy(() ->
                            DnsServer.start(List.of(TestZone.loopback(taken)), zone.responder(), TestZone.PATIENT))
                    .hasMessage("127.0.0.1:" + taken + " is in use");
        }
    }

    @Test
    void anAddressOfAnotherMachineIsReported() {
        assertThatThrownBy(() -> DnsServer.start(
                        List.of(new InetSocketAddress(TestZone.ip("2001:db8::1"), 1053)),
                        zone.responder(),
                        TestZone.PATIENT))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("[2001:db8::1]:1053: ");
        assertThatThrownBy(() -> DnsServer.start(
                        List.of(InetSocketAddress.createUnresolved("dns.example", 1053)),
                        zone.responder(),
                        TestZone.PATIENT))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("dns.example");
    }

    @Test
    void boundServerAnswersQueuedQueriesOnceStarted() throws IOException {
        try (DnsServer server = DnsServer.builder(List.of(TestZone.loopback(0)), zone.responder())
                        .bind();
                DatagramSocket client = new DatagramSocket()) {
            byte[] query = TestZone.query(7, "a.test.");
            client.send(
                    new DatagramPacket(query, query.length, server.addresses().get(0)));
            server.answer();
            client.setSoTimeout((int) TestZone.PATIENCE.toMillis());
            DatagramPacket response = new DatagramPacket(new byte[1232], 1232);
            client.receive(response);
            assertThat(TestZone.parsed(Arrays.copyOf(response.getData(), response.getLength()))
                            .getHeader()
                            .getID())
                    .isEqualTo(7);
            assertThatThrownBy(server::answer).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void boundServerReleasesItsAddresses() throws IOException {
        DnsServer server = DnsServer.builder(List.of(TestZone.loopback(0)), zone.responder())
                .bind();
        int port = server.addresses().get(0).getPort();
        server.close();
        server.close();
        isFree(port);
        assertThatThrownBy(server::answer).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void closingLeavesNoThreadAndNoSocket() throws IOException {
        useAndClose();
        long before = descriptors();
        int port = useAndClose();
        // Those of earlier tests may be closed meanwhile.
        assertThat(descriptors()).isLessThanOrEqualTo(before);
        assertThat(Threads.ofServers()).isEmpty();
        isFree(port);
    }

    @Test
    void closingAnswersReceivedQueriesOnly() throws Exception {
        DnsServer server = zone.serve(TestZone.PATIENT);
        InetSocketAddress address = server.addresses().get(0);
        try (RawTcp tcp = new RawTcp(address);
                RawTcp idle = new RawTcp(address);
                DatagramSocket udp = new DatagramSocket(TestZone.loopback(0))) {
            idle.exchange(1, "a.test.");
            tcp.ask(1, "later.test.");
            TestZone.Asked overTcp = zone.nextAsked();
            byte[] query = TestZone.query(2, "later.test.");
            udp.send(new DatagramPacket(query, query.length, address));
            TestZone.Asked overUdp = zone.nextAsked();
            CompletableFuture<Void> closed = CompletableFuture.runAsync(server::close);
            assertThat(idle.ends()).isTrue();
            refusesTcp(address);
            assertThat(closed).isNotDone();
            overUdp.complete();
            DatagramPacket response = new DatagramPacket(new byte[512], 512);
            udp.setSoTimeout((int) TestZone.PATIENCE.toMillis());
            udp.receive(response);
            overTcp.complete();
            assertThat(tcp.receive().getHeader().getID()).isEqualTo(1);
            assertThat(tcp.ends()).isTrue();
            closed.get(1, TimeUnit.MINUTES);
        }
        assertThat(Threads.ofServers()).isEmpty();
    }

    @Test
    void closingAnswersTheQueriesOfAllThreads() throws Exception {
        DnsServer server = zone.serve(TestZone.PATIENT, 4);
        List<DatagramSocket> clients = new ArrayList<>();
        List<TestZone.Asked> asked = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                clients.add(new DatagramSocket(TestZone.loopback(0)));
                byte[] query = TestZone.query(i, "later.test.");
                clients.get(i)
                        .send(new DatagramPacket(
                                query, query.length, server.addresses().get(0)));
                asked.add(zone.nextAsked());
            }
            CompletableFuture<Void> closed = CompletableFuture.runAsync(server::close);
            if (server.udp().mode() == UdpMode.PLAIN) {
                // All threads but one have closed their sockets; their answers are sent from the last socket.
                awaitUdpThreads(1);
            }
            asked.forEach(TestZone.Asked::complete);
            for (DatagramSocket client : clients) {
                client.setSoTimeout((int) TestZone.PATIENCE.toMillis());
                client.receive(new DatagramPacket(new byte[512], 512));
            }
            closed.get(1, TimeUnit.MINUTES);
        } finally {
            clients.forEach(DatagramSocket::close);
        }
        assertThat(Threads.ofServers()).isEmpty();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void kernelDropsAreCounted() throws Exception {
        ServerLimits small =
                TestZone.PATIENT.toBuilder().udpReceiveBufferBytes(1).build();
        try (DnsServer server = zone.serve(small, 1);
                DatagramSocket client = new DatagramSocket(TestZone.loopback(0))) {
            assertThat(server.udp().receiveBufferBytes()).isBetween(1, 100_000);
            assertThat(server.udpDrops()).hasValue(0);
            byte[] query = TestZone.query(1, "blocks.test.");
            DatagramPacket packet =
                    new DatagramPacket(query, query.length, server.addresses().get(0));
            client.send(packet);
            TestZone.Asked held = zone.nextAsked();
            for (int i = 0; i < 200; i++) {
                client.send(packet);
            }
            // The kernel may deliver datagrams, and count drops, after they were sent.
            for (long until = System.nanoTime() + TestZone.PATIENCE.toNanos();
                    server.udpDrops().orElseThrow() < 100 && System.nanoTime() < until; ) {
                Thread.onSpinWait();
            }
            assertThat(server.udpDrops().orElseThrow()).isBetween(100L, 200L);
            zone.stopBlocking();
            held.complete();
        }
    }

    @Test
    void closingAnswersQueuedQueries() throws Exception {
        DnsServer server = zone.serve(TestZone.PATIENT);
        InetSocketAddress address = server.addresses().get(0);
        try (RawTcp first = new RawTcp(address);
                RawTcp second = new RawTcp(address)) {
            second.exchange(1, "a.test.");
            first.ask(1, "blocks.test.");
            TestZone.Asked held = zone.nextAsked();
            second.ask(2, "a.test.");
            second.ask(3, "a.test.");
            try (RawTcp waitingToBeAccepted = new RawTcp(address)) {
                waitingToBeAccepted.ask(4, "a.test.");
                CompletableFuture<Void> closed = CompletableFuture.runAsync(server::close);
                refusesUdp(address);
                held.complete();
                assertThat(first.receive().getHeader().getID()).isEqualTo(1);
                assertThat(second.receive().getHeader().getID()).isEqualTo(2);
                assertThat(second.receive().getHeader().getID()).isEqualTo(3);
                assertThat(waitingToBeAccepted.receive().getHeader().getID()).isEqualTo(4);
                assertThat(first.ends() && second.ends() && waitingToBeAccepted.ends())
                        .isTrue();
                closed.get(1, TimeUnit.MINUTES);
            }
        }
    }

    @Test
    void closingWaitsAtMostTheDrainTime() throws Exception {
        DnsServer server = zone.serve(
                TestZone.PATIENT.toBuilder().drain(Duration.ofMillis(100)).build());
        InetSocketAddress address = server.addresses().get(0);
        try (RawTcp tcp = new RawTcp(address);
                DatagramSocket udp = new DatagramSocket(TestZone.loopback(0))) {
            tcp.ask(1, "later.test.");
            byte[] query = TestZone.query(2, "later.test.");
            udp.send(new DatagramPacket(query, query.length, address));
            TestZone.Asked first = zone.nextAsked();
            TestZone.Asked second = zone.nextAsked();
            CompletableFuture.runAsync(server::close).get(1, TimeUnit.MINUTES);
            for (Thread thread : Threads.named("k8sdns-")) {
                thread.join();
            }
            assertThat(tcp.ends()).isTrue();
            first.complete();
            second.complete();
        }
        server.close();
    }

    @Test
    void aZoneIsServedInOneLineAndForwardedToInAnother() throws Exception {
        ClusterZone zone = ClusterZone.create();
        zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20"));
        try (DnsServer upstream = DnsServer.start(zone, 0)) {
            assertThat(upstream.addresses()).containsExactly(TestZone.loopback(upstream.port()));
            SimpleResolver client = new SimpleResolver(TestZone.loopback(upstream.port()));
            client.setTimeout(Duration.ofSeconds(60));
            ZoneSettings other = ZoneSettings.builder().zone("other.example").build();
            ResolverChain forwarding =
                    ResolverChain.of(ClusterZone.create(other)).withUpstream(ForwardingResolver.over(client));
            try (DnsServer server = DnsServer.start(forwarding, 0)) {
                SimpleResolver host = new SimpleResolver(TestZone.loopback(server.port()));
                host.setTimeout(Duration.ofSeconds(60));
                Record question =
                        Record.newRecord(Name.fromConstantString("cart.shop.svc.cluster.local."), Type.A, DClass.IN);
                Answer answer = Answer.of(host.send(Message.newQuery(question)));
                assertThat(answer.addresses()).containsExactly("10.96.0.20");
                assertThat(answer.recursionAvailable()).isTrue();
                assertThat(answer.authoritative()).isFalse();
            }
        }
    }

    @Test
    void closingDoesNotWaitForAForwarderThatNeverCompletes() throws Exception {
        HeldTimers timers = new HeldTimers();
        List<String> failures = new CopyOnWriteArrayList<>();
        ForwardingResolver forwarding = ForwardingResolver.builder((question, client) -> new CompletableFuture<>())
                .deadline(Duration.ofSeconds(2), timers)
                .failures((question, failure) -> failures.add(question.name() + " " + failure.getMessage()))
                .build();
        DnsServer server = DnsServer.builder(
                        List.of(TestZone.loopback(0)),
                        DnsResponder.builder(forwarding).build())
                .limits(TestZone.PATIENT)
                .start();
        InetSocketAddress address = server.addresses().get(0);
        try (RawTcp tcp = new RawTcp(address);
                DatagramSocket udp = new DatagramSocket(TestZone.loopback(0))) {
            tcp.ask(1, "a.test.");
            timers.expireNext();
            assertThat(tcp.receive().getRcode()).isEqualTo(Rcode.SERVFAIL);

            tcp.ask(2, "b.test.");
            Runnable overTcp = timers.next();
            byte[] query = TestZone.query(3, "c.test.");
            udp.send(new DatagramPacket(query, query.length, address));
            Runnable overUdp = timers.next();
            CompletableFuture<Void> closed = CompletableFuture.runAsync(server::close);
            refusesTcp(address);
            assertThat(closed).isNotDone();
            overTcp.run();
            overUdp.run();
            assertThat(tcp.receive().getRcode()).isEqualTo(Rcode.SERVFAIL);
            udp.setSoTimeout((int) TestZone.PATIENCE.toMillis());
            DatagramPacket response = new DatagramPacket(new byte[512], 512);
            udp.receive(response);
            assertThat(TestZone.parsed(Arrays.copyOf(response.getData(), response.getLength()))
                            .getRcode())
                    .isEqualTo(Rcode.SERVFAIL);
            closed.get(1, TimeUnit.MINUTES);
        } finally {
            server.close();
            timers.shutdownNow();
        }
        String late = " no answer within 2000 ms";
        assertThat(failures).containsExactly("a.test." + late, "b.test." + late, "c.test." + late);
        assertThat(Threads.ofServers()).isEmpty();
    }

    @Test
    void interruptedCloseDoesNotWait() throws Exception {
        DnsServer server = zone.serve(
                TestZone.PATIENT.toBuilder().drain(Duration.ofHours(1)).build());
        try (RawTcp tcp = new RawTcp(server.addresses().get(0))) {
            tcp.ask(1, "later.test.");
            zone.nextAsked();
            Thread.currentThread().interrupt();
            server.close();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(tcp.ends()).isTrue();
        }
        server.close();
        assertThat(Threads.ofServers()).isEmpty();
    }

    private int useAndClose() throws IOException {
        try (DnsServer server = DnsServer.start(
                List.of(TestZone.loopback(0), new InetSocketAddress(TestZone.ip("0.0.0.0"), 0)),
                zone.responder(),
                TestZone.PATIENT)) {
            for (InetSocketAddress address : server.addresses()) {
                answersAt(TestZone.loopback(address.getPort()));
            }
            return server.addresses().get(1).getPort();
        }
    }

    private static void awaitUdpThreads(int number) throws InterruptedException {
        for (List<Thread> udp = Threads.named("k8sdns-udp"); udp.size() != number; udp = Threads.named("k8sdns-udp")) {
            udp.get(0).join(10);
        }
    }

    private static void answersAt(InetSocketAddress address) throws IOException {
        try (DnsClient client = new DnsClient()) {
            for (Transport transport : Transport.values()) {
                Message response = TestZone.parsed(
                        client.exchange(TestZone.query(5, "a.test."), address, transport, TestZone.PATIENCE));
                assertThat(response.getHeader().getID()).isEqualTo(5);
            }
        }
    }

    private static void refusesTcp(InetSocketAddress address) throws IOException {
        long deadline = System.nanoTime() + TestZone.PATIENCE.toNanos();
        while (System.nanoTime() < deadline) {
            try (RawTcp late = new RawTcp(address)) {
                late.ends();
            } catch (ConnectException refused) {
                return;
            } catch (SocketException reset) {
                // The connection was still waiting to be accepted when the socket was closed.
            }
        }
        throw new AssertionError("still accepts connections");
    }

    private static void refusesUdp(InetSocketAddress address) throws IOException {
        long deadline = System.nanoTime() + TestZone.PATIENCE.toNanos();
        try (DnsClient client = new DnsClient()) {
            while (System.nanoTime() < deadline) {
                try {
                    client.exchange(TestZone.query(9, "a.test."), address, Transport.UDP, Duration.ofMillis(300));
                } catch (ConnectException refused) {
                    return;
                } catch (SocketTimeoutException dropped) {
                    // The datagram arrived after the last read and before the socket was closed.
                }
            }
        }
        throw new AssertionError("still listens");
    }

    private static void isFree(int port) throws IOException {
        try (DatagramSocket udp = new DatagramSocket(TestZone.loopback(port));
                ServerSocket tcp = new ServerSocket(port, 1, TestZone.ip("127.0.0.1"))) {
            assertThat(udp.isBound() && tcp.isBound()).isTrue();
        }
    }

    /** Counts the descriptors of sockets and selectors; those of class path files vary. */
    private static long descriptors() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(one -> {
                        try {
                            String target = Files.readSymbolicLink(one).toString();
                            return target.startsWith("socket:") || target.startsWith("anon_inode:");
                        } catch (IOException closed) {
                            return false;
                        }
                    })
                    .count();
        }
    }

    /** Returns a port that is free for UDP and TCP. */
    private int freePort() throws IOException {
        try (DnsServer server = zone.serve(TestZone.PATIENT)) {
            return server.addresses().get(0).getPort();
        }
    }

    private static boolean hasIpv6() {
        try (DatagramSocket probe = new DatagramSocket(0, TestZone.ip("::1"))) {
            return probe.isBound();
        } catch (IOException missing) {
            return false;
        }
    }
}
