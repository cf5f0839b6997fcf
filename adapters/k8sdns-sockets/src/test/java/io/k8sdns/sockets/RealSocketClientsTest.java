package io.k8sdns.sockets;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that people use: dig and mdig of BIND, kdig of Knot. */
@Tag("real")
@Timeout(300)
class RealSocketClientsTest {
    private static final String ADDRESS = "192.0.2.1";

    private final TestZone zone = new TestZone();

    @Test
    void digOverUdp() throws Exception {
        try (DnsServer server = zone.serve(TestZone.PATIENT)) {
            assertThat(run(server, "dig", "+notcp", "+short", "a.test")).containsExactly(ADDRESS);
        }
    }

    @Test
    void digOverTcp() throws Exception {
        try (DnsServer server = zone.serve(TestZone.PATIENT)) {
            assertThat(run(server, "dig", "+tcp", "+short", "a.test")).containsExactly(ADDRESS);
            assertThat(run(server, "dig", "+tcp", "+short", "big.test")).hasSizeBetween(4_000, TestZone.BIG);
        }
    }

    @Test
    void digKeepsItsConnection() throws Exception {
        // One connection at most: a second one would end the first.
        try (DnsServer server =
                zone.serve(TestZone.PATIENT.toBuilder().connections(1).build())) {
            assertThat(run(server, "dig", "+tcp", "+keepopen", "+short", "a.test", "b.test", "c.test"))
                    .containsExactlyElementsOf(Collections.nCopies(3, ADDRESS));
        }
    }

    @Test
    void kdigOverUdpAndTcp() throws Exception {
        try (DnsServer server = zone.serve(TestZone.PATIENT)) {
            assertThat(run(server, "kdig", "+notcp", "+short", "a.test")).containsExactly(ADDRESS);
            assertThat(run(server, "kdig", "+tcp", "+short", "a.test")).containsExactly(ADDRESS);
            assertThat(run(server, "kdig", "+tcp", "+keepopen", "+short", "a.test", "b.test"))
                    .containsExactly(ADDRESS, ADDRESS);
        }
    }

    @Test
    void mdigAsksManyAtOnce() throws Exception {
        try (DnsServer server = zone.serve(TestZone.PATIENT)) {
            List<String> names = new ArrayList<>(List.of("+short", "+notcp"));
            for (int i = 0; i < 200; i++) {
                names.add("name-" + i + ".test");
            }
            assertThat(run(server, "mdig", names.toArray(String[]::new)))
                    .containsExactlyElementsOf(Collections.nCopies(200, ADDRESS));
            names.set(1, "+tcp");
            assertThat(run(server, "mdig", names.toArray(String[]::new)))
                    .containsExactlyElementsOf(Collections.nCopies(200, ADDRESS));
        }
    }

    private static List<String> run(DnsServer server, String client, String... arguments)
            throws IOException, InterruptedException {
        InetSocketAddress address = server.addresses().get(0);
        List<String> command = new ArrayList<>(List.of(
                client, "@" + address.getAddress().getHostAddress(), "-p", Integer.toString(address.getPort())));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output.lines().toList();
    }
}
