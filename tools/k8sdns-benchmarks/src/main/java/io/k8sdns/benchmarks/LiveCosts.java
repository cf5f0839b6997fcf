package io.k8sdns.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import io.k8sdns.apiserver.ApiServer;
import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.SyncState;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures the cost of following a live cluster: the list, changes and an outage of an API server in another process.
 *
 * <pre>
 * LiveCosts [SERVICES ENDPOINTS CHANGES-A-SECOND CHURN-SECONDS OUTAGE-SECONDS]     default: 10000 30 100 60 120
 * </pre>
 *
 * <p>Every other Service is headless and has the given number of endpoints. Peaks are of live heap: the used heap after a collection,
 * while collections run continuously. A latency is the time from the change in the API server's process ({@code
 * last-change-trigger-time}) to its publication, after which every answer contains it.
 */
final class LiveCosts {
    private static final int RATE_OF_QUESTIONS = 2_000;

    private final PrintStream out;
    private final int services;
    private final BlockingQueue<Duration> latencies = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> listed = new LinkedBlockingQueue<>();
    private final Random random = new Random(1);
    private long questions;
    private long failures;

    private LiveCosts(PrintStream out, int services) {
        this.out = out;
        this.services = services;
    }

    private final ClusterObserver observer = new ClusterObserver() {
        @Override
        public void programmed(ServiceKind kind, Since since, Duration latency) {
            if (since == Since.TRIGGER) {
                latencies.add(latency);
            }
        }

        @Override
        public void listed(String kind, Duration took) {
            listed.add(kind);
        }
    };

