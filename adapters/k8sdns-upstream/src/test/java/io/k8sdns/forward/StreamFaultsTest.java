package io.k8sdns.forward;

import static io.k8sdns.forward.ScriptedServer.response;
import static io.k8sdns.forward.StreamServer.framed;
import static io.k8sdns.forward.TestForwarding.WWW;
import static io.k8sdns.forward.TestForwarding.address;
import static io.k8sdns.forward.TestForwarding.ask;
import static io.k8sdns.forward.TestForwarding.begin;
import static io.k8sdns.forward.TestForwarding.numbered;
import static io.k8sdns.forward.TestForwarding.zone;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.forward.ScriptedServer.Received;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Question;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Section;

/** {@link UpstreamForwarder} with TCP servers that are slow, close connections, or send unexpected messages. */
@Timeout(120)
class StreamFaultsTest {

    private static byte[] numberedResponse(Received query) {
        return framed(response(query, address(query)));
    }

    /** The JDK closes a channel whose connection is refused; the next query must open another one. */
    @Test
    void aServerThatRefusedAConnectionIsConnectedToAgain() throws Exception {
        // Bound and not listening: refuses connections, and keeps other programs from the port.
        Socket refusing = new Socket();
        refusing.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        int port = refusing.getLocalPort();
        UpstreamServer server = UpstreamServer.udp(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .overTcp();
        try (refusing;
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server).build())) {
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> ask(forwarder, WWW))
                        .isInstanceOf(IOException.class)
                        .hasMessageStartingWith(server + ": ")
                        .hasMessageNotContaining("no response");
            }
            refusing.close();
            try (ServerSocket opened = new ServerSocket(port, 50, InetAddress.getLoopbackAddress())) {
                CompletableFuture<Answer> answer = begin(forwarder, WWW);
                try (Socket connection = opened.accept()) {
                    DataInputStream in = new DataInputStream(connection.getInputStream());
                    byte[] query = in.readNBytes(in.readUnsignedShort());
                    connection.getOutputStream().write(framed(response(new Received(query, true, 0), "192.0.2.7")));
                    assertThat(answer.get(60, TimeUnit.SECONDS).addresses()).containsExactly("192.0.2.7");
                }
            }
        }
    }

    /** The server answers the queries of a connection one after the other, as CoreDNS does. */
    @Test
    void aSlowQueryDoesNotDelayOthersIfTheServerAnswersInOrder() throws Exception {
        CountDownLatch othersAreAnswered = new CountDownLatch(1);
        try (StreamServer server = StreamServer.tcp(connection -> {
                    while (true) {
                        Received query = connection.query();
                        if (query.message().getQuestion().getName().toString().startsWith("slow")) {
                            await(othersAreAnswered);
                        }
                        connection.send(framed(response(query, "192.0.2.7")));
                    }
                });
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server.server()).build())) {
            Answer unused = ask(forwarder, WWW);
            CompletableFuture<Answer> slow = begin(forwarder, Question.of("slow.example.com", RecordType.A));
            for (int i = 0; i < 20; i++) {
                assertThat(ask(forwarder, numbered(i)).addresses()).containsExactly("192.0.2.7");
            }
            assertThat(slow).isNotDone();
            othersAreAnswered.countDown();
            assertThat(slow.get(60, TimeUnit.SECONDS).addresses()).containsExactly("192.0.2.7");
        }
    }

    @Test
    void connectionsAreLimitedForAnyNumberOfQuestions() throws Exception {
        CountDownLatch allAreAsked = new CountDownLatch(1);
        Set<Object> connections = ConcurrentHashMap.newKeySet();
        try (StreamServer server = StreamServer.tcp(connection -> {
                    connections.add(connection);
                    while (true) {
                        Received query = connection.query();
                        await(allAreAsked);
                        connection.send(numberedResponse(query));
                    }
                });
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server.server()).build())) {
            List<CompletableFuture<Answer>> answers = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                answers.add(begin(forwarder, numbered(i)));
            }
            allAreAsked.countDown();
            for (int i = 0; i < 200; i++) {
                assertThat(answers.get(i).get(60, TimeUnit.SECONDS).addresses()).containsExactly(address(i));
            }
            assertThat(connections).hasSize(8);
        }
    }

    @Test
    void aTruncatedResponseOverTcpIsAFailure() throws Exception {
        try (StreamServer server = StreamServer.tcp(connection -> {
                    while (true) {
                        Received query = connection.query();
                        Message cut = new Message(response(query, "192.0.2.7"));
                        cut.getHeader().setFlag(Flags.TC);
                        cut.removeAllRecords(Section.ANSWER);
                        connection.send(framed(cut.toWire()));
                    }
                });
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server.server()).build())) {
            assertThatThrownBy(() -> ask(forwarder, WWW))
                    .isInstanceOf(IOException.class)
                    .hasMessage(server.server() + ": truncated over TCP");
        }
    }

    @Test
    void responsesInSingleBytesAreReassembled() throws Exception {
        try (StreamServer server = StreamServer.tcp(connection -> {
                    while (true) {
                        connection.sendSlowly(numberedResponse(connection.query()));
                    }
                });
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server.server()).build())) {
            List<CompletableFuture<Answer>> answers = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                answers.add(begin(forwarder, numbered(i)));
            }
            for (int i = 0; i < 300; i++) {
                assertThat(answers.get(i).get(60, TimeUnit.SECONDS).addresses()).containsExactly(address(i));
            }
        }
    }

    @Test
    void manyResponsesInOneWriteAreAllRead() throws Exception {
        try (StreamServer server = StreamServer.tcp(connection -> {
                    ByteArrayOutputStream all = new ByteArrayOutputStream();
                    for (int i = 0; i < 80; i++) {
                        all.writeBytes(numberedResponse(connection.query()));
                    }
                    connection.send(all.toByteArray());
                    connection.awaitClose();
                });
                UpstreamForwarder forwarder = UpstreamForwarder.start(
                        zone(server.server()).maxConnections(1).build())) {
            List<CompletableFuture<Answer>> answers = new ArrayList<>();
            for (int i = 0; i < 80; i++) {
                answers.add(begin(forwarder, numbered(i)));
            }
            for (int i = 0; i < 80; i++) {
                assertThat(answers.get(i).get(60, TimeUnit.SECONDS).addresses()).containsExactly(address(i));
            }
        }
    }

    @Test
    void responsesOutOfOrderReachTheirQuestions() throws Exception {
        Random random = new Random(18);
        try (StreamServer server = StreamServer.tcp(connection -> {
                    List<byte[]> responses = new ArrayList<>();
                    for (int i = 0; i < 100; i++) {
                        responses.add(numberedResponse(connection.query()));
                    }
                    Collections.shuffle(responses, random);
                    for (byte[] one : responses) {
                        connection.send(one);
                    }
                    connection.awaitClose();
                });
                UpstreamForwarder forwarder = UpstreamForwarder.start(
                        zone(server.server()).maxConnections(1).build())) {
            List<CompletableFuture<Answer>> answers = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                answers.add(begin(forwarder, numbered(i)));
            }
            for (int i = 0; i < 100; i++) {
                assertThat(answers.get(i).get(60, TimeUnit.SECONDS).addresses()).containsExactly(address(i));
            }
            assertThat(server.accepted()).isEqualTo(1);
        }
    }

    @Test
    void aConnectionCutAtAnyByteFailsAndTheNextServerIsAsked() throws Exception {
        int length = response(new Received(query(WWW), true, 0), "192.0.2.7").length + 2;
        for (int bytes = 0; bytes < length; bytes += bytes < 16 ? 1 : 7) {
            int sent = bytes;
            try (StreamServer cut = StreamServer.tcp(connection ->
                            connection.send(Arrays.copyOf(framed(response(connection.query(), "203.0.113.1")), sent)));
                    ScriptedServer second = ScriptedServer.answering("192.0.2.7");
                    UpstreamForwarder forwarder =
                            UpstreamForwarder.start(zone(cut.server(), UpstreamServer.udp(second.address()))
                                    .build())) {
                assertThat(ask(forwarder, WWW).addresses())
                        .as("%s bytes of a response", bytes)
                        .containsExactly("192.0.2.7");
            }
        }
    }

    private static byte[] query(Question question) {
        return new UpstreamQuery(question.labels(), question.type(), false, false, java.nio.ByteBuffer.allocate(0))
                .message(1, true, null);
    }

    @Test
    void aResetIsAFailureOfTheConnection() throws Exception {
        try (StreamServer server = StreamServer.tcp(connection -> {
                    connection.query();
                    connection.reset();
                });
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server.server()).build())) {
            assertThatThrownBy(() -> ask(forwarder, WWW))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith(server.server() + ": ");
        }
    }

    @Test
    void queriesOfAConnectionThatIsResetAreSentAgainOnOneNewConnection() throws Exception {
        int count = 90;
        try (StreamServer server = StreamServer.tcp(connection -> {
                    if (connection.number == 0) {
                        connection.send(numberedResponse(connection.query()));
                        for (int i = 1; i < count; i++) {
                            connection.query();
                        }
                        connection.reset();
                    } else {
                        while (true) {
                            connection.send(numberedResponse(connection.query()));
                        }
                    }
                });
                UpstreamForwarder forwarder = UpstreamForwarder.start(
                        zone(server.server()).maxConnections(1).build())) {
            assertThat(ask(forwarder, numbered(0)).addresses()).containsExactly(address(0));
            List<CompletableFuture<Answer>> answers = new ArrayList<>();
            for (int i = 1; i < count; i++) {
                answers.add(begin(forwarder, numbered(i)));
            }
            for (int i = 1; i < count; i++) {
                assertThat(answers.get(i - 1).get(60, TimeUnit.SECONDS).addresses())
                        .containsExactly(address(i));
            }
            assertThat(server.accepted()).isEqualTo(2);
        }
    }

    @Test
    void aConnectionWithOnlyPartialMessagesIsReplaced() throws Exception {
        try (StreamServer server = StreamServer.tcp(connection -> {
                    if (connection.number == 0) {
                        // Sends one byte per query, so that the connection is never idle but never has a complete
                        // message.
                        connection.send(new byte[] {(byte) 0xFF, (byte) 0xFF});
                        while (true) {
                            connection.query();
                            connection.send(new byte[1]);
                        }
                    }
                    connection.send(framed(response(connection.query(), "192.0.2.7")));
                    connection.awaitClose();
                });
                UpstreamForwarder forwarder = UpstreamForwarder.start(zone(server.server())
                        .attemptTimeout(Duration.ofSeconds(2))
                        .build())) {
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
        }
    }

    @Test
    void aSilentConnectionIsReplacedAfterOneAttempt() throws Exception {
        AtomicInteger unanswered = new AtomicInteger();
        CountDownLatch received = new CountDownLatch(1);
        try (StreamServer server = StreamServer.tcp(connection -> {
                    while (connection.number == 0) {
                        connection.query();
                        unanswered.incrementAndGet();
                        received.countDown();
                    }
                    connection.send(framed(response(connection.query(), "192.0.2.7")));
                    connection.awaitClose();
                });
                UpstreamForwarder forwarder = UpstreamForwarder.start(zone(server.server())
                        .attemptTimeout(Duration.ofSeconds(1))
                        .build())) {
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
            // More than two if the second answer is late on a busy machine.
            assertThat(server.accepted()).isGreaterThanOrEqualTo(2);
            assertThat(received.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(unanswered).hasValue(1);
        }
    }

    @Test
    void unexpectedMessagesAreIgnored() throws Exception {
        try (StreamServer server = StreamServer.tcp(connection -> {
                    Received query = connection.query();
                    byte[] otherId = response(query, "203.0.113.1");
                    otherId[1] ^= 1;
                    connection.send(framed(otherId));
                    byte[] otherName = response(query, "203.0.113.2");
                    otherName[13] ^= 1;
                    connection.send(framed(otherName));
                    connection.send(framed(query.query()));
                    byte[] update = response(query, "203.0.113.3");
                    update[2] = (byte) 0xA8;
                    connection.send(framed(update));
                    connection.send(framed(response(query, "192.0.2.7")));
                    connection.awaitClose();
                });
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server.server()).build())) {
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
            assertThat(server.accepted()).isEqualTo(1);
        }
    }

    @Test
    void aMessageShorterThanAHeaderEndsTheConnection() throws Exception {
        try (StreamServer server = StreamServer.tcp(connection -> {
                    connection.query();
                    connection.send(framed(new byte[connection.number * 5]));
                    connection.awaitClose();
                });
                ScriptedServer second = ScriptedServer.answering("192.0.2.7");
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(zone(server.server(), UpstreamServer.udp(second.address()))
                                .build())) {
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
        }
    }

    @Test
    void aServerThatNeverStopsSendingDelaysNoOtherZone() throws Exception {
        byte[] flood = new byte[400_000];
        for (int at = 0; at < flood.length; at += 40) {
            flood[at + 1] = 38;
        }
        for (int round = 0; round < 10; round++) {
            CountDownLatch isFlooded = new CountDownLatch(1);
            CountDownLatch isAnswered = new CountDownLatch(2);
            try (StreamServer flooding = StreamServer.tcp(connection -> {
                        Received first = connection.query();
                        Received second = connection.query();
                        connection.send(framed(response(first, "192.0.2.1")));
                        // The loop's thread waits in the callback of the first answer while all of this is received.
                        connection.send(flood);
                        connection.send(framed(response(second, "192.0.2.2")));
                        isFlooded.countDown();
                        connection.awaitClose();
                    });
                    ScriptedServer other = ScriptedServer.start((query, reply) -> {
                        await(isFlooded);
                        reply.send(response(query, "192.0.2.7"));
                        isAnswered.countDown();
                    });
                    UpstreamForwarder forwarder = UpstreamForwarder.start(
                            zone(flooding.server()).maxConnections(1).build(),
                            UpstreamZone.of("other.example", other.text()))) {
                List<String> order = Collections.synchronizedList(new ArrayList<>());
                CompletableFuture<Void> first = begin(forwarder, numbered(1)).thenAccept(answer -> {
                    isAnswered.countDown();
                    await(isAnswered);
                });
                CompletableFuture<Void> unrelated = begin(forwarder, Question.of("a.other.example", RecordType.A))
                        .thenAccept(answer -> order.add("other zone"));
                CompletableFuture<Void> second =
                        begin(forwarder, numbered(2)).thenAccept(answer -> order.add("behind the flood"));
                CompletableFuture.allOf(first, unrelated, second).get(60, TimeUnit.SECONDS);
                assertThat(order).containsExactly("other zone", "behind the flood");
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
