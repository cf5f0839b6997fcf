package io.k8sdns.benchmarks;

import io.k8sdns.apiserver.ApiServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.PortUnreachableException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/**
 * Measures a short command, the start of a server, from {@code exec} to the first correct answer over UDP, and the memory and threads of
 * a started server.
 *
 * <p>{@code StartCosts CHECKOUT DISTRIBUTION [COREDNS]}: the checkout with the examples, the directory of the distribution, and the
 * binary of CoreDNS, whose kubernetes plugin reads the same cluster from a {@link ServedManifests} in this process. Commands and servers
 * take turns; figures are medians. Processor time is user and system time of the process and of its ended children, including the shell
 * of the script.
 */
public final class StartCosts implements AutoCloseable {
    private static final int ROUNDS = 11;
    private static final SampleManifests EMPTY = new SampleManifests(1, 0);
    private static final SampleManifests SERVICES = new SampleManifests(10_000, 0);
    private static final SampleManifests ENDPOINTS = new SampleManifests(10_000, 1_000);
    private static final long POLL_NANOS = 2_000_000;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final double MEGA = 1e6;

    private final Path checkout;
    private final Path distribution;
    private final Optional<String> coredns;
    private final Path folder = Files.createTempDirectory("k8sdns-start");
    private final List<ServedManifests> apis = new ArrayList<>();

    private StartCosts(String[] args) throws IOException {
        checkout = Path.of(args[0]);
        distribution = Path.of(args[1]);
        coredns = args.length > 2 && !args[2].isEmpty() ? Optional.of(args[2]) : Optional.empty();
    }

    /** Prints tables in Markdown. */
    public static void main(String[] args) throws Exception {
        try (StartCosts costs = new StartCosts(args)) {
            costs.commands();
            costs.starts();
            costs.footprint();
        }
    }

