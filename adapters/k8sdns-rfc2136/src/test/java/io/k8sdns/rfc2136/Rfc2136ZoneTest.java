package io.k8sdns.rfc2136;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.federation.external.ChangeResult;
import io.k8sdns.federation.external.ChangeResult.Kind;
import io.k8sdns.federation.external.ExternalZoneException;
import io.k8sdns.federation.external.NameChange;
import io.k8sdns.federation.external.OwnedRecords;
import io.k8sdns.name.DnsLabels;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Rcode;

/** {@link Rfc2136Zone} with faulty servers; {@link RealRfc2136Test} has correct ones. */
@Timeout(120)
class Rfc2136ZoneTest {
    private static final DnsLabels ZONE = DnsLabels.parse("example.org");
    private static final DnsLabels NAME = DnsLabels.parse("a.example.org");
    private static final TsigKey KEY = TsigKey.of(DnsLabels.parse("key"), "hmac-sha256", new byte[32]);
    private static final NameChange CHANGE = NameChange.create(new OwnedRecords(NAME, "me", List.of()));

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private ServerSocket listener;

    /** Handles a connection of the server. */
    private interface Behaviour {
        void serve(DataInputStream in, DataOutputStream out) throws IOException;
    }

    @BeforeEach
    void listen() throws IOException {
        listener = new ServerSocket(0, 50, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
    }

    @AfterEach
    void end() throws IOException {
        listener.close();
        threads.shutdownNow();
    }

    private Rfc2136Zone.Builder against(Behaviour behaviour) {
        threads.execute(() -> {
            while (true) {
                try {
                    Socket socket = listener.accept();
                    threads.execute(() -> {
                        try (socket) {
                            behaviour.serve(
                                    new DataInputStream(socket.getInputStream()),
                                    new DataOutputStream(socket.getOutputStream()));
                        } catch (IOException over) {
                            // The client has closed the connection.
                        }
                    });
                } catch (IOException over) {
                    return;
                }
            }
        });
        return Rfc2136Zone.builder(
                new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort()), ZONE, KEY);
    }

    private static Message query(DataInputStream in) throws IOException {
        byte[] wire = new byte[in.readUnsignedShort()];
        in.readFully(wire);
        return new Message(wire);
    }

    private static void send(DataOutputStream out, byte[] wire) throws IOException {
        out.writeShort(wire.length);
        out.write(wire);
        out.flush();
    }

    private static byte[] unsigned(Message query, int rcode) {
        Message answer = new Message(query.getHeader().getID());
        answer.getHeader().setFlag(Flags.QR);
        answer.getHeader().setFlag(Flags.AA);
        answer.getHeader().setOpcode(query.getHeader().getOpcode());
        answer.getHeader().setRcode(rcode);
        return answer.toWire();
    }

    private static ChangeResult result(Rfc2136Zone zone) {
        Map<DnsLabels, ChangeResult> results = zone.apply(List.of(CHANGE));
        assertThat(results).containsOnlyKeys(NAME);
        return results.values().iterator().next();
    }

    /** An unsigned NOERROR may be forged. */
    @Test
    void anUnsignedAnswerIsAFailure() throws Exception {
        Behaviour unsigned = (in, out) -> {
            while (true) {
                send(out, unsigned(query(in), Rcode.NOERROR));
            }
        };
        try (Rfc2136Zone zone = against(unsigned).build()) {
            ChangeResult result = result(zone);
            assertThat(result.kind()).isEqualTo(Kind.PERMANENT);
            assertThat(result.text()).contains("NOERROR is not signed");
            assertThatThrownBy(() -> zone.list(Set.of(NAME)))
                    .isInstanceOf(ExternalZoneException.class)
                    .hasMessageContaining("127.0.0.1:" + listener.getLocalPort());
        }
    }

