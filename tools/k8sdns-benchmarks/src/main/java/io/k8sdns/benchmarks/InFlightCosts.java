package io.k8sdns.benchmarks;

import io.k8sdns.forward.UpstreamForwarder;
import io.k8sdns.forward.UpstreamServer;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/**
 * Measures threads, live heap and resident memory of a forwarder while questions wait for a silent server.
 *
 * <p>{@code InFlightCosts udp|tcp [QUESTIONS]}: prints a Markdown table with one row, with 10,000 questions by default. Resident memory is
 * that of the whole process ({@code VmRSS} of Linux, and its maximum {@code VmHWM} since the start; {@code -} elsewhere), so it includes
 * the JVM and the questions of this program. One process measures one transport, because memory that the first one freed would stay
 * resident for the second one.
 */
public final class InFlightCosts {
    private static final Duration LONG = Duration.ofMinutes(30);
    private static final Path STATUS = Path.of("/proc/self/status");

    private InFlightCosts() {}

    private enum Transport {
        UDP,
        TCP
    }

    /** Measures one transport. */
    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            throw new IllegalArgumentException("usage: InFlightCosts udp|tcp [QUESTIONS]");
        }
        measure(System.out, args[0], args.length == 1 ? 10_000 : Integer.parseInt(args[1]));
    }

    static void measure(PrintStream out, String name, int questions) throws Exception {
        Transport transport = Transport.valueOf(name.toUpperCase(Locale.ROOT));
        InetAddress loopback = InetAddress.getLoopbackAddress();
        out.println("| transport | questions in flight | additional threads | heap, bytes a question"
                + " | resident before, MiB | resident, MiB | highest, MiB |");
        out.println("|---|---|---|---|---|---|---|");
        try (ServerSocket tcp = new ServerSocket(0, 1_000, loopback);
                DatagramChannel udp = DatagramChannel.open().bind(new InetSocketAddress(loopback, 0))) {
            UpstreamServer server = switch (transport) {
                case UDP -> UpstreamServer.udp((InetSocketAddress) udp.getLocalAddress());
                case TCP ->
                    UpstreamServer.udp(new InetSocketAddress(loopback, tcp.getLocalPort()))
                            .overTcp();
            };
            out.println("| " + transport + " | " + row(server, questions));
        }
    }

    private static String row(UpstreamServer server, int questions) throws IOException, InterruptedException {
        int threads = threads();
        UpstreamZone silent = UpstreamZone.builder(".")
                .server(server)
                .attemptTimeout(LONG)
                .deadline(LONG)
                .maxConcurrent(questions)
                .build();
        UpstreamZone closed = UpstreamZone.builder("last.example")
                .server(UpstreamServer.udp(closedPort()).overTcp())
                .build();
        try (UpstreamForwarder forwarder = UpstreamForwarder.start(silent, closed)) {
            List<CompletableFuture<Answer>> waiting = new ArrayList<>(questions);
            long before = heap();
            String residentBefore = mebibytes("VmRSS");
            for (int i = 0; i < questions; i++) {
                Question question = Question.of("name-" + i + ".example.com", RecordType.A);
                waiting.add(forwarder.forward(question, Client.IN_PROCESS).toCompletableFuture());
            }
            // The forwarder starts questions in order: when this one has failed, all others are sent.
            CompletableFuture<Boolean> last = forwarder
                    .forward(Question.of("last.example", RecordType.A), Client.IN_PROCESS)
                    .toCompletableFuture()
                    .handle((answer, failure) -> failure != null);
            if (!last.join()) {
                throw new IllegalStateException("a server listens on a port that was closed");
            }
            String resident = mebibytes("VmRSS");
            long bytes = heap() - before;
            int threadsMore = threads() - threads;
            if (waiting.stream().anyMatch(CompletableFuture::isDone)) {
                throw new IllegalStateException("a question is not in flight");
            }
            return questions + " | " + threadsMore + " | " + bytes / questions + " | " + residentBefore + " | "
                    + resident + " | " + mebibytes("VmHWM") + " |";
        }
    }

    /** Returns a size of this process in mebibytes, or {@code -} if the system has no such file. */
    private static String mebibytes(String field) throws IOException {
        if (!Files.exists(STATUS)) {
            return "-";
        }
        return Files.readAllLines(STATUS).stream()
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> line.replaceAll("\\D", ""))
                .map(kibibytes -> Long.toString(Long.parseLong(kibibytes) / 1024))
                .findFirst()
                .orElse("-");
    }

    private static InetSocketAddress closedPort() throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (ServerSocket free = new ServerSocket(0, 1, loopback)) {
            return new InetSocketAddress(loopback, free.getLocalPort());
        }
    }

    /** Returns the number of threads of forwarders, without those of the JVM and of other tests. */
    private static int threads() {
        return (int) Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("k8sdns-upstream"))
                .count();
    }

    private static long heap() {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        for (int i = 0; i < 3; i++) {
            memory.gc();
        }
        return memory.getHeapMemoryUsage().getUsed();
    }
}