    @Override
    public void close() throws IOException {
        apis.forEach(ServedManifests::close);
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** The command that starts a server; PORT stands for its port. */
    private record Subject(
            String name, SampleManifests cluster, List<String> command, Map<String, String> environment) {
        Subject with(String variable, String value) {
            return new Subject(name, cluster, command, Map.of(variable, value));
        }
    }

    /** One start: wall-clock time in nanoseconds and processor time in clock ticks. */
    private record Start(long nanos, long ticks) {}

    // ---- short commands

    /** A distribution, and the JVM options that select an archive of loaded classes. */
    private record Archive(String name, Path distribution, String options) {}

    private List<Archive> archives() throws Exception {
        // The archive of the build fits its own directory only.
        Path copy = folder.resolve("distribution");
        run(List.of("cp", "-r", distribution.toString(), copy.toString()));
        Files.delete(copy.resolve("lib/k8sdns.jsa"));
        List<Archive> archives = new ArrayList<>();
        archives.add(new Archive("none", copy, "-Xshare:off"));
        archives.add(new Archive("of the JDK", copy, "-Xshare:auto"));
        if (Runtime.version().feature() >= 19) {
            Path automatic = folder.resolve("automatic.jsa");
            archives.add(new Archive(
                    "-XX:+AutoCreateSharedArchive",
                    copy,
                    "-XX:+AutoCreateSharedArchive -XX:SharedArchiveFile=" + automatic));
        }
        archives.add(new Archive("of the build", distribution, ""));
        return archives;
    }

    private void commands() throws Exception {
        String bookstore = checkout.resolve("examples/bookstore").toString();
        List<List<String>> commands = List.of(
                List.of("query", "-f", bookstore, "cart.shop.svc.cluster.local"), List.of("records", bookstore));
        List<Archive> archives = archives();
        Start[][][] ends = new Start[archives.size()][commands.size()][ROUNDS];
        for (int round = -1; round < ROUNDS; round++) {
            for (int i = 0; i < archives.size(); i++) {
                for (int j = 0; j < commands.size(); j++) {
                    Start end = end(archives.get(i), commands.get(j));
                    if (round >= 0) {
                        ends[i][j][round] = end;
                    }
                }
            }
        }
        print("| archive of loaded classes | command | ended after, ms | processor time, ms |");
        print("|---|---|---|---|");
        for (int i = 0; i < archives.size(); i++) {
            for (int j = 0; j < commands.size(); j++) {
                row(archives.get(i).name() + " | " + commands.get(j).get(0), ends[i][j]);
            }
        }
        print("");
    }

    /** Runs a command to its end. */
    private static Start end(Archive archive, List<String> arguments) throws Exception {
        List<String> command = new ArrayList<>(
                List.of(archive.distribution().resolve("bin/k8sdns").toString()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("JAVA_OPTS", archive.options());
        long ticks = ticks(Path.of("/proc/self/stat"), 2);
        long begin = System.nanoTime();
        int code = builder.start().waitFor();
        long nanos = System.nanoTime() - begin;
        if (code != 0) {
            throw new IOException("ended with " + code + ": " + command);
        }
        return new Start(nanos, ticks(Path.of("/proc/self/stat"), 2) - ticks);
    }

    /**
     * Returns processor time from a file of {@code /proc}, in ticks; Linux has a hundred ticks per second.
     *
     * @param skipped 0 for the process and its ended children, 2 for these children only
     */
    private static long ticks(Path stat, int skipped) throws IOException {
        String line = Files.readString(stat);
        return Arrays.stream(line.substring(line.lastIndexOf(')') + 2).split(" ", -1))
                .skip(11 + skipped)
                .limit(4 - skipped)
                .mapToLong(Long::parseLong)
                .sum();
    }

    private static void row(String name, Start[] starts) {
        long[] nanos = Arrays.stream(starts).mapToLong(Start::nanos).sorted().toArray();
        long[] ticks = Arrays.stream(starts).mapToLong(Start::ticks).sorted().toArray();
        print("| %s | %.0f | %d |", name, nanos[ROUNDS / 2] / MEGA, ticks[ROUNDS / 2] * 10);
    }

    // ---- the starts

    private void starts() throws Exception {
        List<Subject> subjects = new ArrayList<>();
        for (int services : new int[] {2_000, 10_000}) {
            SampleManifests cluster = new SampleManifests(services, 0);
            subjects.add(ours("k8sdns, one JSON file", cluster, "json"));
            subjects.add(ours("k8sdns, one YAML file", cluster, "yaml"));
            subjects.add(live(cluster));
            if (coredns.isPresent()) {
                subjects.add(coredns(cluster));
            }
        }
        Start[][] starts = new Start[subjects.size()][ROUNDS];
        for (int round = -1; round < ROUNDS; round++) {
            for (int i = 0; i < subjects.size(); i++) {
                try (Running running = new Running(subjects.get(i))) {
                    Start start = running.start();
                    if (round >= 0) {
                        starts[i][round] = start;
                    }
                }
            }
        }
        print("| server | Services | first answer after, ms | processor time, ms |");
        print("|---|---|---|---|");
        for (int i = 0; i < subjects.size(); i++) {
            row(
                    String.format(
                            Locale.ROOT,
                            "%s | %,d",
                            subjects.get(i).name(),
                            subjects.get(i).cluster().services()),
                    starts[i]);
        }
    }

    private Subject ours(String name, SampleManifests cluster, String notation) throws IOException {
        Path file = folder.resolve(cluster.services() + "-" + cluster.headless() + "." + notation);
        Files.writeString(file, notation.equals("json") ? cluster.json() : cluster.yaml());
        return new Subject(
                name,
                cluster,
                List.of(
                        distribution.resolve("bin/k8sdns").toString(),
                        "serve",
                        "--as-is",
                        "--listen",
                        "127.0.0.1:PORT",
                        file.toString()),
                Map.of());
    }

    private Subject live(SampleManifests cluster) throws IOException {
        ServedManifests api = new ServedManifests(cluster, 0);
        apis.add(api);
        Path kubeconfig = folder.resolve("kubeconfig-" + api.port());
        Files.writeString(kubeconfig, ApiServer.kubeconfig("http://127.0.0.1:" + api.port()));
        return new Subject(
                "k8sdns, API server",
                cluster,
                List.of(
                        distribution.resolve("bin/k8sdns").toString(),
                        "serve",
                        "--listen",
                        "127.0.0.1:PORT",
                        "--kubeconfig",
                        kubeconfig.toString()),
                Map.of());
    }

    private Subject coredns(SampleManifests cluster) throws IOException {
        ServedManifests api = new ServedManifests(cluster, 0);
        apis.add(api);
        Path file = folder.resolve("Corefile-" + api.port());
        Files.writeString(
                file,
                "cluster.local {\n  bind 127.0.0.1\n  kubernetes cluster.local {\n    endpoint http://127.0.0.1:"
                        + api.port() + "\n  }\n  prometheus 127.0.0.1:{$METRICS}\n}\n");
        return new Subject(
                "CoreDNS, kubernetes plugin",
                cluster,
                List.of(coredns.orElseThrow(), "-conf", file.toString(), "-dns.port", "PORT"),
                Map.of());
    }

    /** A running server. */
    private final class Running implements AutoCloseable {
        private final int port = freePort();
        private final int metrics = freePort();
        private final Path log = folder.resolve("log");
        private final long begin;
        private final Process process;

        Running(Subject subject) throws IOException {
            ProcessBuilder builder = new ProcessBuilder(subject.command().stream()
                    .map(word -> word.replace("PORT", Integer.toString(port)))
                    .toList());
            builder.environment().put("METRICS", Integer.toString(metrics));
            builder.environment().putAll(subject.environment());
            builder.redirectErrorStream(true).redirectOutput(log.toFile());
            begin = System.nanoTime();
            process = builder.start();
        }

        /** Waits for the first correct answer. */
        Start start() throws IOException {
            return answers().orElseThrow(() -> new IOException("no answer: " + log()));
        }

        /** Waits for the first correct answer; empty if the process ended or the timeout passed. */
        Optional<Start> answers() throws IOException {
            byte[] query = Message.newQuery(Record.newRecord(
                            Name.fromConstantString("service-0.shop.svc.cluster.local."), Type.A, DClass.IN))
                    .toWire();
            byte[] room = new byte[512];
            try (DatagramSocket socket = new DatagramSocket()) {
                socket.setSoTimeout((int) TimeUnit.NANOSECONDS.toMillis(POLL_NANOS));
                socket.connect(InetAddress.getLoopbackAddress(), port);
                while (process.isAlive() && System.nanoTime() - begin < TIMEOUT.toNanos()) {
                    try {
                        socket.send(new DatagramPacket(query, query.length));
                        socket.receive(new DatagramPacket(room, room.length));
                        if ((room[3] & 0xF) == 0 && room[7] == 1) {
                            return Optional.of(new Start(System.nanoTime() - begin, ticks(proc("stat"), 0)));
                        }
                        LockSupport.parkNanos(POLL_NANOS);
                    } catch (SocketTimeoutException | PortUnreachableException notYet) {
                        LockSupport.parkNanos(POLL_NANOS);
                    }
                }
            }
            return Optional.empty();
        }

        private Path proc(String file) {
            return Path.of("/proc/" + process.pid() + "/" + file);
        }

        long status(String field) throws IOException {
            for (String line : Files.readAllLines(proc("status"))) {
                if (line.startsWith(field + ":")) {
                    return Long.parseLong(line.replaceAll("[^0-9]", ""));
                }
            }
            throw new IOException("no " + field);
        }

        /** Returns the live heap of a JVM after a collection, in bytes. */
        long javaHeap() throws Exception {
            String jcmd = Path.of(System.getProperty("java.home"), "bin/jcmd").toString();
            List<String> lines = run(List.of(jcmd, Long.toString(process.pid()), "GC.class_histogram"));
            return Long.parseLong(lines.get(lines.size() - 1).replaceAll("^Total +[0-9]+ +([0-9]+).*", "$1"));
        }

        /** Returns the heap of CoreDNS from its metrics, the minimum of several readings, in bytes. */
        long goHeap() throws Exception {
            HttpClient client = HttpClient.newHttpClient();
            long least = Long.MAX_VALUE;
            for (int i = 0; i < 20; i++) {
                String text = client.send(
                                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + metrics + "/metrics"))
                                        .build(),
                                HttpResponse.BodyHandlers.ofString())
                        .body();
                least = Math.min(
                        least,
                        text.lines()
                                .filter(line -> line.startsWith("go_memstats_heap_alloc_bytes "))
                                .mapToLong(line -> (long) Double.parseDouble(line.replaceFirst(".* ", "")))
                                .findFirst()
                                .orElseThrow());
            }
            return least;
        }

        String log() {
            try {
                return Files.readString(log);
            } catch (IOException unreadable) {
                return unreadable.toString();
            }
        }

        @Override
        public void close() {
            process.destroy();
            if (process.onExit()
                    .completeOnTimeout(process, 20, TimeUnit.SECONDS)
                    .join()
                    .isAlive()) {
                process.destroyForcibly().onExit().join();
            }
        }
    }

    private static int freePort() throws IOException {
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static List<String> run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        List<String> lines;
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            lines = out.lines().toList();
        }
        if (process.waitFor() != 0) {
            throw new IOException("failed: " + command);
        }
        return lines;
    }

