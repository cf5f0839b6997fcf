package io.k8sdns.benchmarks;

import com.sun.management.ThreadMXBean;
import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Pod;
import io.k8sdns.records.PodsMode;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.zone.ClusterZone;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Measures clusters in memory: the heap of a zone, the time to load one, and the time of one change.
 *
 * <pre>
 * java -XX:+UseSerialGC -Xmx4g -cp tools/k8sdns-benchmarks/target/k8sdns-benchmarks-0.1.0-SNAPSHOT.jar \
 *     io.k8sdns.benchmarks.ClusterCosts [memory|loading|changes|cluster-size]
 * </pre>
 *
 * <p>{@code memory}: objects are applied one Service at a time and are garbage afterwards. The heap is the used heap after a
 * collection, minus that of an empty zone with all classes loaded. The bytes of an endpoint include its share of the Service and the
 * slice. {@code jcmd PID GC.class_histogram} shows the distribution while the program runs.
 *
 * <p>{@code loading} and {@code changes}: processor time of the working thread, medians. Changes of all kinds and sizes take turns;
 * each is applied and reverted, and the figure is half of both. {@code cluster-size}: the same for two kinds of changes, with
 * increasing numbers of other Services. Tables are Markdown.
 */
public final class ClusterCosts {
    private static final int SLICE = 20;
    private static final int LARGE_SLICE = 100;
    private static final int LOADS = 9;
    private static final int CHANGES = 600;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** The measured zone; a field, so that it stays reachable. */
    private static ClusterZone kept = zone(Shape.CLUSTER_IP, 0, PodsMode.DISABLED);

    private final PrintStream out;
    private final int part;

    /**
     * Creates the benchmark.
     *
     * @param out receives the tables
     * @param part the divisor of all sizes, for quick tests
     */
    ClusterCosts(PrintStream out, int part) {
        this.out = out;
        this.part = part;
    }

    private enum Shape {
        CLUSTER_IP("Services with a cluster IP, no endpoints", 1),
        HEADLESS("headless endpoints without hostname, 20 a Service", SLICE),
        HOSTNAMES("headless endpoints with hostname, 20 a Service", SLICE),
        LARGE("headless endpoints with hostname, 5,000 a Service in slices of 100", 5_000);

        private final String title;
        private final int each;

        Shape(String title, int each) {
            this.title = title;
            this.each = each;
        }
    }

    /** Prints one of the tables, or all. */
    public static void main(String[] args) {
        ClusterCosts costs = new ClusterCosts(System.out, 1);
        List<String> parts = args.length == 0 ? List.of("memory", "loading", "changes", "cluster-size") : List.of(args);
        for (String part : parts) {
            switch (part) {
                case "memory" -> costs.memory();
                case "loading" -> costs.loading();
                case "changes" -> costs.changes();
                case "cluster-size" -> costs.clusterSize();
                default -> throw new IllegalArgumentException("no such table: " + part);
            }
        }
    }

    // ---- memory

    void memory() {
        for (Shape shape : Shape.values()) {
            zone(shape, 1_000 / part, PodsMode.VERIFIED);
        }
        print("| objects | pods | number | names | heap, MB | bytes each | bytes a name |");
        print("|---|---|---|---|---|---|---|");
        for (PodsMode pods : List.of(PodsMode.DISABLED, PodsMode.VERIFIED)) {
            for (int services : new int[] {1_000, 10_000, 100_000}) {
                memory(Shape.CLUSTER_IP, services, pods);
            }
            for (Shape shape : List.of(Shape.HEADLESS, Shape.HOSTNAMES, Shape.LARGE)) {
                memory(shape, 150_000, pods);
            }
            memory(Shape.HOSTNAMES, 1_000_000, pods);
        }
        memory(Shape.CLUSTER_IP, 10_000, PodsMode.INSECURE);
        memory(Shape.HOSTNAMES, 150_000, PodsMode.INSECURE);
    }

