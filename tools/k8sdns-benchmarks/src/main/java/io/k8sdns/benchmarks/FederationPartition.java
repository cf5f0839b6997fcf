package io.k8sdns.benchmarks;

import io.k8sdns.federation.FederationZoneName;
import io.k8sdns.federation.SourceCluster;
import io.k8sdns.federation.StubZoneResolver;
import io.k8sdns.forward.UpstreamForwarder;
import io.k8sdns.forward.UpstreamPolicy;
import io.k8sdns.forward.UpstreamServer;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.upstream.Forwarder;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;

/**
 * Records the answers of each cluster for one name during and after a network partition of a cluster. The script {@code
 * federation-delays} starts the servers.
 *
 * <pre>
 * FederationPartition FOLDER ETCD DNS DNS EXTERNAL CLUSTERS SERVICES SECONDS RATE
 *
 *            controller     etcd
 *             |   |       /      \ cut
 *     c0 … c8-+   +-cut-c9   DNS 1   DNS 2, in c9
 *        \__________________/  \cut____/
 * </pre>
 *
 * <p>The last cluster and the second server of federated DNS in it are cut off from the controller, from etcd, from the other server
 * and from the other clusters. Its clients ask its own server first. After a quarter of the time the load balancer of s0 in c0 gets
 * another address; after half of the time the endpoint of s0 in the last cluster becomes unready. Other Services change all the time.
 */
final class FederationPartition implements AutoCloseable {
    private static final long BETWEEN_SAMPLES_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final Duration BEFORE = Duration.ofSeconds(10);
    private static final Duration AFTER = Duration.ofSeconds(45);
    private static final Duration ATTEMPT = Duration.ofSeconds(2);
    private static final Duration DEADLINE = Duration.ofMillis(5_500);
    private static final int TIMEOUT_MILLIS = 1_000;
    private static final FederationZoneName ZONE = FederationZoneName.parse("federation.");
    private static final DnsLabels ROUTE = DnsLabels.parse("prod.svc.federation");
    private static final String EXTERNAL = "outside";

    /** The classification of an answer, compared with the current state of the clusters. */
    private enum State {
        RIGHT("correct"),
        OLD("the old address of c0"),
        ENDED("a removed shard"),
        BOTH("both"),
        NONE("no answer"),
        OTHER("another answer");

        private final String text;

        State(String text) {
            this.text = text;
        }
    }

    /**
     * A classified answer.
     *
     * @param row the cluster or external server of the client
     * @param nanos the time of the query
     */
    private record Sample(String row, long nanos, State state) {}

    private final PrintStream out;
    private final FederatedClusters clusters;
    private final int last;
    private final List<UpstreamForwarder> forwarders = new ArrayList<>();
    private final Map<String, DnsResolver> resolvers = new TreeMap<>();
    private final List<Sample> samples = new ArrayList<>();
    private final StreamRelay api;
    private final StreamRelay store;
    private final DatagramRelay fromLast;
    private final DatagramRelay toLast;

    // Guarded by this.
    private final Set<String> addresses = new TreeSet<>();
    private final String old;
    private final String ended;
    private boolean isChanged;
    private boolean isEnded;
    private volatile boolean isOver;

    private FederationPartition(PrintStream out, FederatedClusters clusters, String etcd, String dns1, String dns2)
            throws IOException {
        this.out = out;
        this.clusters = clusters;
        last = clusters.clusters() - 1;
        for (int cluster = 0; cluster < clusters.clusters(); cluster++) {
            addresses.add(clusters.address(cluster, 0));
        }
        old = clusters.address(0, 0);
        ended = clusters.address(last, 0);
        api = new StreamRelay(new InetSocketAddress(
                InetAddress.getLoopbackAddress(), clusters.server(last).port()));
        store = new StreamRelay(FederationDelays.address(etcd.substring(etcd.lastIndexOf('/') + 1)));
        InetSocketAddress first = FederationDelays.address(dns1);
        InetSocketAddress second = FederationDelays.address(dns2);
        fromLast = new DatagramRelay(first);
        toLast = new DatagramRelay(second);
        for (int cluster = 0; cluster < last; cluster++) {
            resolvers.put("c" + cluster, resolver(cluster, first, toLast.address()));
        }
        resolvers.put("c" + last, resolver(last, second, fromLast.address()));
    }

