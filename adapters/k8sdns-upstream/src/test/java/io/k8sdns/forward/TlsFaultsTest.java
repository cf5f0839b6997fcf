package io.k8sdns.forward;

import static io.k8sdns.forward.ScriptedServer.response;
import static io.k8sdns.forward.StreamServer.framed;
import static io.k8sdns.forward.TestForwarding.LONG;
import static io.k8sdns.forward.TestForwarding.WWW;
import static io.k8sdns.forward.TestForwarding.ask;
import static io.k8sdns.forward.TestForwarding.zone;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.forward.ScriptedServer.Received;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import io.k8sdns.sockets.DnsClient;
import io.k8sdns.sockets.DnsServer;
import io.k8sdns.upstream.ForwardingResolver;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Opcode;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/** DNS over TLS: valid and invalid certificates, and servers that stall, reorder, close connections and flood. */
@Timeout(120)
class TlsFaultsTest {
    private static final String NAME = "dns.example.net";

    private static final HeldCertificate ROOT =
            new HeldCertificate.Builder().certificateAuthority(0).build();
    private static final SSLContext TRUSTING = new HandshakeCertificates.Builder()
            .addTrustedCertificate(ROOT.certificate())
            .build()
            .sslContext();

    private static HeldCertificate.Builder host() {
        return new HeldCertificate.Builder()
                .commonName("any")
                .addSubjectAlternativeName(NAME)
                .addSubjectAlternativeName("127.0.0.1")
                .addSubjectAlternativeName("::1")
                .signedBy(ROOT);
    }

    private static SSLContext with(HeldCertificate.Builder certificate) {
        return new HandshakeCertificates.Builder()
                .heldCertificate(certificate.build())
                .build()
                .sslContext();
    }

    private static void answer(StreamServer.Connection connection) throws IOException {
        while (true) {
            connection.send(framed(response(connection.query(), "192.0.2.7")));
        }
    }

    private static UpstreamForwarder forwarder(UpstreamServer... servers) throws IOException {
        return forwarder(LONG, servers);
    }

