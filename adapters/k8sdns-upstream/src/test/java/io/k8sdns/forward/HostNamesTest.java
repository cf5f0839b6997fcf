package io.k8sdns.forward;

import static io.k8sdns.forward.TestForwarding.WWW;
import static io.k8sdns.forward.TestForwarding.ask;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Servers that are configured by host name. */
@Timeout(120)
class HostNamesTest {

    private static UpstreamZone zone(int port) {
        return UpstreamZone.builder(".")
                .attemptTimeout(Duration.ofSeconds(30))
                .deadline(Duration.ofSeconds(30))
                .server(UpstreamServer.udp(InetSocketAddress.createUnresolved("dns.corp.example", port)))
                .build();
    }

    @Test
    void aServerIsAskedAtItsNewAddress() throws Exception {
        InetAddress nothingListens = InetAddress.getByAddress(new byte[] {127, 0, 0, 2});
        AtomicInteger lookups = new AtomicInteger();
        try (ScriptedServer server = ScriptedServer.answering("192.0.2.7");
                UpstreamForwarder forwarder = UpstreamForwarder.builder()
                        .zone(zone(server.address().getPort()))
                        .lookup(host -> {
                            assertThat(host).isEqualTo("dns.corp.example");
                            return switch (lookups.incrementAndGet()) {
                                case 1 -> nothingListens;
                                case 2 -> throw new UnknownHostException(host);
                                default -> server.address().getAddress();
                            };
                        })
                        .start()) {
            int failed = 0;
            for (boolean answered = false; !answered; ) {
                try {
                    assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
                    answered = true;
                } catch (IOException unreachable) {
                    failed++;
                }
            }
            assertThat(failed).isPositive();
            assertThat(lookups).hasValueGreaterThan(2);
            assertThat(forwarder.zones())
                    .hasSize(1)
                    .allSatisfy(
                            zone -> assertThat(zone.servers()).containsExactly(UpstreamServer.udp(server.address())));
        }
    }

    @Test
    void aServerThatAnswersIsLookedUpOnce() throws Exception {
        AtomicInteger lookups = new AtomicInteger();
        try (ScriptedServer server = ScriptedServer.answering("192.0.2.7");
                UpstreamForwarder forwarder = UpstreamForwarder.builder()
                        .zone(zone(server.address().getPort()))
                        .lookup(host -> {
                            lookups.incrementAndGet();
                            return server.address().getAddress();
                        })
                        .start()) {
            for (int i = 0; i < 20; i++) {
                assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
            }
            assertThat(lookups).hasValue(1);
        }
    }

    @Test
    void aHostThatIsUnknownAtTheStartIsAnError() {
        assertThatThrownBy(() -> UpstreamForwarder.builder()
                        .zone(zone(53))
                        .lookup(host -> {
                            throw new UnknownHostException(host + ": unknown host");
                        })
                        .start())
                .isInstanceOf(UnknownHostException.class)
                .hasMessage("dns.corp.example: unknown host");
        assertThatThrownBy(() -> HostLookup.OF_SYSTEM.address("no.such.host.invalid"))
                .isInstanceOf(UnknownHostException.class)
                .hasMessageStartingWith("no.such.host.invalid: ");
    }

    @Test
    void aHostNameOfTheOwnServerIsRejectedWhenZonesAreReplaced() throws Exception {
        InetSocketAddress own = new InetSocketAddress(InetAddress.getLoopbackAddress(), 5353);
        try (UpstreamForwarder forwarder = UpstreamForwarder.builder()
                .zone(UpstreamZone.of(".", "192.0.2.53"))
                .lookup(host -> own.getAddress())
                .start()) {
            forwarder.requireOthers(List.of(own));
            List<UpstreamZone> before = forwarder.zones();
            assertThatThrownBy(() -> forwarder.replaceZones(List.of(zone(5353))))
                    .isInstanceOf(IOException.class)
                    .hasMessageEndingWith("is this server, which listens on 127.0.0.1:5353");
            assertThat(forwarder.zones()).isEqualTo(before);
            forwarder.replaceZones(List.of(zone(5354)));
            assertThatThrownBy(() -> forwarder.requireOthers(
                            List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 5354))))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void theOldAddressStaysIfAHostGetsTheAddressOfTheOwnServer() throws Exception {
        InetAddress nothingListens = InetAddress.getByAddress(new byte[] {127, 0, 0, 2});
        CountDownLatch lookedUpAgain = new CountDownLatch(3);
        try (ScriptedServer own = ScriptedServer.answering("192.0.2.7");
                UpstreamForwarder forwarder = UpstreamForwarder.builder()
                        .zone(zone(own.address().getPort()))
                        .lookup(host -> {
                            lookedUpAgain.countDown();
                            return lookedUpAgain.getCount() == 2
                                    ? nothingListens
                                    : own.address().getAddress();
                        })
                        .start()) {
            forwarder.requireOthers(List.of(own.address()));
            while (lookedUpAgain.getCount() > 0) {
                assertThatThrownBy(() -> ask(forwarder, WWW)).isInstanceOf(IOException.class);
            }
            assertThat(forwarder.zones().get(0).servers().get(0).address().getAddress())
                    .isEqualTo(nothingListens);
        }
    }

    @Test
    void addressesAreNotLookedUp() throws Exception {
        try (ScriptedServer server = ScriptedServer.answering("192.0.2.7");
                UpstreamForwarder forwarder = UpstreamForwarder.builder()
                        .zone(UpstreamZone.builder(".")
                                .server(UpstreamServer.udp(server.address()))
                                .build())
                        .lookup(host -> {
                            throw new AssertionError(host);
                        })
                        .start()) {
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
            forwarder.replaceZones(List.of(zone(server.address().getPort())
                    .resolved(host -> server.address().getAddress())));
            assertThat(ask(forwarder, WWW).addresses()).containsExactly("192.0.2.7");
        }
    }
}
