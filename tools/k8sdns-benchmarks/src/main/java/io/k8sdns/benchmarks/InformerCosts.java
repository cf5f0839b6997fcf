package io.k8sdns.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import io.k8sdns.apiserver.ApiServer;
import io.k8sdns.apiserver.Fault;
import io.k8sdns.clientjava.ApiClusterSource;
import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.ObjectRef;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.DiscoveryV1Api;
import io.kubernetes.client.openapi.models.V1EndpointSlice;
import io.kubernetes.client.openapi.models.V1EndpointSliceList;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServiceList;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Compares {@link ApiClusterSource} with the informers of {@code io.kubernetes:client-java}: memory and processor time to list
 * 10,000 Services and 1,000 EndpointSlices of 10 endpoints, and processor time for a change of a slice.
 *
 * <pre>
 * InformerCosts [ROUNDS]            default: 3; prints medians
 * InformerCosts silent [SECONDS]    default: 660; prints when each one noticed that its watch had died silently
 * </pre>
 *
 * <p>The API server runs in a process of its own, and so does each way to follow it, one after the other in each round. {@code
 * objects} is our source with the decoded objects in a map; {@code zone} is our source with a zone that serves the records;
 * {@code informer} is a {@code SharedInformerFactory}, which keeps the objects and has no records.
 */
final class InformerCosts {
    private static final int SERVICES = 10_000;
    private static final int SLICES = 1_000;
    private static final int ENDPOINTS = 10;
    private static final int CHANGES = 1_000;
    private static final int CHANGES_A_SECOND = 100;

    /** Lists in one JVM before the one that counts as warm. */
    private static final int WARM_UPS = 5;

    private static final List<String> WAYS = List.of("objects", "zone", "informer");

    private InformerCosts() {}

    /** Prints the figures; other arguments are for the processes that it starts. */
    public static void main(String[] args) throws Exception {
        String first = args.length == 0 ? "3" : args[0];
        switch (first) {
            case "serve" -> serve();
            case "follow" -> new Measured(args[1], args[2]).run();
            case "silent" -> compareSilence(args.length == 1 ? 660 : Integer.parseInt(args[1]));
            default -> compare(Integer.parseInt(first));
        }
    }

    // ---- the API server's process