    private static UpstreamForwarder forwarder(Duration attemptTimeout, UpstreamServer... servers) throws IOException {
        return UpstreamForwarder.builder()
                .tls(TRUSTING)
                .zone(zone(servers)
                        .attemptTimeout(attemptTimeout)
                        .maxConnections(1)
                        .build())
                .failures(failure -> {
                    throw new AssertionError(failure);
                })
                .start();
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    void aCertificateForTheNameIsAccepted(String protocol) throws Exception {
        try (StreamServer server = StreamServer.tls(with(host()), connection -> {
                    ((SSLSocket) connection.socket).setEnabledProtocols(new String[] {protocol});
                    answer(connection);
                });
                UpstreamForwarder forwarder = forwarder(server.tlsServer(NAME))) {
            for (int i = 0; i < 10; i++) {
                assertThat(ask(forwarder, Question.of("n" + i + ".example.com", RecordType.A))
                                .addresses())
                        .containsExactly("192.0.2.7");
            }
            assertThat(server.accepted()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void aCertificateForTheAddressIsAccepted(String address) throws Exception {
        if (address.contains(":")) {
            TestForwarding.assumeIpv6();
        }
        try (StreamServer server = StreamServer.tls(with(host()), address, TlsFaultsTest::answer)) {
            String text = address.contains(":") ? "[" + address + "]" : address;
            UpstreamServer parsed = UpstreamServer.parse(
                    "tls://" + text + ":" + server.address().getPort());
            try (UpstreamForwarder forwarder = forwarder(parsed)) {
                assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Client.Transport.class)
    void onlyQueriesAreForwarded(Client.Transport transport) throws Exception {
        List<Received> received = Collections.synchronizedList(new ArrayList<>());
        try (StreamServer upstream = StreamServer.tls(with(host()), connection -> {
                    while (true) {
                        Received query = connection.query();
                        received.add(query);
                        connection.send(framed(response(query, "192.0.2.7")));
                    }
                });
                UpstreamForwarder forwarder = forwarder(upstream.tlsServer(NAME));
                DnsServer server =
                        DnsServer.start(ForwardingResolver.builder(forwarder).build(), 0);
                DnsClient client = new DnsClient()) {
            InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
            for (int opcode = 1; opcode <= 15; opcode++) {
                Message other = Message.newQuery(Record.newRecord(WWW.name(), Type.SOA, DClass.IN));
                other.getHeader().setOpcode(opcode);
                Message response = new Message(client.exchange(other.toWire(), address, transport, LONG));
                assertThat(response.getRcode()).as("opcode %s", opcode).isEqualTo(Rcode.NOTIMP);
            }
            assertThat(client.ask(WWW, address, LONG).addresses()).containsExactly("192.0.2.7");
            assertThat(received)
                    .singleElement()
                    .extracting(query -> query.message().getHeader().getOpcode())
                    .isEqualTo(Opcode.QUERY);
        }
    }

    @Test
    void aCertificateForAnotherNameIsRefusedBeforeAnythingIsAsked() throws Exception {
        List<Received> asked = Collections.synchronizedList(new ArrayList<>());
        try (StreamServer server = StreamServer.tls(with(host()), connection -> asked.add(connection.query()));
                UpstreamForwarder forwarder = forwarder(server.tlsServer("other.example.net"))) {
            assertThatThrownBy(() -> ask(forwarder, WWW))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith(server.tlsServer("other.example.net") + ": ")
                    .hasMessageContaining("other.example.net")
                    .hasCauseInstanceOf(SSLException.class);
            assertThat(asked).isEmpty();
        }
    }

    @Test
    void anExpiredCertificateIsRefused() throws Exception {
        assertRefused(with(host().validityInterval(0, 86_400_000L)));
    }

    @Test
    void aCertificateThatIsNotYetValidIsRefused() throws Exception {
        assertRefused(with(host().validityInterval(32_000_000_000_000L, 32_000_086_400_000L)));
    }

    @Test
    void aCertificateOfAnotherAuthorityIsRefused() throws Exception {
        HeldCertificate other =
                new HeldCertificate.Builder().certificateAuthority(0).build();
        assertRefused(with(host().signedBy(other)));
    }

    @Test
    void aSelfSignedCertificateIsRefused() throws Exception {
        assertRefused(with(new HeldCertificate.Builder().addSubjectAlternativeName(NAME)));
    }

    /** The JDK itself accepts such a certificate, unlike RFC 8310, 8.1. */
    @Test
    void aCertificateWithoutSubjectAlternativeNameIsRefused() throws Exception {
        assertRefused(with(new HeldCertificate.Builder().commonName(NAME).signedBy(ROOT)));
    }

    @Test
    void aCommonNameIsIgnoredIfTheCertificateHasAlternativeAddresses() throws Exception {
        assertRefused(with(new HeldCertificate.Builder()
                .commonName(NAME)
                .addSubjectAlternativeName("127.0.0.9")
                .signedBy(ROOT)));
    }

    private static void assertRefused(SSLContext context) throws Exception {
        List<Received> asked = Collections.synchronizedList(new ArrayList<>());
        try (StreamServer server = StreamServer.tls(context, connection -> asked.add(connection.query()));
                UpstreamForwarder forwarder = forwarder(server.tlsServer(NAME))) {
            assertThatThrownBy(() -> ask(forwarder, WWW))
                    .isInstanceOf(IOException.class)
                    .hasCauseInstanceOf(SSLException.class);
            assertThat(asked).isEmpty();
        }
    }

    @Test
    void theDefaultAuthoritiesOfTheJdkAreUsedByDefault() throws Exception {
        try (StreamServer server = StreamServer.tls(with(host()), TlsFaultsTest::answer);
                UpstreamForwarder forwarder = UpstreamForwarder.start(UpstreamZone.builder(".")
                        .server(server.tlsServer(NAME))
                        .attemptTimeout(LONG)
                        .deadline(LONG)
                        .build())) {
            assertThatThrownBy(() -> ask(forwarder, WWW)).hasCauseInstanceOf(SSLException.class);
        }
    }

    @Test
    void theNextServerIsAskedIfOneStallsBeforeTheHandshake() throws Exception {
        try (StreamServer silent = StreamServer.tcp(StreamServer.Connection::awaitClose);
                StreamServer second = StreamServer.tls(with(host()), TlsFaultsTest::answer);
                UpstreamForwarder forwarder =
                        forwarder(Duration.ofSeconds(10), silent.tlsServer(NAME), second.tlsServer(NAME))) {
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
        }
    }

    @Test
    void aConnectionThatStallsInTheHandshakeIsReplacedAfterOneAttempt() throws Exception {
        SSLContext context = with(host());
        try (StreamServer server = StreamServer.tcp(connection -> {
                    if (connection.number == 0) {
                        // The header of a TLS record whose body never arrives.
                        connection.send(new byte[] {0x16, 3, 3, 0x10, 0});
                        connection.awaitClose();
                    } else {
                        SSLSocket upgraded = (SSLSocket) context.getSocketFactory()
                                .createSocket(connection.socket, "127.0.0.1", connection.socket.getPort(), true);
                        upgraded.setUseClientMode(false);
                        answer(new StreamServer.Connection(connection.number, upgraded));
                    }
                });
                UpstreamForwarder forwarder = forwarder(Duration.ofSeconds(10), server.tlsServer(NAME))) {
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
            // More than two if the second handshake is slow on a busy machine.
            assertThat(server.accepted()).isGreaterThanOrEqualTo(2);
        }
    }

    @Test
    void theNextServerIsAskedIfOneDoesNotSpeakTls() throws Exception {
        try (StreamServer plain = StreamServer.tcp(connection -> {
                    connection.send("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    connection.awaitClose();
                });
                StreamServer second = StreamServer.tls(with(host()), TlsFaultsTest::answer);
                UpstreamForwarder forwarder = forwarder(plain.tlsServer(NAME), second.tlsServer(NAME))) {
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
        }
    }

    @Test
    void aConnectionThatTheServerHasClosedIsOpenedAgainWithoutAnError() throws Exception {
        try (StreamServer server = StreamServer.tls(
                        with(host()),
                        connection -> connection.send(framed(response(connection.query(), "192.0.2.7"))));
                UpstreamForwarder forwarder = forwarder(server.tlsServer(NAME))) {
            for (int i = 0; i < 20; i++) {
                assertThat(ask(forwarder, Question.of("n" + i + ".example.com", RecordType.A))
                                .addresses())
                        .containsExactly("192.0.2.7");
            }
        }
    }

    @Test
    void singleByteRecordsAndReorderedResponsesReachTheirQuestions() throws Exception {
        int count = 60;
        Random random = new Random(18);
        try (StreamServer server = StreamServer.tls(with(host()), connection -> {
                    List<Received> queries = new ArrayList<>();
                    for (int i = 0; i < count; i++) {
                        queries.add(connection.query());
                    }
                    Collections.shuffle(queries, random);
                    for (Received query : queries) {
                        String name = query.message().getQuestion().getName().toString();
                        connection.sendSlowly(
                                framed(response(query, "192.0.2." + name.substring(1, name.indexOf('.')))));
                    }
                    connection.awaitClose();
                });
                UpstreamForwarder forwarder = forwarder(server.tlsServer(NAME))) {
            List<CompletableFuture<Answer>> answers = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                answers.add(forwarder
                        .forward(Question.of("n" + i + ".example.com", RecordType.A), Client.IN_PROCESS)
                        .toCompletableFuture());
            }
            for (int i = 0; i < count; i++) {
                assertThat(answers.get(i).get(60, TimeUnit.SECONDS).addresses()).containsExactly("192.0.2." + i);
            }
        }
    }

    @Test
    void aResponseInManyTlsRecordsIsReassembled() throws Exception {
        int count = 4_000;
        String[] addresses = IntStream.range(0, count)
                .mapToObj(i -> "198.18." + i / 250 + "." + i % 250)
                .toArray(String[]::new);
        try (StreamServer server = StreamServer.tls(with(host()), connection -> {
                    while (true) {
                        connection.send(framed(
                                response(connection.query(), 0, addresses).toWire()));
                    }
                });
                UpstreamForwarder forwarder = forwarder(server.tlsServer(NAME))) {
            assertThat(ask(forwarder, WWW).addresses()).hasSize(count);
            assertThat(ask(forwarder, Question.of("b.example.com", RecordType.A))
                            .addresses())
                    .hasSize(count);
        }
    }

    @Test
    void aServerThatNeverStopsSendingDelaysNoOtherZoneAndLosesNothing() throws Exception {
        ByteArrayOutputStream chunk = new ByteArrayOutputStream();
        for (int i = 0; i < 5_000; i++) {
            chunk.writeBytes(framed(new byte[30]));
        }
        try (StreamServer flood = StreamServer.tls(with(host()), connection -> {
                    // The response follows more bytes than the loop reads in one turn, and is the last message.
                    Received query = connection.query();
                    for (int i = 0; i < 20; i++) {
                        connection.send(chunk.toByteArray());
                    }
                    connection.send(framed(response(query, "192.0.2.7")));
                    connection.awaitClose();
                });
                UpstreamForwarder forwarder = forwarder(flood.tlsServer(NAME))) {
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
        }
    }

    @Test
    void loopbackOfIpv6IsReached() throws Exception {
        TestForwarding.assumeIpv6();
        try (StreamServer server = StreamServer.tls(with(host()), "::1", TlsFaultsTest::answer);
                UpstreamForwarder forwarder = forwarder(server.tlsServer(NAME))) {
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
        }
    }
}