    private void memory(Shape shape, int whole, PodsMode pods) {
        int count = whole / part;
        kept = zone(shape, 0, pods);
        long empty = heap();
        kept = zone(shape, count, pods);
        long used = heap() - empty;
        print(
                "| %s | %s | %,d | %,d | %.1f | %d | %d |",
                shape.title,
                pods.name().toLowerCase(Locale.ROOT),
                count,
                names(kept),
                used / 1e6,
                used / count,
                used / names(kept));
    }

    private static int names(ClusterZone zone) {
        int[] names = {0};
        zone.current().forEach((name, data) -> names[0]++);
        return names[0];
    }

    /** Returns the used heap after collections, in bytes. */
    private long heap() {
        Runtime runtime = Runtime.getRuntime();
        long used = Long.MAX_VALUE;
        for (int i = 0; i < (part == 1 ? 5 : 1); i++) {
            System.gc();
            used = Math.min(used, runtime.totalMemory() - runtime.freeMemory());
        }
        return used;
    }

    private static ClusterZone zone(Shape shape, int count, PodsMode pods) {
        ZoneSettings settings = ZoneSettings.builder().pods(pods).build();
        ClusterZone zone = ClusterZone.empty(new RecordRules(settings), Visibility.ALL);
        zone.apply(changes(SampleObjects.namespaces()));
        for (int service = 0; service * shape.each < count; service++) {
            List<ClusterObject> objects = service(shape, service);
            if (pods == PodsMode.VERIFIED) {
                objects.addAll(pods(objects));
            }
            zone.apply(changes(objects));
        }
        return zone;
    }

    private static List<ClusterChange> changes(List<ClusterObject> objects) {
        return objects.stream().<ClusterChange>map(ClusterChange.Put::new).toList();
    }

    private static List<ClusterObject> service(Shape shape, int number) {
        List<ClusterObject> objects = new ArrayList<>();
        if (shape == Shape.CLUSTER_IP) {
            objects.add(SampleObjects.clusterIp(number));
            return objects;
        }
        String namespace = SampleObjects.namespace(number);
        String name = "headless-" + number;
        objects.add(SampleObjects.headless(namespace, name));
        int slice = shape == Shape.LARGE ? LARGE_SLICE : SLICE;
        for (int i = 0; i < shape.each / slice; i++) {
            int first = number * shape.each + i * slice;
            objects.add(SampleObjects.slice(namespace, name, i, first, slice, shape != Shape.HEADLESS));
        }
        return objects;
    }

    private static List<Pod> pods(List<ClusterObject> objects) {
        List<Pod> pods = new ArrayList<>();
        for (ClusterObject object : objects) {
            if (object instanceof EndpointSlice slice) {
                pods.addAll(SampleObjects.pods(slice));
            }
        }
        return pods;
    }

    // ---- loading

    void loading() {
        print("| cluster | objects | names | first load, ms | median of %d more, ms | us a name |", LOADS);
        print("|---|---|---|---|---|---|");
        loading("1,000 Services", 1_000, Shape.HOSTNAMES, 0);
        loading("10,000 Services", 10_000, Shape.HOSTNAMES, 0);
        loading("100,000 Services", 100_000, Shape.HOSTNAMES, 0);
        loading("10,000 Services, 20,000 endpoints", 10_000, Shape.HOSTNAMES, 20_000);
        loading("10,000 Services, 150,000 endpoints", 10_000, Shape.HOSTNAMES, 150_000);
        loading("one Service of 5,000 endpoints", 0, Shape.LARGE, 5_000);
    }

    private void loading(String title, int allServices, Shape shape, int allEndpoints) {
        int services = allServices / part;
        int endpoints = allEndpoints / part;
        List<ClusterObject> objects = new ArrayList<>(SampleObjects.namespaces());
        for (int i = 0; i < services; i++) {
            objects.add(SampleObjects.clusterIp(i));
        }
        for (int service = 0; service * shape.each < endpoints; service++) {
            objects.addAll(service(shape, service));
        }
        ClusterSnapshot snapshot = ClusterSnapshot.of(objects);
        long first = load(snapshot);
        long[] more = new long[LOADS];
        for (int i = 0; i < LOADS; i++) {
            more[i] = load(snapshot);
        }
        int names = names(kept);
        print(
                "| %s | %,d | %,d | %.0f | %.1f | %.2f |",
                title, objects.size(), names, first / 1e6, median(more) / 1e6, median(more) / 1e3 / names);
        kept = zone(Shape.CLUSTER_IP, 0, PodsMode.DISABLED);
    }

