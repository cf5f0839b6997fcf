package io.k8sdns.sockets;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Section;

@Timeout(300)
class TcpTest {
    private static final ServerLimits PATIENT = TestZone.PATIENT;

    /** A limit that tests reach; on a slow machine it may be reached before the client has sent anything. */
    private static final Duration SHORT = Duration.ofMillis(300);

    private final TestZone zone = new TestZone();

    @Test
    void oneConnectionCarriesManyQueries() throws IOException {
        try (DnsServer server = zone.serve(PATIENT);
                RawTcp client = connect(server)) {
            for (int id = 0; id < 1_000; id++) {
                assertThat(client.exchange(id, "a.test.").getHeader().getID()).isEqualTo(id);
            }
        }
    }

    @Test
    void answersAreSentInTheOrderOfCompletion() throws Exception {
        try (DnsServer server = zone.serve(PATIENT);
                RawTcp client = connect(server)) {
            client.ask(1, "later1.test.");
            client.ask(2, "later2.test.");
            client.ask(3, "a.test.");
            assertThat(client.receive().getHeader().getID()).isEqualTo(3);
            TestZone.Asked first = zone.nextAsked();
            zone.nextAsked().complete();
            assertThat(client.receive().getHeader().getID()).isEqualTo(2);
            first.complete();
            Message last = client.receive();
            assertThat(last.getHeader().getID()).isEqualTo(1);
            assertThat(last.getQuestion().getName()).isEqualTo(TestZone.name("later1.test."));
        }
    }

    @Test
    void queriesInOnePacketAndOverSeveralAreTheSame() throws IOException {
        try (DnsServer server = zone.serve(PATIENT);
                RawTcp client = connect(server)) {
            byte[] query = TestZone.query(7, "a.test.");
            byte[] both = new byte[2 * (query.length + 2)];
            for (int i = 0; i < 2; i++) {
                int at = i * (query.length + 2);
                both[at + 1] = (byte) query.length;
                System.arraycopy(query, 0, both, at + 2, query.length);
            }
            client.send(both);
            client.receive();
            client.receive();
            for (byte next : both) {
                client.send(next);
            }
            client.receive();
            assertThat(client.receive().getHeader().getID()).isEqualTo(7);
        }
    }

    @Test
    void fiveThousandAddressesFillAMessage() throws IOException {
        try (DnsServer server = zone.serve(PATIENT);
                RawTcp client = connect(server)) {
            Message response = client.exchange(1, "big.test.");
            assertThat(response.getHeader().getFlag(Flags.TC)).isTrue();
            assertThat(response.getSection(Section.ANSWER).size()).isBetween(4_000, TestZone.BIG - 1);
            assertThat(response.numBytes()).isBetween(60_000, Messages.MAX_BYTES);
        }
    }

    @Test
    void anIdleConnectionIsClosed() throws IOException {
        try (DnsServer server = zone.serve(PATIENT.toBuilder().idle(SHORT).build());
                RawTcp silent = connect(server)) {
            assertThat(silent.ends()).isTrue();
            assertThat(endsAfterAnExchange(server)).isTrue();
        }
    }

    @Test
    void aConnectionWhoseQueryIsInFlightIsNotIdle() throws Exception {
        try (DnsServer server = zone.serve(PATIENT.toBuilder().idle(SHORT).build());
                RawTcp waiting = askLater(server);
                RawTcp idle = connect(server)) {
            TestZone.Asked asked = zone.nextAsked();
            assertThat(idle.ends()).isTrue();
            asked.complete();
            assertThat(waiting.receive().getHeader().getID()).isEqualTo(1);
        }
    }

    @Test
    void aQueryWithoutAResponseClosesItsConnection() throws Exception {
        try (DnsServer server = zone.serve(PATIENT.toBuilder().answer(SHORT).build());
                RawTcp client = connect(server)) {
            client.ask(1, "later.test.");
            TestZone.Asked asked = zone.nextAsked();
            assertThat(client.ends()).isTrue();
            asked.complete();
            try (RawTcp other = connect(server)) {
                other.exchange(2, "a.test.");
            }
        }
    }

    @Test
    void theConnectionIdleForTheLongestTimeMakesRoom() throws IOException {
        try (DnsServer server = zone.serve(PATIENT.toBuilder().connections(2).build());
                RawTcp older = connect(server);
                RawTcp newer = connect(server)) {
            newer.exchange(1, "a.test.");
            older.exchange(1, "a.test.");
            newer.exchange(2, "a.test.");
            try (RawTcp third = connect(server)) {
                third.exchange(3, "a.test.");
                assertThat(older.ends()).isTrue();
                newer.exchange(4, "a.test.");
            }
        }
    }

    @Test
    void aConnectionTooManyIsRefusedWhenNoneIsIdle() throws Exception {
        try (DnsServer server = zone.serve(PATIENT.toBuilder().connections(1).build());
                RawTcp busy = connect(server)) {
            busy.ask(1, "later.test.");
            TestZone.Asked asked = zone.nextAsked();
            try (RawTcp second = connect(server)) {
                assertThat(second.ends()).isTrue();
            }
            asked.complete();
            busy.receive();
        }
    }

