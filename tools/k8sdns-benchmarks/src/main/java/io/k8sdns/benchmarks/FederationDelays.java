package io.k8sdns.benchmarks;

import io.k8sdns.etcd.EtcdStore;
import io.k8sdns.federation.FederationStore;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.xbill.DNS.Name;

/**
 * Measures the delay from a change of a Service to the store, to the answers of the servers of federated DNS, and to the external
 * records. The script {@code federation-delays} starts the servers.
 *
 * <pre>
 * FederationDelays FOLDER ETCD DNS DNS EXTERNAL CLUSTERS SERVICES SECONDS RATE...
 * </pre>
 *
 * <p>A change sets a new address for the load balancer of a Service in one cluster. It has arrived in the store when etcd reports the
 * key with the address, and at a server when the answer for the Service's global name has the address. A server is queried for all
 * awaited names, one after the other. After the last change of a rate, the program waits for missing arrivals and counts them.
 */
final class FederationDelays implements AutoCloseable {
    private static final String STORE = "the store";
    private static final int TIMEOUT_MILLIS = 500;
    private static final long BETWEEN_QUERIES_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final Duration UNTIL_COMPLETE = Duration.ofMinutes(10);
    private static final Duration UNTIL_ARRIVED = Duration.ofMinutes(2);

    private final PrintStream out;
    private final FederatedClusters clusters;
    private final Map<String, Destination> destinations = new LinkedHashMap<>();
    private final EtcdStore store;
    private volatile boolean isOver;
    private int changes;

    /** A destination of changes: the store or a server. */
    private static final class Destination {
        private final Map<String, Change> awaited = new ConcurrentHashMap<>();
        private final Queue<Long> nanos = new ConcurrentLinkedQueue<>();

        /** The number of changes that had not arrived at the time of the last one. */
        private int waiting;

        void arrived(Change change) {
            if (awaited.remove(change.key(), change)) {
                nanos.add(System.nanoTime() - change.at());
            }
        }
    }

    /**
     * A change of a Service in a cluster.
     *
     * @param at the time of the change, in nanoseconds
     */
    private record Change(int cluster, int service, String address, long at) {
        String key() {
            return "/prod/shop/s" + service + "/c" + cluster;
        }
    }

    private FederationDelays(PrintStream out, FederatedClusters clusters, String etcd) {
        this.out = out;
        this.clusters = clusters;
        store = EtcdStore.builder(List.of(URI.create(etcd))).start();
        Destination inStore = new Destination();
        destinations.put(STORE, inStore);
        store.watch(new StoreListener(inStore));
    }

    /** Prints a table. */
    public static void main(String[] args) throws Exception {
        measure(System.out, args);
    }

    private static void measure(PrintStream out, String... args) throws Exception {
        int[] numbers =
                Arrays.stream(args, 5, args.length).mapToInt(Integer::parseInt).toArray();
        try (FederatedClusters clusters = new FederatedClusters(numbers[0], numbers[1]);
                FederationDelays delays = new FederationDelays(out, clusters, args[1])) {
            delays.poll("federated DNS 1", address(args[2]), "svc.federation.");
            delays.poll("federated DNS 2", address(args[3]), "svc.federation.");
            delays.poll("the external record", address(args[4]), "svc.example.org.");
            for (int cluster = 0; cluster < clusters.clusters(); cluster++) {
                FederatedClusters.writeKubeconfig(
                        Path.of(args[0]), cluster, clusters.server(cluster).port());
            }
            System.err.println("API servers are ready");
            awaitComplete(clusters, address(args[4]), "svc.example.org.");
            System.err.println("all names are there");
            delays.measure(numbers[2], Arrays.copyOfRange(numbers, 3, numbers.length));
        }
    }