    /** Runs a partition. Prints a line for each change of an answer, and then a table. */
    public static void main(String[] args) throws Exception {
        run(System.out, args);
    }

    private static void run(PrintStream out, String... args) throws Exception {
        int[] numbers =
                Arrays.stream(args, 5, args.length).mapToInt(Integer::parseInt).toArray();
        try (FederatedClusters clusters = new FederatedClusters(numbers[0], numbers[1]);
                FederationPartition partition = new FederationPartition(out, clusters, args[1], args[2], args[3])) {
            for (int cluster = 0; cluster < clusters.clusters(); cluster++) {
                int port = cluster == partition.last
                        ? partition.api.port()
                        : clusters.server(cluster).port();
                FederatedClusters.writeKubeconfig(Path.of(args[0]), cluster, port);
            }
            System.err.println("store of DNS 2: http://127.0.0.1:" + partition.store.port());
            System.err.println("API servers are ready");
            InetSocketAddress external = FederationDelays.address(args[4]);
            FederationDelays.awaitComplete(clusters, external, "svc.example.org.");
            FederationDelays.awaitComplete(clusters, FederationDelays.address(args[3]), "svc.federation.");
            System.err.println("all names are there");
            partition.run(external, Duration.ofSeconds(numbers[2]), numbers[3]);
        }
    }

    private DnsResolver resolver(int cluster, InetSocketAddress... servers) throws IOException {
        UpstreamZone.Builder zone = UpstreamZone.builder(ROUTE)
                .policy(UpstreamPolicy.SEQUENTIAL)
                .attemptTimeout(ATTEMPT)
                .deadline(DEADLINE)
                .nextOnFailure()
                .failFast()
                .options((question, client) -> client.ednsOptions());
        for (InetSocketAddress server : servers) {
            zone.server(UpstreamServer.udp(server));
        }
        UpstreamForwarder forwarder = UpstreamForwarder.start(zone.build());
        forwarders.add(forwarder);
        Optional<Forwarder> route = Optional.of(forwarder.toZone(ROUTE));
        return StubZoneResolver.builder(
                        ZONE,
                        new SourceCluster("c" + cluster),
                        (question, client) -> new Resolution.Ready(Answer.failure(
                                Rcode.REFUSED, new ExtendedError(ExtendedError.OTHER, "federated names alone"))))
                .routes(federation -> route)
                .build();
    }

    // ---- faults and changes ----

    private void run(InetSocketAddress external, Duration whole, int rate) throws IOException, InterruptedException {
        start(() -> changeOthers(rate));
        long begun = System.nanoTime();
        start(this::sampleClusters);
        AddressClient client = new AddressClient(external, TIMEOUT_MILLIS);
        start(() -> sampleExternal(client));
        await(begun, BEFORE);
        long cut = System.nanoTime();
        cut(true);
        await(cut, whole.dividedBy(4));
        synchronized (this) {
            String address = clusters.nextAddress();
            addresses.remove(old);
            addresses.add(address);
            isChanged = true;
            clusters.putService(0, 0, address);
        }
        await(cut, whole.dividedBy(2));
        synchronized (this) {
            addresses.remove(ended);
            isEnded = true;
            clusters.putEndpoint(last, 0, false);
        }
        await(cut, whole);
        cut(false);
        await(cut, whole.plus(AFTER));
        isOver = true;
        print(cut, whole);
    }

    private void cut(boolean value) {
        api.cut(value);
        store.cut(value);
        fromLast.cut(value);
        toLast.cut(value);
    }

