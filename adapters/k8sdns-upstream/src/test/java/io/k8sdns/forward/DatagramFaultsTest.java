package io.k8sdns.forward;

import static io.k8sdns.forward.ScriptedServer.response;
import static io.k8sdns.forward.TestForwarding.LONG;
import static io.k8sdns.forward.TestForwarding.WWW;
import static io.k8sdns.forward.TestForwarding.address;
import static io.k8sdns.forward.TestForwarding.ask;
import static io.k8sdns.forward.TestForwarding.begin;
import static io.k8sdns.forward.TestForwarding.numbered;
import static io.k8sdns.forward.TestForwarding.zone;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.forward.ScriptedServer.Received;
import io.k8sdns.forward.UpstreamObserver.Failure;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Question;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/** {@link UpstreamForwarder} with UDP servers and attackers that send unexpected datagrams. */
@Timeout(120)
class DatagramFaultsTest {

    private static byte[] numberedResponse(Received query) {
        return response(query, address(query));
    }

    @Test
    void theResponseIsAcceptedDuringAFloodOfWrongIds() throws Exception {
        try (ScriptedServer server = ScriptedServer.start((query, reply) -> {
                    byte[] forged = response(query, "203.0.113.1");
                    for (int id = 1; id < 3_000; id++) {
                        ByteBuffer.wrap(forged).putShort((short) (query.id() + id));
                        reply.send(forged);
                        if (id == 100) {
                            reply.send(response(query, "192.0.2.7"));
                        }
                    }
                });
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server).build())) {
            for (int i = 0; i < 20; i++) {
                assertThat(ask(forwarder, numbered(i)).addresses()).containsExactly("192.0.2.7");
            }
            Set<Integer> ports = new HashSet<>();
            server.received().forEach(one -> ports.add(one.clientPort()));
            // Ports are random, so one may come twice.
            assertThat(ports).as("a port is closed after such datagrams").hasSizeGreaterThan(10);
        }
    }

    @Test
    void aLateResponseIsAcceptedWhileTheServerIsAskedAgain() throws Exception {
        AtomicReference<Runnable> first = new AtomicReference<>();
        try (ScriptedServer server = ScriptedServer.start((query, reply) -> {
                    Runnable held = first.getAndSet(() -> {
                        try {
                            reply.send(response(query, "192.0.2.7"));
                        } catch (IOException closed) {
                            throw new UncheckedIOException(closed);
                        }
                    });
                    if (held != null) {
                        held.run();
                    }
                });
                UpstreamForwarder forwarder = UpstreamForwarder.start(
                        zone(server).attemptTimeout(Duration.ofSeconds(1)).build())) {
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
            assertThat(server.received()).hasSizeGreaterThanOrEqualTo(2);
        }
    }

    @Test
    void aFloodFromOneServerDelaysNoOtherZone() throws Exception {
        try (ScriptedServer other = ScriptedServer.answering("192.0.2.7");
                DatagramSocket flooding = new DatagramSocket(0, InetAddress.getLoopbackAddress());
                UpstreamForwarder forwarder = UpstreamForwarder.start(
                        UpstreamZone.builder("flood.example")
                                .server(UpstreamServer.udp(
                                        new InetSocketAddress(flooding.getLocalAddress(), flooding.getLocalPort())))
                                .attemptTimeout(LONG)
                                .deadline(LONG)
                                .build(),
                        zone(other).build())) {
            CompletableFuture<Answer> flooded = begin(forwarder, Question.of("a.flood.example", RecordType.A));
            DatagramPacket query = new DatagramPacket(new byte[512], 512);
            flooding.receive(query);
            AtomicBoolean isOver = new AtomicBoolean();
            Thread flood = new Thread(() -> {
                byte[] junk = new byte[64];
                DatagramPacket packet = new DatagramPacket(junk, junk.length, query.getSocketAddress());
                try {
                    while (!isOver.get()) {
                        flooding.send(packet);
                    }
                } catch (IOException closed) {
                    // The forwarder has closed its socket.
                }
            });
            flood.start();
            try {
                for (int i = 0; i < 50; i++) {
                    assertThat(ask(forwarder, numbered(i)).addresses()).containsExactly("192.0.2.7");
                }
            } finally {
                isOver.set(true);
                flood.join();
            }
            assertThat(flooded).isNotDone();
        }
    }

    @Test
    void equalIdsOnDifferentPortsAreDistinguished() throws Exception {
        int count = 4_000;
        List<Received> queries = new CopyOnWriteArrayList<>();
        List<ScriptedServer.ReplySender> replies = new CopyOnWriteArrayList<>();
        CountDownLatch all = new CountDownLatch(count);
        Semaphore window = new Semaphore(50);
        try (ScriptedServer server = ScriptedServer.start((query, reply) -> {
                    queries.add(query);
                    replies.add(reply);
                    all.countDown();
                    window.release();
                });
                UpstreamForwarder forwarder = UpstreamForwarder.start(
                        zone(server).maxConcurrent(count).build())) {
            List<CompletableFuture<Answer>> answers = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                answers.add(begin(forwarder, numbered(i)));
                // The server's receive buffer is small.
                window.acquire();
            }
            assertThat(all.await(60, TimeUnit.SECONDS)).isTrue();
            Map<Integer, Integer> ids = new HashMap<>();
            queries.forEach(query -> ids.merge(query.id(), 1, Integer::sum));
            assertThat(ids.values()).as("ids that several queries have").anyMatch(number -> number > 1);
            for (int i = count - 1; i >= 0; i--) {
                replies.get(i).send(numberedResponse(queries.get(i)));
                CompletableFuture<Answer> answer = answers.get(Integer.parseInt(queries.get(i)
                        .message()
                        .getQuestion()
                        .getName()
                        .toString()
                        .split("[n.]", -1)[1]));
                answer.get(60, TimeUnit.SECONDS);
            }
            for (int i = 0; i < count; i++) {
                assertThat(answers.get(i).get(60, TimeUnit.SECONDS).addresses()).containsExactly(address(i));
            }
        }
    }

    @Test
    void anIdInUseIsNotChosenAgain() throws Exception {
        ServerState server;
        try (UpstreamForwarder forwarder = UpstreamForwarder.start(UpstreamZone.of(".", "192.0.2.1"))) {
            UpstreamZone zone = forwarder.zones().get(0);
            server = new ServerState(zone.servers().get(0), new UpstreamGroup(zone, forwarder));
            for (int i = 0; i < 1_000; i++) {
                assertThat(server.freeId(id -> id % 2 == 0)).isOdd();
            }
            assertThatThrownBy(() -> server.freeId(id -> true)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void headersAreCheckedBeforeBodiesAreParsed() throws Exception {
        List<Failure> failures = Collections.synchronizedList(new ArrayList<>());
        UpstreamObserver observer = new UpstreamObserver() {
            @Override
            public void failed(UpstreamServer server, Failure failure) {
                failures.add(failure);
            }
        };
        try (ScriptedServer server = ScriptedServer.start((query, reply) -> {
                    byte[] body = response(query, "203.0.113.1");
                    // If one of these were accepted as the response, it would be malformed because of its counts.
                    body[6] = (byte) 0xFF;
                    for (int flags : new int[] {0x0100, 0x8800, 0x9000, 0xA800, 0xF800}) {
                        ByteBuffer.wrap(body).putShort(2, (short) flags);
                        reply.send(body);
                    }
                    ByteBuffer.wrap(body).putShort(2, (short) 0x8180).putShort(4, (short) 2);
                    reply.send(body);
                    ByteBuffer.wrap(body).putShort(4, (short) 0);
                    reply.send(body);
                    reply.send(response(query, "192.0.2.7"));
                });
                UpstreamForwarder forwarder = UpstreamForwarder.builder()
                        .zone(zone(server).build())
                        .observer(observer)
                        .start()) {
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
            assertThat(failures).isEmpty();
        }
    }

    @Test
    void aMalformedBodyIsAFailureOfItsServerOnce() throws Exception {
        List<Failure> failures = Collections.synchronizedList(new ArrayList<>());
        UpstreamObserver observer = new UpstreamObserver() {
            @Override
            public void failed(UpstreamServer server, Failure failure) {
                failures.add(failure);
            }
        };
        try (ScriptedServer first = ScriptedServer.start((query, reply) -> {
                    byte[] cut = response(query, "203.0.113.1");
                    reply.send(java.util.Arrays.copyOf(cut, cut.length - 2));
                });
                ScriptedServer second = ScriptedServer.answering("192.0.2.7");
                UpstreamForwarder forwarder = UpstreamForwarder.builder()
                        .zone(zone(first, second).build())
                        .observer(observer)
                        .start()) {
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
            assertThat(failures).containsExactly(Failure.MALFORMED);
        }
    }

    @Test
    void aServerIsNotMarkedDownForMalformedResponses() throws Exception {
        List<UpstreamServer> down = Collections.synchronizedList(new ArrayList<>());
        UpstreamObserver observer = new UpstreamObserver() {
            @Override
            public void markedDown(UpstreamServer server) {
                down.add(server);
            }
        };
        try (ScriptedServer server = ScriptedServer.start((query, reply) -> {
                    byte[] whole = response(query, "192.0.2.7");
                    boolean isBad = query.message().getQuestion().getName().equals(WWW.name());
                    reply.send(isBad ? java.util.Arrays.copyOf(whole, whole.length - 2) : whole);
                });
                UpstreamForwarder forwarder = UpstreamForwarder.builder()
                        .zone(zone(server).build())
                        .observer(observer)
                        .start()) {
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> ask(forwarder, WWW))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining(server.text());
            }
            assertThat(ask(forwarder, numbered(1)).addresses()).containsExactly("192.0.2.7");
            assertThat(down).isEmpty();
        }
    }

    @Test
    void recordsThatCannotBeComparedAreAFailureOfTheirServer() throws Exception {
        try (ScriptedServer first = ScriptedServer.start((query, reply) -> {
                    byte[] question = response(query, 0).toWire();
                    // Two WKS records without a bitmap, which dnsjava can parse but not serialize.
                    ByteBuffer response = ByteBuffer.allocate(question.length + 34)
                            .put(question)
                            .putShort(6, (short) 2);
                    for (int i = 1; i <= 2; i++) {
                        response.putShort((short) 0xC00C)
                                .putShort((short) Type.WKS)
                                .putShort((short) DClass.IN);
                        response.putInt(60).putShort((short) 5).putInt(i).put((byte) 6);
                    }
                    reply.send(response.array());
                });
                ScriptedServer second = ScriptedServer.answering("192.0.2.7");
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(first, second).build())) {
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
            assertThat(first.received()).hasSize(1);
        }
    }

    @Test
    void theFailureHasTheUnreachablePort() throws Exception {
        try (DatagramSocket refusing = TestForwarding.refusing();
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(UpstreamZone.of(".", TestForwarding.text(refusing)))) {
            assertThatThrownBy(() -> ask(forwarder, WWW))
                    .hasMessageStartingWith(TestForwarding.text(refusing) + " (udp): ")
                    .hasMessageNotContaining("null");
        }
    }

    /** Returns a response without a question. */
    private static byte[] header(Received query, int rcode) {
        return ByteBuffer.allocate(12)
                .putShort((short) query.id())
                .putShort((short) (0x8180 | rcode))
                .array();
    }

    @Test
    void anErrorResponseWithoutAQuestionIsAnAnswer() throws Exception {
        try (ScriptedServer server = ScriptedServer.start((query, reply) -> reply.send(header(query, Rcode.SERVFAIL)));
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server).build())) {
            assertThat(ask(forwarder, WWW).rcode()).isEqualTo(Rcode.SERVFAIL);
        }
    }

    /** A response without a question does not prove that its sender knows the letter case of the query. */
    @Test
    void anErrorResponseWithoutAQuestionIsConfirmedOverTcpIfTheLetterCaseIsRandom() throws Exception {
        try (ScriptedServer server = ScriptedServer.start((query, reply) ->
                        reply.send(query.overTcp() ? response(query, "192.0.2.7") : header(query, Rcode.SERVFAIL)));
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server).randomCase().build())) {
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
        }
        try (ScriptedServer server = ScriptedServer.start((query, reply) -> reply.send(header(query, Rcode.SERVFAIL)));
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server).randomCase().build())) {
            assertThat(ask(forwarder, WWW).rcode()).isEqualTo(Rcode.SERVFAIL);
            assertThat(server.received()).extracting(Received::overTcp).containsExactly(false, true);
        }
    }

    @ParameterizedTest
    @CsvSource({"false, false false", "true, false true true"})
    void aServerWithoutEdnsMayOmitTheQuestion(boolean randomCase, String overTcp) throws Exception {
        try (ScriptedServer server = ScriptedServer.start((query, reply) -> reply.send(
                query.message().getOPT() == null ? response(query, "192.0.2.7") : header(query, Rcode.FORMERR)))) {
            UpstreamZone.Builder zone = zone(server);
            try (UpstreamForwarder forwarder =
                    UpstreamForwarder.start((randomCase ? zone.randomCase() : zone).build())) {
                assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
                assertThat(server.received().stream()
                                .map(query -> String.valueOf(query.overTcp()))
                                .collect(Collectors.joining(" ")))
                        .isEqualTo(overTcp);
            }
        }
    }

    @Test
    void loopbackOfIpv6IsReachedOverUdpAndTcp() throws Exception {
        TestForwarding.assumeIpv6();
        try (DatagramSocket udp = new DatagramSocket(
                        0, InetAddress.getByAddress(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}));
                StreamServer tcp = StreamServer.tcp(
                        "::1",
                        connection ->
                                connection.send(StreamServer.framed(response(connection.query(), "192.0.2.8"))))) {
            Thread answering = new Thread(() -> {
                DatagramPacket packet = new DatagramPacket(new byte[512], 512);
                try {
                    udp.receive(packet);
                    Received query = new Received(
                            java.util.Arrays.copyOf(packet.getData(), packet.getLength()), false, packet.getPort());
                    byte[] sent = response(query, "192.0.2.7");
                    udp.send(new DatagramPacket(sent, sent.length, packet.getSocketAddress()));
                } catch (IOException closed) {
                    // The test is over.
                }
            });
            answering.start();
            try (UpstreamForwarder forwarder =
                    UpstreamForwarder.start(UpstreamZone.of(".", "[::1]:" + udp.getLocalPort()))) {
                assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
            }
            try (UpstreamForwarder forwarder = UpstreamForwarder.start(
                    UpstreamZone.builder(".").server(tcp.server()).build())) {
                assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.8");
            }
            answering.join();
        }
    }
}
