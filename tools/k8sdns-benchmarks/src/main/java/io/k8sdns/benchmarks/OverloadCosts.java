package io.k8sdns.benchmarks;

import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.sockets.DnsServer;
import io.k8sdns.sockets.UdpMode;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.zone.ClusterZone;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * Measures the waiting times of clients under overload. The server needs a tenth of a millisecond for each answer, so that one machine
 * can offer it many times its capacity.
 *
 * <p>{@code OverloadCosts}: prints a Markdown row for each rate, in the format of {@link OfferedLoad}.
 */
public final class OverloadCosts {
    private static final long ANSWER_NANOS = 100_000;

    private OverloadCosts() {}

    /** Offers rates from half of the capacity to sixteen times the capacity. */
    public static void main(String[] args) throws Exception {
        measure(
                new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8),
                OfferedLoad.QUIET,
                3,
                5_000);
        measure(System.out, OfferedLoad.QUIET, 3, 5_000, 10_000, 20_000, 40_000, 80_000, 160_000);
    }

    static void measure(PrintStream out, Duration quiet, double seconds, int... rates) throws Exception {
        ClusterZone zone = QueryKind.zone(100);
        ResolverChain chain = ResolverChain.of(zone);
        DnsResponder responder = DnsResponder.builder((question, client) -> {
                    long end = System.nanoTime() + ANSWER_NANOS;
                    while (System.nanoTime() < end) {
                        Thread.onSpinWait();
                    }
                    return chain.resolve(question, client);
                })
                .build();
        out.println("| offered, queries/s | answered | lost | median, us | p99 | p99.9 |");
        out.println("|---|---|---|---|---|---|");
        try (DnsServer server = start(responder)) {
            int port = server.addresses().get(0).getPort();
            for (int rate : rates) {
                new OfferedLoad(out, port, 100, quiet).offer(seconds, rate);
            }
            out.println();
            out.println("Receive buffer: " + server.udp().receiveBufferBytes() + " bytes.");
        }
    }

    private static DnsServer start(DnsResponder responder) throws IOException {
        return DnsServer.builder(List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), responder)
                .udpMode(UdpMode.PLAIN)
                .udpThreads(1)
                .start();
    }
}