    private static void await(long since, Duration time) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(since + time.toNanos() - System.nanoTime());
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "partition");
        thread.setDaemon(true);
        thread.start();
    }

    /** Changes all Services but s0. */
    private void changeOthers(int rate) {
        long next = System.nanoTime();
        for (int number = 0; !isOver; number++) {
            int service = 1 + number % (clusters.services() - 1);
            clusters.putService(number % clusters.clusters(), service, clusters.nextAddress());
            next += TimeUnit.SECONDS.toNanos(1) / rate;
            LockSupport.parkNanos(next - System.nanoTime());
        }
    }

    // ---- queries ----

    private void sampleClusters() {
        Question question = new Question(DnsLabels.parse("s0.shop.prod.svc.federation"), RecordType.A, DClass.IN);
        long next = System.nanoTime();
        while (!isOver) {
            resolvers.forEach((row, resolver) -> {
                long asked = System.nanoTime();
                resolver.resolve(question, Client.IN_PROCESS)
                        .deliver(
                                answer -> sample(row, asked, addresses(answer)),
                                failed -> sample(row, asked, Set.of()));
            });
            next += BETWEEN_SAMPLES_NANOS;
            LockSupport.parkNanos(next - System.nanoTime());
        }
    }

    private static Set<String> addresses(Answer answer) {
        return answer.answer().stream()
                .flatMap(set -> set.records().stream())
                .filter(ARecord.class::isInstance)
                .map(FederationPartition::address)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String address(Record record) {
        return ((ARecord) record).getAddress().getHostAddress();
    }

    private void sampleExternal(AddressClient client) {
        long next = System.nanoTime();
        try (client) {
            Name name = FederationDelays.name(0, "svc.example.org.");
            while (!isOver) {
                long asked = System.nanoTime();
                sample(EXTERNAL, asked, client.ask(name));
                next += BETWEEN_SAMPLES_NANOS;
                LockSupport.parkNanos(next - System.nanoTime());
            }
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private synchronized void sample(String row, long asked, Set<String> answered) {
        samples.add(new Sample(row, asked, state(row, answered)));
    }

    /** Compares an answer with the expected one of a row: a cluster with its own shard gets the cluster IP. */
    private State state(String row, Set<String> answered) {
        String ownIp = FederatedClusters.clusterIp(0);
        Set<String> wanted = new TreeSet<>(addresses);
        String endedHere = ended;
        boolean isOfLast = row.equals("c" + last);
        if (isOfLast) {
            endedHere = ownIp;
            if (wanted.remove(ended)) {
                wanted.add(ownIp);
            }
        } else if (!row.equals(EXTERNAL)) {
            wanted.remove(clusters.address(Integer.parseInt(row.substring(1)), 0));
            wanted.add(ownIp);
        }
        if (answered.equals(wanted)) {
            return State.RIGHT;
        }
        boolean hasOld = isChanged && answered.contains(old);
        boolean hasEnded = isEnded && answered.contains(endedHere);
        if (answered.isEmpty()) {
            return State.NONE;
        }
        return hasOld && hasEnded ? State.BOTH : hasOld ? State.OLD : hasEnded ? State.ENDED : State.OTHER;
    }

    // ---- the figures ----

    private synchronized void print(long cut, Duration whole) {
        Map<String, List<Sample>> rows = new TreeMap<>();
        samples.forEach(
                one -> rows.computeIfAbsent(one.row(), any -> new ArrayList<>()).add(one));
        rows.values().forEach(row -> row.sort((one, other) -> Long.compare(one.nanos(), other.nanos())));
        rows.forEach((row, all) -> all.forEach(one -> out.println(String.format(
                Locale.ROOT, "sample\t%s\t%.2f\t%s", row, seconds(one.nanos() - cut), one.state().text))));
        out.println("| client in | old address of c0, s | removed shard, s | no answer, s | another answer, s |"
                + " correct again after healing, s |");
        out.println("|---|---|---|---|---|---|");
        rows.forEach((row, all) -> {
            Sample wrong = all.get(0);
            for (Sample one : all) {
                wrong = one.state() == State.RIGHT ? wrong : one;
            }
            double healed = seconds(wrong.nanos() + BETWEEN_SAMPLES_NANOS - cut - whole.toNanos());
            out.println(String.format(
                    Locale.ROOT,
                    "| %s | %.1f | %.1f | %.1f | %.1f | %s |",
                    row,
                    time(all, State.OLD, State.BOTH),
                    time(all, State.ENDED, State.BOTH),
                    time(all, State.NONE),
                    time(all, State.OTHER),
                    wrong.nanos() - cut < whole.toNanos()
                            ? "was correct"
                            : String.format(Locale.ROOT, "%.1f", healed)));
        });
    }

    private static double seconds(long nanos) {
        return nanos / 1e9;
    }

    /** Returns the seconds that a row spent in some states. */
    private static double time(List<Sample> row, State... states) {
        Set<State> all = Set.of(states);
        return seconds(BETWEEN_SAMPLES_NANOS
                * row.stream().filter(one -> all.contains(one.state())).count());
    }

    @Override
    public void close() throws IOException {
        isOver = true;
        forwarders.forEach(UpstreamForwarder::close);
        api.close();
        store.close();
        fromLast.close();
        toLast.close();
    }
}