    private static long load(ClusterSnapshot snapshot) {
        long start = THREADS.getCurrentThreadCpuTime();
        kept = ClusterZone.of(snapshot, new RecordRules(ZoneSettings.DEFAULTS), Visibility.ALL);
        return THREADS.getCurrentThreadCpuTime() - start;
    }

    // ---- changes

    void changes() {
        ApplyBenchmark.Changed[] kinds = ApplyBenchmark.Changed.values();
        int[] sizes = {100, 1_000, 5_000, 20_000};
        List<ApplyBenchmark> subjects = new ArrayList<>();
        for (int endpoints : sizes) {
            for (ApplyBenchmark.Changed changed : kinds) {
                subjects.add(subject(changed, 10_000, endpoints));
            }
        }
        double[] micros = inTurns(subjects);
        print("| change, us | 100 endpoints | 1,000 | 5,000 | 20,000 |");
        print("|---|---|---|---|---|");
        for (int kind = 0; kind < kinds.length; kind++) {
            StringBuilder line = new StringBuilder("| " + kinds[kind].title() + " |");
            for (int size = 0; size < sizes.length; size++) {
                line.append(String.format(Locale.ROOT, " %.1f |", micros[size * kinds.length + kind]));
            }
            out.println(line);
        }
    }

    void clusterSize() {
        int[] sizes = {1_000, 10_000, 100_000, 1_000_000};
        List<ApplyBenchmark> subjects = new ArrayList<>();
        for (int services : sizes) {
            subjects.add(subject(ApplyBenchmark.Changed.SERVICE, services, 100));
            subjects.add(subject(ApplyBenchmark.Changed.ONE_ENDPOINT, services, 100));
        }
        // The first run is a warm-up: with fewer kinds than in changes(), the compiler has less time.
        inTurns(subjects);
        double[] micros = inTurns(subjects);
        print("| other Services | a Service without endpoints, us | bytes allocated"
                + " | one endpoint of a slice of 100, us | bytes allocated |");
        print("|---|---|---|---|---|");
        for (int i = 0; i < sizes.length; i++) {
            int service = 2 * i;
            int endpoint = service + 1;
            print(
                    "| %,d | %.1f | %,d | %.1f | %,d |",
                    sizes[i],
                    micros[service],
                    allocated(subjects.get(service)),
                    micros[endpoint],
                    allocated(subjects.get(endpoint)));
        }
    }

    private ApplyBenchmark subject(ApplyBenchmark.Changed changed, int services, int endpoints) {
        ApplyBenchmark subject = new ApplyBenchmark();
        subject.changed = changed;
        subject.services = services / part;
        subject.endpoints = Math.max(100, endpoints / part);
        subject.zone();
        return subject;
    }

    /** Returns the bytes that a change allocates. */
    private static long allocated(ApplyBenchmark subject) {
        long before = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
        subject.apply();
        subject.apply();
        return (THREADS.getThreadAllocatedBytes(Thread.currentThread().getId()) - before) / 2;
    }

    /** Returns the microseconds of each change; the changes take turns. */
    private double[] inTurns(List<ApplyBenchmark> subjects) {
        int changes = CHANGES / part;
        long[][] nanos = new long[subjects.size()][changes];
        // The first half warms up.
        for (int i = 0; i < 2 * changes; i++) {
            for (int subject = 0; subject < nanos.length; subject++) {
                long start = THREADS.getCurrentThreadCpuTime();
                subjects.get(subject).apply();
                subjects.get(subject).apply();
                nanos[subject][i % changes] = THREADS.getCurrentThreadCpuTime() - start;
            }
        }
        return Arrays.stream(nanos).mapToDouble(all -> median(all) / 2e3).toArray();
    }

    private static long median(long[] nanos) {
        long[] sorted = nanos.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private void print(String format, Object... arguments) {
        out.println(String.format(Locale.ROOT, format, arguments));
    }
}
