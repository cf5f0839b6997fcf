package io.k8sdns.benchmarks;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.AddressType;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSelection;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordRules;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.Lookup;
import io.k8sdns.zone.ZoneRevision;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Type;

/**
 * Measures clusters of several sizes in one process: how long it takes to load one, what it keeps on the heap, and how
 * long it takes from one EndpointSlice's change to the new answer.
 *
 * <pre>
 * ./mvnw -q -pl tools/k8sdns-benchmarks -am package -DskipTests
 * java -XX:+UseSerialGC -Xmx3g -jar tools/k8sdns-benchmarks/target/k8sdns-benchmarks-0.1.0-SNAPSHOT.jar
 * </pre>
 *
 * <p>Objects are made as a source makes them from JSON: no two of them share a string. Heap is what is in use after a
 * collection, less what was in use before the cluster was made; the objects' share is measured before the zone is made of
 * them. Times are CPU time of the one thread that works, so that what else runs on the machine hardly counts; the wall
 * clock, collections included, stands beside them. The first load runs code that nothing has warmed up in the first
 * cluster only.
 */
public final class ClusterSizes {
    private static final int CHANGES = 2000;
    private static final int COLD_CHANGES = 20;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private ClusterSizes() {}

    /** One cluster: its objects, and the slice that changes. */
    private record Cluster(List<ClusterObject> objects, EndpointSlice changing) {}

    /**
     * Runs every size and prints one block for each.
     *
     * @param args nothing, or a part of the titles of the sizes to run, for example {@code "one headless"}
     */
    public static void main(String[] args) {
        System.out.println(
                "Java " + Runtime.version() + ", " + Runtime.getRuntime().availableProcessors() + " processors");
        String only = args.length == 0 ? "" : args[0];
        measure(only, "10,000 Services", 0, () -> cluster(10_000, 0, 0, 0, false));
        measure(only, "10,000 Services + 1,000 headless x 20", 20_000, () -> cluster(10_000, 0, 1_000, 20, false));
        measure(only, "one headless Service of 5,000 endpoints in 50 slices", 5_000, () -> oneLargeService(5_000, 100));
        measure(only, "10,000 Services + 7,500 headless x 20", 150_000, () -> cluster(10_000, 0, 7_500, 20, false));
        measure(only, "10,000 Services x 15 endpoints", 150_000, () -> cluster(10_000, 15, 0, 0, false));
        measure(
                only,
                "10,000 Services + 7,500 headless x 20, with their Pods",
                150_000,
                () -> cluster(10_000, 0, 7_500, 20, true));
    }