    /**
     * Prints the figures; with {@code serve}, runs the API server for the measuring process, and first writes a kubeconfig if a file is
     * given. With {@code pods} after the file, the endpoints have Pods.
     */
    public static void main(String[] args) throws Exception {
        if (args.length > 0 && args[0].equals("serve")) {
            serve(
                    Integer.parseInt(args[1]),
                    Integer.parseInt(args[2]),
                    args.length > 3 ? Optional.of(Path.of(args[3])) : Optional.empty(),
                    args.length > 4 && args[4].equals("pods"));
            return;
        }
        int[] numbers = args.length == 0
                ? new int[] {10_000, 30, 100, 60, 120}
                : Arrays.stream(args).mapToInt(Integer::parseInt).toArray();
        measure(System.out, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]);
    }

    // ---- the API server's process

    private static void serve(int services, int endpoints, Optional<Path> kubeconfig, boolean pods) throws IOException {
        try (ChangingCluster cluster = new ChangingCluster(services, endpoints, 1, false);
                BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            if (pods) {
                cluster.putPods();
            }
            String url = cluster.server().url();
            if (kubeconfig.isPresent()) {
                Files.writeString(kubeconfig.get(), ApiServer.kubeconfig(url));
            }
            System.out.println(url);
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                String[] words = order.split(" ", -1);
                switch (words[0]) {
                    case "change" ->
                        repeat(cluster::changeEndpoint, Integer.parseInt(words[1]), Integer.parseInt(words[2]));
                    case "replace" ->
                        repeat(cluster::replaceService, Integer.parseInt(words[1]), Integer.parseInt(words[2]));
                    case "forget" -> {
                        cluster.server().compact();
                        cluster.server().cut();
                    }
                    case "away" -> cluster.server().away(true);
                    case "back" -> cluster.server().away(false);
                    default -> throw new IllegalArgumentException(order);
                }
                System.out.println("done");
            }
        }
    }

    private static void repeat(Runnable change, int rate, int seconds) {
        long next = System.nanoTime();
        for (int i = 0; i < rate * seconds; i++) {
            change.run();
            next += TimeUnit.SECONDS.toNanos(1) / rate;
            LockSupport.parkNanos(next - System.nanoTime());
        }
    }

    /** The process of the API server, and its orders. */
    private record Server(Process process, PrintWriter orders, BufferedReader output) implements AutoCloseable {
        static Server start(int services, int endpoints) throws IOException {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:+UseSerialGC",
                            "-cp",
                            System.getProperty("java.class.path"),
                            LiveCosts.class.getName(),
                            "serve",
                            Integer.toString(services),
                            Integer.toString(endpoints))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            return new Server(
                    process,
                    new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8),
                    process.inputReader(StandardCharsets.UTF_8));
        }

        String line() throws IOException {
            String line = output.readLine();
            if (line == null) {
                throw new IOException("the API server has ended");
            }
            return line;
        }

        void order(String order) throws IOException {
            orders.println(order);
            line();
        }

        @Override
        public void close() {
            process.destroy();
        }
    }

    // ---- the process that is measured

    static void measure(PrintStream out, int services, int endpoints, int rate, int churn, int outage)
            throws Exception {
        try (Server server = Server.start(services, endpoints)) {
            String url = server.line();
            new LiveCosts(out, services).measure(server, url, services / 2 * endpoints, rate, churn, outage);
        }
    }

    private void measure(Server server, String url, int endpoints, int rate, int churn, int outage) throws Exception {
        print("| %,d Services, %,d endpoints, over HTTP in JSON | |", services, endpoints);
        print("|---|---|");
        // A warm-up, so that classes are loaded and code is compiled before the measurement.
        followOnce(url);
        long empty = heap();
        long cpu = cpu();
        long wall = followOnce(url);
        print("| from nothing to synced, processor time | %,d ms |", (cpu() - cpu) / 1_000_000);
        print("| the same by the wall clock, with the API server on the same machine | %,d ms |", wall / 1_000_000);

        FollowedZone[] zone = new FollowedZone[1];
        long startPeak = peakDuring(() -> {
            zone[0] = new FollowedZone(url, observer, change -> {});
            zone[0].await(SyncState.SYNCED);
        });
        try (FollowedZone followed = zone[0]) {
            long steady = heap();
            print("| live heap when synced, over an empty one | %.1f MB |", (steady - empty) / 1e6);
            print(
                    "| of that, an endpoint with its share of slice and Service | %d bytes |",
                    (steady - empty) / endpoints);
            print("| peak of live heap while starting | %.1f MB |", (startPeak - empty) / 1e6);
            listed.clear();
            long peak = peakDuring(() -> {
                server.order("forget");
                while (!listed.take().equals("EndpointSlice")) {
                    // Waits for the list of the largest kind.
                }
            });
            print("| peak of live heap while everything is listed again | %.1f MB |", (peak - empty) / 1e6);
            followed.await(SyncState.SYNCED);
            while (!followed.isSynced()) {
                LockSupport.parkNanos(1_000_000);
            }
            latencies.clear();
            long busy = cpu();
            Thread changing = ordering(server, "change " + rate + " " + churn);
            while (changing.isAlive()) {
                sendQuestions(followed);
            }
            print(
                    "| %,d changes of a slice, %d a second, from the API server's process to the publication: median | %s |",
                    rate * churn, rate, latency(50));
            print(
                    "| processor time per change, total (reading, publishing, questions, collector, compilers) | %.2f ms |",
                    (cpu() - busy) / 1e6 / (rate * churn));
            print("| p99 | %s |", latency(99));
            print("| the longest | %s |", latency(100));
            server.order("away");
            long before = questions;
            long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(outage);
            while (System.nanoTime() < until) {
                sendQuestions(followed);
            }
            print("| questions while the API server was unavailable for %d s | %,d |", outage, questions - before);
            server.order("back");
            long back = System.nanoTime();
            while (!followed.isSynced()) {
                sendQuestions(followed);
            }
            print(
                    "| from its return until all kinds are watched again (of a random wait up to 6 s) | %,d ms |",
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - back));
            print("| questions that failed, of %,d in all | %d |", questions, failures);
        }
    }

    /**
     * Follows the API server until it is synced, and returns the duration. A separate method, so that its locals do not keep objects
     * reachable.
     */
    private long followOnce(String url) throws InterruptedException {
        long begun = System.nanoTime();
        try (FollowedZone zone = new FollowedZone(url, observer, change -> {})) {
            zone.await(SyncState.SYNCED);
            return System.nanoTime() - begun;
        }
    }

    private static Thread ordering(Server server, String order) {
        Thread thread = new Thread(
                () -> {
                    try {
                        server.order(order);
                    } catch (IOException ended) {
                        throw new IllegalStateException(ended);
                    }
                },
                "ordering");
        thread.start();
        return thread;
    }

    interface Work {
        void run() throws Exception;
    }

    /** Returns the peak of the live heap during some work, in bytes. */
    static long peakDuring(Work work) throws Exception {
        boolean[] over = new boolean[1];
        long[] peak = new long[1];
        Thread collecting = new Thread(
                () -> {
                    while (!over[0]) {
                        System.gc();
                        peak[0] = Math.max(peak[0], used());
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
                    }
                },
                "collecting");
        collecting.start();
        work.run();
        over[0] = true;
        collecting.join();
        return peak[0];
    }

    /** Sends questions at a constant rate for some time. */
    private void sendQuestions(FollowedZone zone) {
        for (int i = 0; i < RATE_OF_QUESTIONS / 100; i++) {
            byte[] answer =
                    zone.ask(LiveSoak.query("service-" + random.nextInt(services) + ".shop.svc.cluster.local."));
            questions++;
            // Checks the RCODE and the number of answers.
            if ((answer[3] & 0xF) != 0 || answer[6] == 0 && answer[7] == 0) {
                failures++;
            }
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }

    private String latency(int percent) {
        List<Duration> sorted = latencies.stream().sorted().toList();
        Duration one = sorted.get(Math.min(sorted.size() - 1, sorted.size() * percent / 100));
        return String.format(Locale.ROOT, "%.1f ms", one.toNanos() / 1e6);
    }

    private static long cpu() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }

    private static long used() {
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static long heap() {
        long used = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            used = Math.min(used, used());
        }
        return used;
    }

    private void print(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
    }
}