    @Test
    void aSilentServerIsATransientFailure() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        Behaviour silent = (in, out) -> {
            try {
                never.await();
            } catch (InterruptedException over) {
                Thread.currentThread().interrupt();
            }
        };
        try (Rfc2136Zone zone = against(silent).timeout(Duration.ofMillis(200)).build()) {
            assertThat(result(zone).kind()).isEqualTo(Kind.TRANSIENT);
            assertThatThrownBy(() -> zone.list(Set.of(NAME)))
                    .isInstanceOf(ExternalZoneException.class)
                    .hasMessageContaining("in time")
                    .satisfies(failed -> assertThat(((ExternalZoneException) failed).isTransient())
                            .isTrue());
        }
    }

    /** Each byte arrives within the timeout, but the message does not. */
    @Test
    void aSlowResponseIsATransientFailure() throws Exception {
        Behaviour trickle = (in, out) -> {
            int length = query(in).numBytes();
            out.writeShort(length + 60_000);
            while (true) {
                out.write(0);
                out.flush();
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            }
        };
        try (Rfc2136Zone zone = against(trickle).timeout(Duration.ofMillis(200)).build()) {
            assertThat(result(zone).kind()).isEqualTo(Kind.TRANSIENT);
        }
    }

    @Test
    void aConnectionThatEndsIsATransientFailure() throws Exception {
        try (Rfc2136Zone zone = against((in, out) -> query(in)).build()) {
            assertThat(result(zone).kind()).isEqualTo(Kind.TRANSIENT);
            assertThatThrownBy(() -> zone.list(Set.of(NAME))).hasMessageContaining("closed the connection");
        }
    }

    @Test
    void aRefusedConnectionIsATransientFailure() throws Exception {
        try (Rfc2136Zone zone = against((in, out) -> {}).build()) {
            listener.close();
            assertThat(result(zone).kind()).isEqualTo(Kind.TRANSIENT);
        }
    }

    @Test
    void aMalformedResponseIsAFailure() throws Exception {
        Behaviour broken = (in, out) -> {
            while (true) {
                byte[] wire = unsigned(query(in), Rcode.NOERROR);
                wire[5] = 9;
                send(out, wire);
            }
        };
        try (Rfc2136Zone zone = against(broken).build()) {
            assertThat(result(zone).text()).contains("malformed");
            assertThatThrownBy(() -> zone.list(Set.of(NAME))).isInstanceOf(ExternalZoneException.class);
        }
    }

    @Test
    void closingEndsARunningCall() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        Behaviour silent = (in, out) -> {
            query(in);
            asked.countDown();
            try {
                never.await();
            } catch (InterruptedException over) {
                Thread.currentThread().interrupt();
            }
        };
        Rfc2136Zone zone = against(silent).timeout(Duration.ofMinutes(5)).build();
        Future<ChangeResult> result = threads.submit(() -> result(zone));
        asked.await();
        zone.close();
        assertThat(result.get(60, TimeUnit.SECONDS).text()).contains("the zone is closed");
        zone.close();
        assertThatThrownBy(() -> zone.list(Set.of(NAME))).hasMessageContaining("the zone is closed");
    }

    @Test
    void anInterruptEndsARunningCall() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        Behaviour silent = (in, out) -> {
            query(in);
            asked.countDown();
            try {
                never.await();
            } catch (InterruptedException over) {
                Thread.currentThread().interrupt();
            }
        };
        try (Rfc2136Zone zone = against(silent).timeout(Duration.ofMinutes(5)).build()) {
            CountDownLatch ended = new CountDownLatch(1);
            Thread caller = new Thread(() -> {
                result(zone);
                ended.countDown();
            });
            caller.start();
            asked.await();
            caller.interrupt();
            assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aNameOutsideOfTheZoneIsNotSent() throws Exception {
        try (Rfc2136Zone zone = against((in, out) -> {}).build()) {
            DnsLabels other = DnsLabels.parse("a.example.net");
            assertThat(zone.apply(List.of(NameChange.create(new OwnedRecords(other, "me", List.of())))))
                    .hasEntrySatisfying(
                            other, result -> assertThat(result.text()).contains("not below the zone"));
        }
    }

    @Test
    void aServerWithAHostNameIsLookedUp() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        Rfc2136Zone.Builder unused = against((in, out) -> {
            query(in);
            asked.countDown();
        });
        InetSocketAddress server = InetSocketAddress.createUnresolved("localhost", listener.getLocalPort());
        try (Rfc2136Zone zone = Rfc2136Zone.builder(server, ZONE, KEY).build()) {
            assertThat(result(zone).text()).contains("localhost:" + listener.getLocalPort());
            assertThat(asked.getCount()).isZero();
        }
    }

    @Test
    void invalidArgumentsAreReported() {
        assertThatThrownBy(() -> against((in, out) -> {}).timeout(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() ->
                        against((in, out) -> {}).build().apply(Collections.nCopies(Rfc2136Zone.MAX_BATCH + 1, CHANGE)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