    static InetSocketAddress address(String text) {
        int colon = text.lastIndexOf(':');
        return new InetSocketAddress(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    }

    static Name name(int service, String suffix) throws IOException {
        return Name.fromString("s" + service + ".shop.prod." + suffix);
    }

    /** Waits until every Service has an address of each cluster at a server. */
    static void awaitComplete(FederatedClusters clusters, InetSocketAddress server, String suffix) throws IOException {
        long end = System.nanoTime() + UNTIL_COMPLETE.toNanos();
        try (AddressClient client = new AddressClient(server, TIMEOUT_MILLIS)) {
            for (int service = 0; service < clusters.services(); service++) {
                while (client.ask(name(service, suffix)).size() < clusters.clusters()) {
                    if (System.nanoTime() - end > 0) {
                        throw new IOException("s" + service + " is not complete at " + server);
                    }
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
                }
            }
        }
    }

    /** Records the arrivals in the store. */
    private static final class StoreListener implements FederationStore.Listener {
        private final Destination destination;

        StoreListener(Destination destination) {
            this.destination = destination;
        }

        @Override
        public void content(Map<String, FederationStore.Entry> entries) {
            entries.forEach((key, entry) -> arrived(key, entry.value()));
        }

        @Override
        public void changed(Map<String, Optional<FederationStore.Entry>> entries) {
            entries.forEach(
                    (key, entry) -> arrived(key, entry.isPresent() ? entry.get().value() : ""));
        }

        private void arrived(String key, String value) {
            Change change = destination.awaited.get(key);
            if (change != null && value.contains("\"" + change.address() + "\"")) {
                destination.arrived(change);
            }
        }

        @Override
        public void stale() {}

        @Override
        public void upToDate() {}
    }

    /** Queries a server for the awaited names, on a new thread. */
    private void poll(String name, InetSocketAddress server, String suffix) throws IOException {
        Destination destination = new Destination();
        destinations.put(name, destination);
        AddressClient client = new AddressClient(server, TIMEOUT_MILLIS);
        Thread thread = new Thread(
                () -> {
                    try (client) {
                        while (!isOver) {
                            for (Change change : destination.awaited.values()) {
                                if (client.ask(name(change.service(), suffix)).contains(change.address())) {
                                    destination.arrived(change);
                                }
                                LockSupport.parkNanos(BETWEEN_QUERIES_NANOS);
                            }
                            LockSupport.parkNanos(BETWEEN_QUERIES_NANOS);
                        }
                    } catch (IOException failed) {
                        throw new IllegalStateException(name, failed);
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    private void measure(int seconds, int[] rates) throws InterruptedException {
        // A warm-up, so that code is compiled before the measurement.
        change(rates[rates.length - 1], Math.min(seconds, 20));
        awaitArrivals();
        print("| changes a second | to | median, ms | p95, ms | longest, ms | waiting after the last change |");
        print("|---|---|---|---|---|---|");
        for (int rate : rates) {
            destinations.values().forEach(one -> one.nanos.clear());
            change(rate, seconds);
            destinations.values().forEach(one -> one.waiting = one.awaited.size());
            awaitArrivals();
            destinations.forEach((name, one) -> {
                List<Long> sorted = one.nanos.stream().sorted().toList();
                print(
                        "| %d | %s | %s | %s | %s | %d of %,d%s |",
                        rate,
                        name,
                        millis(sorted, 50),
                        millis(sorted, 95),
                        millis(sorted, 100),
                        one.waiting,
                        rate * seconds,
                        one.awaited.isEmpty() ? "" : ", " + one.awaited.size() + " never arrived");
            });
        }
    }

    /** Makes changes at a rate; each one changes the next Service in the next cluster. */
    private void change(int rate, int seconds) {
        long next = System.nanoTime();
        for (int i = 0; i < rate * seconds; i++) {
            int number = changes++;
            int service = number % clusters.services();
            int cluster = (number + number / clusters.services()) % clusters.clusters();
            Change change = new Change(cluster, service, clusters.nextAddress(), System.nanoTime());
            destinations.values().forEach(one -> one.awaited.put(change.key(), change));
            clusters.putService(cluster, service, change.address());
            next += TimeUnit.SECONDS.toNanos(1) / rate;
            LockSupport.parkNanos(next - System.nanoTime());
        }
    }

    private void awaitArrivals() throws InterruptedException {
        long end = System.nanoTime() + UNTIL_ARRIVED.toNanos();
        while (System.nanoTime() - end < 0 && destinations.values().stream().anyMatch(one -> !one.awaited.isEmpty())) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private static String millis(List<Long> sorted, int percent) {
        return sorted.isEmpty()
                ? "-"
                : String.format(
                        Locale.ROOT,
                        "%,d",
                        TimeUnit.NANOSECONDS.toMillis(
                                sorted.get(Math.min(sorted.size() - 1, sorted.size() * percent / 100))));
    }

    private void print(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
    }

    @Override
    public void close() {
        isOver = true;
        store.close();
    }
}