    // ---- the footprint

    private void footprint() throws Exception {
        print("");
        print("| server | cluster | live heap, MB | resident, MB | threads |");
        print("|---|---|---|---|---|");
        long[] ours = new long[3];
        long[] theirs = new long[3];
        List<SampleManifests> clusters = List.of(EMPTY, SERVICES, ENDPOINTS);
        for (int i = 0; i < clusters.size(); i++) {
            Subject subject = ours("k8sdns", clusters.get(i), "json");
            try (Running running = new Running(subject)) {
                running.start();
                long resident = running.status("VmRSS");
                ours[i] = running.javaHeap();
                row(subject, ours[i], resident, running.status("Threads"));
            }
        }
        for (int i = 0; coredns.isPresent() && i < clusters.size(); i++) {
            Subject subject = coredns(clusters.get(i));
            try (Running running = new Running(subject)) {
                running.start();
                row(subject, 0, running.status("VmRSS"), running.status("Threads"));
            }
            // With a collection after each tenth of the heap, the used heap is nearly the live heap.
            try (Running running = new Running(subject.with("GOGC", "10"))) {
                running.start();
                theirs[i] = running.goHeap();
            }
        }
        print("");
        print("| over a cluster of one Service, live heap | bytes a Service | bytes a headless endpoint |");
        print("|---|---|---|");
        each("k8sdns", ours);
        if (coredns.isPresent()) {
            each("CoreDNS (GOGC=10)", theirs);
        }
        print("");
        print(
                "Smallest heap with which 10,000 Services and 20,000 endpoints are read from JSON and served: `-Xmx%dm`. The jars of "
                        + "the command: %.1f MB.",
                smallestHeap(), jars() / MEGA);
    }