    @Test
    void aSlowWriterIsDisconnected() throws IOException {
        try (DnsServer server = zone.serve(PATIENT.toBuilder().receive(SHORT).build());
                RawTcp slow = connect(server);
                RawTcp other = connect(server)) {
            slow.send((byte) 0xFF, (byte) 0xFF);
            try {
                while (!slow.endsWithin(20)) {
                    slow.send((byte) 0);
                }
            } catch (IOException cut) {
                // The byte before it was answered by a reset.
            }
            other.exchange(1, "a.test.");
        }
    }

    @Test
    void aSlowReaderIsDisconnectedAndOthersAreServed() throws IOException {
        try (DnsServer server = zone.serve(PATIENT.toBuilder().send(SHORT).build());
                RawTcp slow = new RawTcp(server.addresses().get(0), 4_096);
                RawTcp other = connect(server)) {
            int queries = 100;
            boolean cut = false;
            try {
                for (int id = 0; id < queries; id++) {
                    slow.ask(id, "big.test.");
                }
            } catch (IOException reset) {
                cut = true;
            }
            while (!cut) {
                for (int id = 0; id < 50; id++) {
                    other.exchange(id, "a.test.");
                }
                try {
                    slow.send((byte) 0);
                } catch (IOException reset) {
                    cut = true;
                }
            }
            other.exchange(1, "a.test.");
            assertThat(slow.drain()).isLessThan(queries * 60_000L);
        }
    }

    @Test
    void aClientThatDoesNotReadIsNotAnsweredFurther() throws IOException {
        try (DnsServer server = zone.serve(PATIENT);
                RawTcp slow = new RawTcp(server.addresses().get(0), 4_096);
                RawTcp other = connect(server)) {
            for (int id = 0; id < 300; id++) {
                slow.ask(id, "big.test.");
            }
            for (int id = 0; id < 50; id++) {
                other.exchange(id, "a.test.");
            }
            assertThat(zone.bigAsked()).isBetween(1, 20);
        }
    }

    @Test
    void aSlowReaderWithinTheLimitGetsEverything() throws IOException {
        try (DnsServer server = zone.serve(PATIENT);
                RawTcp client = new RawTcp(server.addresses().get(0), 4_096)) {
            int queries = 200;
            for (int id = 0; id < queries; id++) {
                client.ask(id, "big.test.");
            }
            for (int id = 0; id < queries; id++) {
                assertThat(client.receive().getHeader().getID()).isEqualTo(id);
            }
        }
    }

    @Test
    void queriesBeyondTheLimitAreNotReadUntilOneIsAnswered() throws Exception {
        try (DnsServer server =
                        zone.serve(PATIENT.toBuilder().queriesPerConnection(2).build());
                RawTcp client = connect(server);
                RawTcp other = connect(server)) {
            client.ask(1, "later1.test.");
            client.ask(2, "later2.test.");
            client.ask(3, "later3.test.");
            TestZone.Asked first = zone.nextAsked();
            TestZone.Asked second = zone.nextAsked();
            for (int id = 0; id < 20; id++) {
                other.exchange(id, "a.test.");
            }
            assertThat(zone.hasAsked()).isFalse();
            first.complete();
            client.receive();
            zone.nextAsked().complete();
            second.complete();
            client.receive();
            client.receive();
        }
    }

    @Test
    void aClientThatHasEndedItsSideGetsItsAnswers() throws Exception {
        for (int atOnce : List.of(1, 2, 100)) {
            try (DnsServer server = zone.serve(
                            PATIENT.toBuilder().queriesPerConnection(atOnce).build());
                    RawTcp client = connect(server);
                    RawTcp other = connect(server)) {
                for (int id = 0; id < 4; id++) {
                    client.ask(id, "later.test.");
                }
                client.endOutput();
                for (int id = 0; id < 4; id++) {
                    // After these exchanges the server has read everything that arrived before them.
                    other.exchange(1, "a.test.");
                    other.exchange(2, "a.test.");
                    zone.nextAsked().complete();
                    assertThat(client.receive().getHeader().getID()).isEqualTo(id);
                }
                assertThat(client.ends()).isTrue();
            }
        }
    }

    @Test
    void aClientThatEndsItsSideWithinAMessageIsClosed() throws IOException {
        try (DnsServer server = zone.serve(PATIENT);
                RawTcp client = connect(server)) {
            client.exchange(1, "a.test.");
            client.send((byte) 0, (byte) 40, (byte) 1);
            client.endOutput();
            assertThat(client.ends()).isTrue();
        }
    }

    @Test
    void anEmptyMessageIsIgnored() throws IOException {
        try (DnsServer server = zone.serve(PATIENT);
                RawTcp client = connect(server)) {
            client.send(new byte[2_000]);
            assertThat(client.exchange(9, "a.test.").getHeader().getID()).isEqualTo(9);
        }
    }

