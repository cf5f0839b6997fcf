package io.k8sdns.benchmarks;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointSelection;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ServicePort;
import io.k8sdns.records.PodsMode;
import io.k8sdns.records.RecordRules;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.zone.ClusterZone;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a zone keeps on the heap: bytes per Service and per endpoint over a zone without objects, at several sizes.
 *
 * <pre>
 * ./mvnw -q -pl tools/k8sdns-benchmarks -am package -DskipTests
 * java -XX:+UseSerialGC -Xmx2g -cp tools/k8sdns-benchmarks/target/k8sdns-benchmarks-0.1.0-SNAPSHOT.jar \\
 *     io.k8sdns.benchmarks.ClusterMemory
 * </pre>
 *
 * <p>Objects are made as a source makes them, a Service at a time, and are garbage once they are applied. The heap is what
 * is in use after a collection, less what it was with an empty zone and all classes loaded. What an endpoint costs has its
 * share of its Service and its slice in it. A histogram says where the bytes are: {@code jcmd PID GC.class_histogram}
 * while the program waits, which {@code wait} as its only argument makes it do after the last size.
 */
public final class ClusterMemory {
    private static final int BATCH = 100;
    private static final int SLICE = 20;

    /** What is measured, so that it is there while it is. */
    private static ClusterZone kept = build(Shape.CLUSTER_IP, 0, PodsMode.DISABLED);

    private ClusterMemory() {}

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

    /**
     * Prints a table.
     *
     * @param args nothing, or {@code wait} to stay alive with the last zone
     */
    public static void main(String[] args) throws InterruptedException {
        for (Shape shape : Shape.values()) {
            build(shape, 1_000, PodsMode.VERIFIED);
        }
        System.out.println("| what | pods | how many | names | heap, MB | bytes each |");
        System.out.println("|---|---|---|---|---|---|");
        for (PodsMode pods : List.of(PodsMode.DISABLED, PodsMode.VERIFIED)) {
            for (int services : new int[] {1_000, 10_000, 100_000}) {
                measure(Shape.CLUSTER_IP, services, pods);
            }
            for (Shape shape : List.of(Shape.HEADLESS, Shape.HOSTNAMES, Shape.LARGE)) {
                measure(shape, 150_000, pods);
            }
            measure(Shape.HOSTNAMES, 1_000_000, pods);
        }
        if (args.length == 1 && args[0].equals("wait")) {
            kept = build(Shape.HOSTNAMES, 150_000, PodsMode.DISABLED);
            System.out.println("waiting, process " + ProcessHandle.current().pid());
            Thread.currentThread().join();
        }
    }

    private static void measure(Shape shape, int count, PodsMode pods) {
        kept = build(shape, 0, pods);
        long empty = ClusterSizes.heap();
        kept = build(shape, count, pods);
        long used = ClusterSizes.heap() - empty;
        int[] names = {0};
        kept.current().forEach((name, data) -> names[0]++);
        System.out.println(String.format(
                Locale.ROOT,
                "| %s | %s | %,d | %,d | %.1f | %d |",
                shape.title,
                pods.name().toLowerCase(Locale.ROOT),
                count,
                names[0],
                used / 1e6,
                used / count));
    }

    private static ClusterZone build(Shape shape, int count, PodsMode pods) {
        ZoneSettings settings = ZoneSettings.builder().pods(pods).build();
        ClusterZone zone = ClusterZone.empty(new RecordRules(settings), Visibility.ALL);
        List<ClusterChange> batch = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            batch.add(new ClusterChange.Put(Namespace.of("namespace-" + i)));
        }
        for (int service = 0; service * shape.each < count; service++) {
            for (ClusterObject object : service(shape, service)) {
                batch.add(new ClusterChange.Put(object));
                if (object instanceof EndpointSlice slice && pods == PodsMode.VERIFIED) {
                    addPods(batch, slice);
                }
            }
            if (batch.size() > BATCH) {
                zone.apply(batch);
                batch.clear();
            }
        }
        zone.apply(batch);
        return zone;
    }

    private static List<ClusterObject> service(Shape shape, int number) {
        String namespace = "namespace-" + number % 100;
        if (shape == Shape.CLUSTER_IP) {
            return List.of(new ClusterIpService(
                    ClusterSizes.metadata(namespace, "service-" + number),
                    List.of(ClusterSizes.address(0x0A60_0000 + number)),
                    List.of(ServicePort.of(new String("http"), Protocol.TCP, 80)),
                    EndpointSelection.NONE,
                    false));
        }
        String name = "headless-" + number;
        List<ClusterObject> objects = new ArrayList<>();
        objects.add(ClusterSizes.headless(namespace, name));
        int slice = Math.min(shape.each, shape == Shape.LARGE ? 100 : SLICE);
        for (int i = 0; i < shape.each / slice; i++) {
            int first = number * shape.each + i * slice;
            objects.add(ClusterSizes.slice(namespace, name, i, first, slice, shape != Shape.HEADLESS));
        }
        return objects;
    }

    private static void addPods(List<ClusterChange> batch, EndpointSlice slice) {
        for (Endpoint endpoint : slice.endpoints()) {
            batch.add(new ClusterChange.Put(Pod.running(
                    slice.namespace(), endpoint.targetRef().orElseThrow().name(), endpoint.addresses())));
        }
    }
}