    private static void measure(String only, String title, int endpoints, Supplier<Cluster> cluster) {
        if (!title.contains(only)) {
            return;
        }
        System.out.println();
        System.out.println(title);
        long bare = heap();
        Cluster made = cluster.get();
        EndpointSlice changing = made.changing();
        ClusterSnapshot snapshot = ClusterSnapshot.of(made.objects());
        int objects = made.objects().size();
        made = null;
        long withObjects = heap();

        RecordRules rules = new RecordRules(ZoneSettings.DEFAULTS);
        long wall = System.nanoTime();
        long start = THREADS.getCurrentThreadCpuTime();
        ClusterZone zone = ClusterZone.of(snapshot, rules, Visibility.ALL);
        long first = THREADS.getCurrentThreadCpuTime() - start;
        wall = System.nanoTime() - wall;
        long again = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            start = THREADS.getCurrentThreadCpuTime();
            zone = ClusterZone.of(snapshot, rules, Visibility.ALL);
            again = Math.min(again, THREADS.getCurrentThreadCpuTime() - start);
        }
        snapshot = null;
        long all = heap() - bare;
        long records = records(zone.current());
        AtomicLong names = new AtomicLong();
        zone.current().forEach((name, data) -> names.incrementAndGet());
        print(
                "load: %.0f ms of CPU (%.0f ms on the wall), best of three more %.0f ms",
                first / 1e6, wall / 1e6, again / 1e6);
        print(
                "heap: %.1f MB, of it %.1f MB the objects; %d objects, %d stored names, %d records",
                all / 1e6, (withObjects - bare) / 1e6, objects, names.get(), records);
        print(
                "bytes: %d a record, %d a stored name%s",
                all / records, all / names.get(), endpoints == 0 ? "" : ", " + all / endpoints + " an endpoint");
        change(zone, changing);
    }

    /** Takes the readiness of one endpoint away and gives it back, each time until the answer shows it. */
    private static void change(ClusterZone zone, EndpointSlice slice) {
        List<Endpoint> fewer = new ArrayList<>(slice.endpoints());
        fewer.set(0, fewer.get(0).withReady(false));
        EndpointSlice without =
                new EndpointSlice(slice.metadata(), slice.serviceName(), slice.addressType(), fewer, slice.ports());
        IpAddress address = slice.endpoints().get(0).addresses().get(0);
        DnsLabels dashed = DnsLabels.of(
                address.toString().replace('.', '-'), slice.serviceName().orElseThrow(), slice.namespace(), "svc");
        long[] nanos = new long[CHANGES];
        long[] wall = new long[CHANGES];
        for (int i = 0; i < CHANGES; i++) {
            boolean back = i % 2 == 1;
            wall[i] = System.nanoTime();
            long start = THREADS.getCurrentThreadCpuTime();
            zone.apply(List.of(new ClusterChange.Put(back ? slice : without)));
            boolean there = zone.current().lookup(dashed, Type.A) instanceof Lookup.Found;
            nanos[i] = THREADS.getCurrentThreadCpuTime() - start;
            wall[i] = System.nanoTime() - wall[i];
            if (there != back) {
                throw new AssertionError(dashed);
            }
        }
        print(
                "one endpoint of a slice of %d, change to answer: median %.3f ms of CPU, p99 %.3f ms (on the wall %.3f ms,"
                        + " %.3f ms); the first %d: median %.2f ms, longest %.2f ms",
                slice.endpoints().size(),
                millis(nanos, CHANGES / 2, CHANGES, 50),
                millis(nanos, CHANGES / 2, CHANGES, 99),
                millis(wall, CHANGES / 2, CHANGES, 50),
                millis(wall, CHANGES / 2, CHANGES, 99),
                COLD_CHANGES,
                millis(nanos, 0, COLD_CHANGES, 50),
                millis(nanos, 0, COLD_CHANGES, 100));
    }

    private static double millis(long[] nanos, int from, int to, int percentile) {
        long[] sorted = Arrays.copyOfRange(nanos, from, to);
        Arrays.sort(sorted);
        return sorted[Math.min(sorted.length - 1, sorted.length * percentile / 100)] / 1e6;
    }

    private static void print(String format, Object... arguments) {
        System.out.println("  " + String.format(Locale.ROOT, format, arguments));
    }

    private static long records(ZoneRevision revision) {
        long count = 0;
        for (DnsLabels zone : revision.zones()) {
            for (RecordSet set : revision.recordSets(zone)) {
                count += set.records().size();
            }
        }
        return count;
    }

    /** Returns the bytes in use once nothing more can be collected. */
    static long heap() {
        Runtime runtime = Runtime.getRuntime();
        long used = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            used = Math.min(used, runtime.totalMemory() - runtime.freeMemory());
        }
        return used;
    }

    // ---- clusters ----

    private static Cluster cluster(int services, int endpointsEach, int headless, int headlessEach, boolean pods) {
        List<ClusterObject> objects = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            objects.add(Namespace.of("namespace-" + i));
        }
        int address = 0;
        EndpointSlice changing = null;
        for (int i = 0; i < services; i++) {
            objects.add(new ClusterIpService(
                    metadata("namespace-" + i % 100, "service-" + i),
                    List.of(address(0x0A60_0000 + i)),
                    List.of(ServicePort.of(new String("http"), Protocol.TCP, 80)),
                    EndpointSelection.NONE,
                    false));
            // A Service without endpoints has a slice of one, so that there is something to change.
            int count = endpointsEach == 0 && i == 0 ? 1 : endpointsEach;
            if (count > 0) {
                EndpointSlice slice = slice("namespace-" + i % 100, "service-" + i, 0, address, count, false);
                address += count;
                objects.add(slice);
                changing = slice;
            }
        }
        for (int i = 0; i < headless; i++) {
            objects.add(headless("namespace-" + i % 100, "headless-" + i));
            EndpointSlice slice = slice("namespace-" + i % 100, "headless-" + i, 0, address, headlessEach, true);
            address += headlessEach;
            objects.add(slice);
            changing = slice;
        }
        if (pods) {
            addPods(objects);
        }
        return cluster(objects, changing);
    }

    private static Cluster oneLargeService(int endpoints, int each) {
        List<ClusterObject> objects = new ArrayList<>();
        objects.add(Namespace.of("namespace-0"));
        objects.add(headless("namespace-0", "large"));
        EndpointSlice changing = null;
        for (int i = 0; i < endpoints / each; i++) {
            changing = slice("namespace-0", "large", i, i * each, each, true);
            objects.add(changing);
        }
        return cluster(objects, changing);
    }

    private static Cluster cluster(List<ClusterObject> objects, @Nullable EndpointSlice changing) {
        if (changing == null) {
            throw new AssertionError("no slice to change");
        }
        return new Cluster(objects, changing);
    }

    static HeadlessService headless(String namespace, String name) {
        return new HeadlessService(
                metadata(namespace, name),
                List.of(ServicePort.of(new String("http"), Protocol.TCP, 80)),
                EndpointSelection.NONE,
                false);
    }

    static EndpointSlice slice(
            String namespace, String service, int number, int firstAddress, int count, boolean hostnames) {
        List<Endpoint> endpoints = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String pod = service + "-" + (firstAddress + i);
            endpoints.add(new Endpoint(
                    List.of(address(0x0AF4_0000 + firstAddress + i)),
                    Optional.of(true),
                    hostnames ? Optional.of(new String(pod)) : Optional.empty(),
                    Optional.of(ObjectRef.of(new String("Pod"), new String(namespace), pod)),
                    Optional.of("node-" + (firstAddress + i) % 1000),
                    Optional.of("zone-" + i % 3)));
        }
        return new EndpointSlice(
                metadata(namespace, service + "-slice-" + number),
                Optional.of(new String(service)),
                AddressType.IPV4,
                endpoints,
                List.of(EndpointPort.of(new String("http"), Protocol.TCP, 8080)));
    }

    private static void addPods(List<ClusterObject> objects) {
        List<EndpointSlice> slices = objects.stream()
                .filter(EndpointSlice.class::isInstance)
                .map(EndpointSlice.class::cast)
                .toList();
        for (EndpointSlice slice : slices) {
            for (Endpoint endpoint : slice.endpoints()) {
                String name = endpoint.targetRef().orElseThrow().name();
                IpAddress address = endpoint.addresses().get(0);
                objects.add(Pod.running(
                        new String(slice.namespace()), new String(name), List.of(IpAddress.ofBytes(address.bytes()))));
            }
        }
    }

    static Metadata metadata(String namespace, String name) {
        return new Metadata(new String(namespace), name, Optional.of("uid-of-36-characters-" + name), Labels.NONE)
                .withLabels(new Labels(Map.of("app.kubernetes.io/name", new String(name))));
    }

    static IpAddress address(int bits) {
        return IpAddress.ofBytes(
                new byte[] {(byte) (bits >>> 24), (byte) (bits >>> 16), (byte) (bits >>> 8), (byte) bits});
    }
}