    @Test
    void malformedInputEndsTheConnection() throws IOException {
        try (DnsServer server = zone.serve(PATIENT.toBuilder().receive(SHORT).build());
                RawTcp web = connect(server);
                RawTcp boast = connect(server)) {
            web.send("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            boast.send((byte) 0xFF, (byte) 0xFF, (byte) 0);
            assertThat(web.ends()).isTrue();
            assertThat(boast.ends()).isTrue();
        }
    }

    @Test
    void theLongestMessageIsAccepted() throws IOException {
        try (DnsServer server = zone.serve(PATIENT);
                RawTcp client = connect(server)) {
            byte[] longest = new byte[2 + Messages.MAX_BYTES];
            longest[0] = (byte) 0xFF;
            longest[1] = (byte) 0xFF;
            byte[] query = TestZone.query(5, "a.test.");
            System.arraycopy(query, 0, longest, 2, query.length);
            client.send(longest);
            assertThat(client.receive().getHeader().getID())
                    .as("FORMERR for the bytes after the question")
                    .isEqualTo(5);
        }
    }

    @Test
    void aResolverThatThrowsDoesNotEndTheConnection() throws IOException {
        try (DnsServer server = zone.serve(PATIENT);
                RawTcp client = connect(server)) {
            client.ask(1, "broken.test.");
            client.ask(2, "a.test.");
            Message response = client.receive();
            while (response.getHeader().getID() != 2) {
                response = client.receive();
            }
        }
    }

    @Test
    void aResolverThatInterruptsDoesNotEndTheConnection() throws IOException {
        try (DnsServer server = zone.serve(PATIENT);
                RawTcp client = connect(server)) {
            client.exchange(1, "interrupts.test.");
            client.exchange(2, "a.test.");
        }
    }

    @Test
    void aResetDoesNotAffectOtherClients() throws Exception {
        try (DnsServer server = zone.serve(PATIENT);
                RawTcp other = connect(server)) {
            TestZone.Asked asked;
            try (RawTcp client = connect(server)) {
                client.ask(1, "later.test.");
                client.ask(2, "big.test.");
                asked = zone.nextAsked();
            }
            other.exchange(1, "a.test.");
            asked.complete();
            other.exchange(2, "a.test.");
        }
    }

    @Test
    void aThousandConnectionsNeedNoOtherThread() throws IOException {
        List<RawTcp> clients = new ArrayList<>();
        try (DnsServer server = zone.serve(PATIENT)) {
            int threads = Threads.ofServers().size();
            for (int i = 0; i < 1_000; i++) {
                clients.add(connect(server));
            }
            for (int i = 0; i < clients.size(); i++) {
                clients.get(i).ask(i, "a.test.");
            }
            for (int i = 0; i < clients.size(); i++) {
                assertThat(clients.get(i).receive().getHeader().getID()).isEqualTo(i);
            }
            assertThat(Threads.ofServers()).hasSize(threads);
        } finally {
            for (RawTcp client : clients) {
                client.close();
            }
        }
    }

    @Test
    void pendingAnswersFromManyThreadsAllArriveOnce() throws Exception {
        int queries = 100;
        try (DnsServer server = zone.serve(PATIENT);
                RawTcp client = connect(server)) {
            for (int id = 0; id < queries; id++) {
                client.ask(id, "later.test.");
            }
            List<TestZone.Asked> asked = new ArrayList<>();
            for (int id = 0; id < queries; id++) {
                asked.add(zone.nextAsked());
            }
            asked.parallelStream().forEach(TestZone.Asked::complete);
            List<Integer> ids = new ArrayList<>();
            for (int i = 0; i < queries; i++) {
                ids.add(client.receive().getHeader().getID());
            }
            assertThat(ids)
                    .containsExactlyInAnyOrderElementsOf(
                            IntStream.range(0, queries).boxed().toList());
        }
    }

    /** On a slow machine the server may have closed some connections as idle before they were used. */
    private static boolean endsAfterAnExchange(DnsServer server) throws IOException {
        while (true) {
            try (RawTcp client = connect(server)) {
                client.exchange(1, "a.test.");
                return client.ends();
            } catch (IOException tooLate) {
                // Another one.
            }
        }
    }

    /** Returns a connection whose query has reached the zone; see {@link #endsAfterAnExchange}. */
    private RawTcp askLater(DnsServer server) throws IOException {
        while (true) {
            RawTcp client = connect(server);
            try {
                client.ask(1, "later.test.");
                while (!zone.hasAsked()) {
                    if (client.endsWithin(10)) {
                        throw new EOFException("idle for too long");
                    }
                }
                return client;
            } catch (IOException tooLate) {
                client.close();
            }
        }
    }

    private static RawTcp connect(DnsServer server) throws IOException {
        return new RawTcp(server.addresses().get(0));
    }
}
