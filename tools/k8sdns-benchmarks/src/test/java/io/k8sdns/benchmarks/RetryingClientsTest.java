package io.k8sdns.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.ClusterIpService;
import io.k8sdns.sockets.DnsServer;
import io.k8sdns.zone.ClusterZone;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.xbill.DNS.Name;

@Timeout(300)
class RetryingClientsTest {
    private static final Name CART = Name.fromConstantString("cart.shop.svc.cluster.local.");

    @Test
    void answersAreCounted() throws Exception {
        ClusterZone zone = ClusterZone.create();
        zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20"));
        try (DnsServer server = DnsServer.start(zone, 0)) {
            RetryingClients clients = new RetryingClients(server.port(), CART, Duration.ofMinutes(1));
            clients.run(0.1, 1_000);
            assertThat(clients.failed()).isZero();
            assertThat(clients.retried()).isZero();
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            clients.print(new PrintStream(out, true, StandardCharsets.UTF_8));
            assertThat(out.toString(StandardCharsets.UTF_8))
                    .startsWith("100 lookups, 0 with a second query, 0 failed, longest ");
        }
    }

    @Test
    void aServerThatIsSilentIsAskedTwice() throws Exception {
        try (DatagramSocket silent = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            RetryingClients clients = new RetryingClients(silent.getLocalPort(), CART, Duration.ofMillis(1));
            clients.run(0.01, 1_000);
            assertThat(clients.failed()).isEqualTo(10);
            assertThat(clients.retried()).isEqualTo(10);
        }
    }

    @Test
    void anAnswerWithoutDataIsAFailure() throws Exception {
        try (DnsServer server = DnsServer.start(ClusterZone.create(), 0)) {
            RetryingClients clients = new RetryingClients(server.port(), CART, Duration.ofMinutes(1));
            clients.run(0.01, 1_000);
            assertThat(clients.failed()).isEqualTo(10);
            assertThat(clients.retried()).isZero();
        }
    }
}