    private static void serve() throws IOException, InterruptedException {
        Random random = new Random(1);
        try (ApiServer server = new ApiServer();
                BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            server.put("namespaces", "shop", "\"uid\": \"shop\"", "");
            for (int i = 0; i < SERVICES; i++) {
                putService(server, i);
            }
            for (int i = 0; i < SLICES; i++) {
                putSlice(server, i, 0);
            }
            System.out.println(server.url());
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                switch (order) {
                    case "change" -> {
                        long next = System.nanoTime();
                        for (int i = 0; i < CHANGES; i++) {
                            putSlice(server, random.nextInt(SLICES), 1 + random.nextInt(200));
                            next += TimeUnit.SECONDS.toNanos(1) / CHANGES_A_SECOND;
                            LockSupport.parkNanos(next - System.nanoTime());
                        }
                    }
                    case "change once" -> putSlice(server, 0, 1 + random.nextInt(200));
                    case "silence watches" ->
                        server.fault(
                                "endpointslices", Fault.silenceAfterTheHead().ofWatches());
                    case "await watch" -> server.awaitOpenWatch("endpointslices");
                    case "mend" -> server.fault("endpointslices", Fault.NONE);
                    default -> throw new IllegalArgumentException(order);
                }
                System.out.println("done");
            }
        }
    }

    private static void putService(ApiServer server, int number) {
        String address = number < SLICES ? "None" : "10.96." + number / 250 + "." + number % 250;
        server.put(
                "services",
                "shop/service-" + number,
                "\"uid\": \"" + uid(1, number) + "\"",
                String.format(Locale.ROOT, """
                        , "spec": {"clusterIP": "%1$s", "clusterIPs": ["%1$s"], "ipFamilies": ["IPv4"], "type": "ClusterIP", \
                        "selector": {"app": "service-%2$d"}, "ports": [{"name": "http", "port": 80, "protocol": "TCP", \
                        "targetPort": 8080}]}""", address, number));
    }

    private static void putSlice(ApiServer server, int number, int shift) {
        StringBuilder endpoints = new StringBuilder();
        for (int i = 0; i < ENDPOINTS; i++) {
            endpoints
                    .append(endpoints.isEmpty() ? "" : ", ")
                    .append(String.format(
                            Locale.ROOT,
                            """
                    {"addresses": ["10.%d.%d.%d"], "conditions": {"ready": true, "serving": true, "terminating": false}, \
                    "nodeName": "node-%d", "targetRef": {"kind": "Pod", "namespace": "shop", "name": "pod-%d-%d", \
                    "uid": "%s"}}""",
                            128 + number / 250,
                            number % 250,
                            i + (i == 0 ? shift : 20),
                            i,
                            number,
                            i,
                            uid(3, number * ENDPOINTS + i)));
        }
        server.put(
                "endpointslices",
                "shop/service-" + number + "-0",
                "\"uid\": \"" + uid(2, number) + "\", \"labels\": {\"kubernetes.io/service-name\": \"service-" + number
                        + "\"}",
                ", \"addressType\": \"IPv4\", \"ports\": [{\"name\": \"http\", \"port\": 8080, \"protocol\": \"TCP\"}], "
                        + "\"endpoints\": [" + endpoints + "]");
    }

    private static String uid(int kind, int number) {
        return String.format(Locale.ROOT, "3f1c9a52-6f0e-4b7e-9a5%d-7c1d%08x", kind, number);
    }

    // ---- the process that is measured

    /** A way to follow the cluster, and the counters of what it received. */
    private static final class Measured {
        private final String way;
        private final String url;
        private final AtomicInteger changes = new AtomicInteger();
        private volatile CountDownLatch firstChange = new CountDownLatch(1);
        private @Nullable AutoCloseable following;

        Measured(String way, String url) {
            this.way = way;
            this.url = url;
        }

        void run() throws Exception {
            try (BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
                for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                    switch (order) {
                        case "list" -> list();
                        case "peak" -> peak();
                        case "stop" -> stop();
                        case "reset" -> {
                            firstChange = new CountDownLatch(1);
                            changes.set(0);
                            System.out.println(cpu());
                        }
                        case "count" -> count();
                        default -> awaitFirstChange(order);
                    }
                }
            }
            System.exit(0);
        }

        /** Prints whether a change arrives within the number of seconds that follows the word {@code await}. */
        private void awaitFirstChange(String order) throws InterruptedException {
            if (!order.matches("await [0-9]+")) {
                throw new IllegalArgumentException(order);
            }
            int seconds = Integer.parseInt(order.substring("await ".length()));
            System.out.println(firstChange.await(seconds, TimeUnit.SECONDS));
        }

        private void noteChange() {
            if (changes.incrementAndGet() == 1) {
                firstChange.countDown();
            }
        }

        private void list() throws Exception {
            long empty = heap();
            long cpu = cpu();
            long wall = System.nanoTime();
            start();
            long cpuUsed = cpu() - cpu;
            long wallUsed = System.nanoTime() - wall;
            System.out.println(cpuUsed + " " + wallUsed + " " + (heap() - empty));
        }

        private void peak() throws Exception {
            long empty = heap();
            long peak = LiveCosts.peakDuring(this::start);
            System.out.println(peak - empty);
        }

        private void count() {
            while (changes.get() < CHANGES) {
                LockSupport.parkNanos(1_000_000);
            }
            System.out.println(cpu());
        }

        private void stop() throws Exception {
            if (following != null) {
                following.close();
                following = null;
            }
            System.out.println("stopped");
        }

        private void start() throws Exception {
            following = switch (way) {
                case "objects" -> objects();
                case "zone" -> zone();
                default -> informer();
            };
        }

        private AutoCloseable zone() throws InterruptedException {
            FollowedZone zone = new FollowedZone(url, ClusterObserver.NONE, change -> noteChange());
            zone.await(SyncState.SYNCED);
            return zone;
        }

        private AutoCloseable objects() throws InterruptedException {
            CountDownLatch synced = new CountDownLatch(1);
            Map<ObjectRef, ClusterObject> objects = new HashMap<>();
            ApiClusterSource source =
                    ApiClusterSource.builder(new ApiClient().setBasePath(url)).build();
            source.start(new ClusterSource.Sink() {
                @Override
                public void changed(List<ClusterChange> batch) {
                    for (ClusterChange change : batch) {
                        if (change instanceof ClusterChange.Put put) {
                            objects.put(put.ref(), put.object());
                        }
                        noteChange();
                    }
                }

                @Override
                public void stateChanged(SyncState state) {
                    if (state == SyncState.SYNCED) {
                        synced.countDown();
                    }
                }

                @Override
                public void diagnosed(Diagnostic diagnostic) {
                    throw new IllegalStateException(diagnostic.toString());
                }
            });
            synced.await();
            if (objects.size() < SERVICES + SLICES) {
                throw new IllegalStateException("only " + objects.size() + " objects when synced");
            }
            return source;
        }

        private AutoCloseable informer() throws InterruptedException {
            CountDownLatch added = new CountDownLatch(SERVICES + SLICES);
            ApiClient client = new ApiClient().setBasePath(url).setReadTimeout(0);
            SharedInformerFactory factory = new SharedInformerFactory(client);
            CoreV1Api core = new CoreV1Api(client);
            DiscoveryV1Api discovery = new DiscoveryV1Api(client);
            factory.sharedIndexInformerFor(
                            parameters -> core.listServiceForAllNamespaces()
                                    .resourceVersion(parameters.resourceVersion)
                                    .timeoutSeconds(parameters.timeoutSeconds)
                                    .watch(parameters.watch)
                                    .buildCall(null),
                            V1Service.class,
                            V1ServiceList.class)
                    .addEventHandler(counting(added));
            factory.sharedIndexInformerFor(
                            parameters -> discovery
                                    .listEndpointSliceForAllNamespaces()
                                    .resourceVersion(parameters.resourceVersion)
                                    .timeoutSeconds(parameters.timeoutSeconds)
                                    .watch(parameters.watch)
                                    .buildCall(null),
                            V1EndpointSlice.class,
                            V1EndpointSliceList.class)
                    .addEventHandler(counting(added));
            factory.startAllRegisteredInformers();
            added.await();
            return factory::stopAllRegisteredInformers;
        }

        private <T extends KubernetesObject> ResourceEventHandler<T> counting(CountDownLatch added) {
            return new ResourceEventHandler<>() {
                @Override
                public void onAdd(T object) {
                    added.countDown();
                }

                @Override
                public void onUpdate(T before, T object) {
                    noteChange();
                }

                @Override
                public void onDelete(T object, boolean isStateUnknown) {}
            };
        }
    }

    private static long cpu() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }

    private static long heap() {
        long used = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            used = Math.min(
                    used,
                    Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
        }
        return used;
    }

    // ---- the process that compares

    /** A process of this program, which answers each line with a line. */
    private record Helper(Process process, PrintWriter orders, BufferedReader answers) implements AutoCloseable {
        static Helper start(String... arguments) throws IOException {
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:+UseSerialGC",
                    "-Xmx1g",
                    "-cp",
                    System.getProperty("java.class.path"),
                    InformerCosts.class.getName()));
            command.addAll(Arrays.asList(arguments));
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            return new Helper(
                    process,
                    new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8),
                    process.inputReader(StandardCharsets.UTF_8));
        }

        String line() throws IOException {
            String line = answers.readLine();
            if (line == null) {
                throw new IOException("the process has ended");
            }
            return line;
        }

        String ask(String order) throws IOException {
            orders.println(order);
            return line();
        }

        long[] numbers(String order) throws IOException {
            return Arrays.stream(ask(order).split(" ", -1))
                    .mapToLong(Long::parseLong)
                    .toArray();
        }

        @Override
        public void close() {
            process.destroy();
        }
    }

    private static void compare(int rounds) throws Exception {
        Map<String, Map<String, List<Double>>> figures = new HashMap<>();
        try (Helper server = Helper.start("serve")) {
            String url = server.line();
            for (int round = 0; round < rounds; round++) {
                for (String way : WAYS) {
                    measure(server, url, way)
                            .forEach((row, value) -> figures.computeIfAbsent(row, any -> new HashMap<>())
                                    .computeIfAbsent(way, any -> new ArrayList<>())
                                    .add(value));
                }
            }
        }
        System.out.println("| medians of " + rounds + " | " + String.join(" | ", WAYS) + " | informer / zone |");
        System.out.println("|---|---|---|---|---|");
        figures.keySet().stream().sorted().forEach(row -> {
            double[] medians = WAYS.stream()
                    .mapToDouble(
                            way -> median(figures.getOrDefault(row, Map.of()).getOrDefault(way, List.of())))
                    .toArray();
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %.2f | %.2f | %.2f | %.1f |%n",
                    row,
                    medians[0],
                    medians[1],
                    medians[2],
                    medians[2] / medians[1]);
        });
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    private static Map<String, Double> measure(Helper server, String url, String way) throws Exception {
        Map<String, Double> figures = new HashMap<>();
        try (Helper follower = Helper.start("follow", way, url)) {
            long[] list = follower.numbers("list");
            figures.put("first list in a JVM, processor time, ms", list[0] / 1e6);
            figures.put("first list in a JVM, wall clock, ms", list[1] / 1e6);
            figures.put("live heap when synced, MB", list[2] / 1e6);
            figures.put("change, first thousand, processor time, ms", change(server, follower));
            boolean unused = change(server, follower) > 0;
            figures.put("change, third thousand, processor time, ms", change(server, follower));
            follower.ask("stop");
            for (int i = 0; i < WARM_UPS; i++) {
                list = follower.numbers("list");
                follower.ask("stop");
            }
            figures.put("list in a warm JVM, processor time, ms", list[0] / 1e6);
            figures.put("peak of live heap while listing, MB", follower.numbers("peak")[0] / 1e6);
        }
        return figures;
    }

    private static double change(Helper server, Helper follower) throws IOException {
        long before = follower.numbers("reset")[0];
        server.ask("change");
        return (follower.numbers("count")[0] - before) / 1e6 / CHANGES;
    }

    private static void compareSilence(int seconds) throws Exception {
        for (String way : List.of("objects", "informer")) {
            try (Helper server = Helper.start("serve");
                    Helper follower = Helper.start("follow", way, server.line())) {
                server.ask("silence watches");
                follower.ask("list");
                // From now on new requests work, and the open watch stays silent.
                server.ask("await watch");
                server.ask("mend");
                follower.ask("reset");
                server.ask("change once");
                long begun = System.nanoTime();
                boolean isNoticed = follower.ask("await " + seconds).equals("true");
                System.out.printf(
                        Locale.ROOT,
                        "%s: %s after %d s%n",
                        way,
                        isNoticed ? "the change arrived" : "the change was still missing",
                        (System.nanoTime() - begun) / 1_000_000_000L);
            }
        }
    }
}