    private static void row(Subject subject, long heap, long resident, long threads) {
        SampleManifests cluster = subject.cluster();
        print(
                "| %s | %,d Services, %,d endpoints | %s | %.0f | %d |",
                subject.name(),
                cluster.services(),
                cluster.headless() * SampleManifests.ENDPOINTS,
                heap == 0 ? "" : String.format(Locale.ROOT, "%.1f", heap / MEGA),
                resident * 1024 / MEGA,
                threads);
    }

    private static void each(String server, long[] heaps) {
        int services = SERVICES.services() - EMPTY.services();
        int endpoints = ENDPOINTS.headless() * SampleManifests.ENDPOINTS;
        print("| %s | %,d | %,d |", server, (heaps[1] - heaps[0]) / services, (heaps[2] - heaps[1]) / endpoints);
    }

    private int smallestHeap() throws Exception {
        Subject subject = ours("k8sdns", ENDPOINTS, "json");
        int fails = 4;
        int serves = 256;
        while (serves - fails > 2) {
            int middle = (fails + serves) / 2;
            try (Running running = new Running(subject.with("JAVA_OPTS", "-Xmx" + middle + "m"))) {
                if (running.answers().isPresent()) {
                    serves = middle;
                } else {
                    fails = middle;
                }
            }
        }
        return serves;
    }

    private long jars() throws IOException {
        long bytes = 0;
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(distribution.resolve("lib"), "*.jar")) {
            for (Path jar : jars) {
                bytes += Files.size(jar);
            }
        }
        return bytes;
    }

    private static void print(String format, Object... arguments) {
        System.out.println(String.format(Locale.ROOT, format, arguments));
    }
}
