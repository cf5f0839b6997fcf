package io.k8sdns.forward;

import static org.assertj.core.api.Assumptions.assumeThat;

import io.k8sdns.forward.ScriptedServer.Received;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Zones with generous limits, and questions to them. */
final class TestForwarding {
    static final Duration LONG = Duration.ofSeconds(60);
    static final Question WWW = Question.of("www.example.com", RecordType.A);

    private TestForwarding() {}

    /** Returns the root zone with these servers, asked in order. */
    static UpstreamZone.Builder zone(UpstreamServer... servers) {
        UpstreamZone.Builder zone = UpstreamZone.builder(".")
                .policy(UpstreamPolicy.SEQUENTIAL)
                .attemptTimeout(LONG)
                .deadline(LONG);
        for (UpstreamServer server : servers) {
            zone.server(server);
        }
        return zone;
    }

    /** Returns the root zone with these servers, asked in order over UDP. */
    static UpstreamZone.Builder zone(ScriptedServer... servers) {
        UpstreamServer[] overUdp = new UpstreamServer[servers.length];
        for (int i = 0; i < servers.length; i++) {
            overUdp[i] = UpstreamServer.udp(servers[i].address());
        }
        return zone(overUdp);
    }

    /**
     * Returns a socket on loopback that refuses the datagrams of all others, like a port where nothing listens, and keeps other
     * programs from the port.
     */
    static DatagramSocket refusing() throws IOException {
        DatagramSocket socket = new DatagramSocket(0, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
        socket.connect(socket.getLocalSocketAddress());
        return socket;
    }

    /** Skips a test, with a message, on a machine without IPv6. */
    static void assumeIpv6() throws UnknownHostException {
        byte[] loopback = new byte[16];
        loopback[15] = 1;
        try (DatagramSocket probe = new DatagramSocket(0, InetAddress.getByAddress(loopback))) {
            assumeThat(probe.isBound()).isTrue();
        } catch (SocketException missing) {
            assumeThat(missing).as("IPv6 on loopback").isNull();
        }
    }

    /** Returns the address of a socket. */
    static String text(DatagramSocket socket) {
        return "127.0.0.1:" + socket.getLocalPort();
    }

    static CompletableFuture<Answer> begin(UpstreamForwarder forwarder, Question question) {
        return forwarder.forward(question, Client.IN_PROCESS).toCompletableFuture();
    }

    static Answer ask(UpstreamForwarder forwarder, Question question) throws Exception {
        return ask(forwarder, question, Client.IN_PROCESS);
    }

    /** Returns the answer, or throws the failure of the forwarder itself. */
    static Answer ask(UpstreamForwarder forwarder, Question question, Client client) throws Exception {
        try {
            return forwarder.forward(question, client).toCompletableFuture().get(120, TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            throw (Exception) failed.getCause();
        }
    }

    static Question numbered(int number) {
        return Question.of("n" + number + ".example.com", RecordType.A);
    }

    /** Returns the address for a numbered question, so that tests detect responses to another question. */
    static String address(int number) {
        return "198.18." + number / 250 + "." + number % 250;
    }

    /** Returns the address for the numbered question of a query. */
    static String address(Received query) {
        String name = query.message().getQuestion().getName().toString();
        return address(Integer.parseInt(name.substring(1, name.indexOf('.'))));
    }
}
