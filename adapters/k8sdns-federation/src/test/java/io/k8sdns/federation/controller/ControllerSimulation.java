package io.k8sdns.federation.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.federation.ClusterLocation;
import io.k8sdns.federation.ClusterShards;
import io.k8sdns.federation.FederatedServices;
import io.k8sdns.federation.FederationStore;
import io.k8sdns.federation.Shard;
import io.k8sdns.federation.store.FederationJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Controllers that are killed, cut off from the store and from clusters, and clusters that change, leave and join meanwhile. */
final class ControllerSimulation {
    private static final String FEDERATION = "prod";

    /** The time for late messages, the longest pause, two leases, and one more complete comparison. */
    private static final Duration UNTIL_MENDED = Duration.ofMinutes(8);

    private final Random random;
    private final ControllerVirtualTime time = new ControllerVirtualTime();
    private final SimulatedStore store;
    private final Map<String, SimulatedCluster> clusters = new TreeMap<>();
    private final List<Running> running = new ArrayList<>();
    private final Map<String, String> foreign = new HashMap<>();
    private final FederationJson json = new FederationJson();
    private int started;

    private record Running(
            ControllerCore core,
            ControllerVirtualTime.Host host,
            SimulatedStore.Connection connection,
            Map<String, SimulatedCluster.Source> sources,
            Set<String> hasLeft) {}

    ControllerSimulation(long seed) {
        random = new Random(seed);
        store = new SimulatedStore(time, random);
        for (String name : List.of("foo", "bar.example", "baz")) {
            clusters.put(name, new SimulatedCluster(time, random));
        }
    }

    void run() {
        for (int i = random.nextInt(30); i > 0; i--) {
            cluster().change();
        }
        foreign.put("/other/shop/s0/foo", "{\"externalIP\": \"192.0.2.99\"}");
        foreign.put("/prod/shop/s0/unknown", "{\"externalIP\": \"192.0.2.98\"}");
        foreign.put("/prod/shop/foo", "another program's");
        foreign.forEach((key, value) -> store.write(key, Optional.of(value)));
        store.faults(random.nextDouble() * 0.3);
        start();
        for (int i = 0; i < 60; i++) {
            happen();
            time.pass(Duration.ofMillis(random.nextInt(random.nextInt(5) == 0 ? 100_000 : 3_000)));
        }
        if (running.isEmpty()) {
            start();
        }
        store.faults(0);
        running.forEach(one -> {
            rejoin(one);
            one.connection().mend();
            one.sources().values().forEach(SimulatedCluster.Source::mend);
        });
        time.pass(UNTIL_MENDED);
        assertThat(shards())
                .as("the shards in the store; %s; %s", problems(), content())
                .isEqualTo(wanted());
        assertThat(locations()).as("the locations in the store").isEqualTo(wantedLocations());
        foreign.forEach((key, value) -> assertThat(store.entries().get(key))
                .extracting(FederationStore.Entry::value)
                .isEqualTo(value));
        int writes = store.shardWrites();
        time.pass(UNTIL_MENDED);
        assertThat(store.shardWrites()).as("writes when nothing changes").isEqualTo(writes);
        cluster().change();
        cluster().change();
        time.pass(UNTIL_MENDED);
        assertThat(shards()).as("the shards after changes").isEqualTo(wanted());
        killAll();
    }

    private List<String> problems() {
        return running.stream()
                .flatMap(one -> one.core().problems().stream())
                .map(FederationController.Problem::toString)
                .toList();
    }

    /** Returns the text of the store, which is the same for the same seed. */
    String content() {
        return new TreeMap<>(store.entries()).toString();
    }

    private SimulatedCluster cluster() {
        List<SimulatedCluster> all = List.copyOf(clusters.values());
        return all.get(random.nextInt(all.size()));
    }

    private void happen() {
        for (int i = random.nextInt(3); i > 0; i--) {
            cluster().change();
        }
        if (running.isEmpty()) {
            start();
            return;
        }
        Running one = running.get(random.nextInt(running.size()));
        List<String> names = List.copyOf(one.sources().keySet());
        String name = names.get(random.nextInt(names.size()));
        SimulatedCluster.Source source = Objects.requireNonNull(one.sources().get(name));
        switch (random.nextInt(16)) {
            case 0, 1 -> one.connection().cut();
            case 2, 3 -> one.connection().mend();
            case 4, 5 -> source.cut();
            case 6, 7 -> source.mend();
            case 8 -> kill(one);
            case 9 -> release(one);
            case 10 -> {
                if (running.size() < 3) {
                    start();
                }
            }
            case 11 ->
                store.write(
                        "/prod/shop/s" + random.nextInt(5) + "/foo", Optional.of("{\"externalIP\": \"192.0.2.77\"}"));
            case 12 -> {
                one.hasLeft().add(name);
                one.host().execute(() -> one.core().leave(name));
            }
            case 13 -> rejoin(one);
            case 14 -> store.write("/prod/shop/s" + random.nextInt(5) + "/baz", Optional.empty());
            default -> store.write("/_clusters/foo", random.nextBoolean() ? Optional.empty() : Optional.of("broken"));
        }
    }

    private void start() {
        String id = "controller-" + ++started;
        ControllerVirtualTime.Host host = time.new Host(random.nextLong());
        SimulatedStore.Connection connection = store.connect(id);
        Map<String, SimulatedCluster.Source> sources = new TreeMap<>();
        Set<String> hasLeft = new TreeSet<>();
        ControllerCore core = new ControllerCore(
                new ControllerCore.Settings(
                        FEDERATION,
                        id,
                        FederatedServices.labelledFor(FEDERATION),
                        SimulatedStore.LEASE,
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(60),
                        "kube-system"),
                new CheckedWrites(connection, sources, hasLeft, store, id),
                host,
                new SplittableRandom(random.nextLong()));
        clusters.forEach((name, cluster) -> {
            SimulatedCluster.Source source = cluster.source();
            sources.put(name, source);
            host.execute(() -> core.join(name, source));
        });
        if (random.nextInt(4) == 0) {
            connection.cut();
        }
        if (random.nextInt(4) == 0) {
            sources.values().iterator().next().cut();
        }
        host.execute(core::start);
        running.add(new Running(core, host, connection, sources, hasLeft));
    }

    /** The clusters that have left this controller join again. */
    private void rejoin(Running one) {
        one.hasLeft().forEach(name -> {
            SimulatedCluster.Source source =
                    Objects.requireNonNull(clusters.get(name)).source();
            one.sources().put(name, source);
            one.host().execute(() -> one.core().join(name, source));
        });
        one.hasLeft().clear();
    }

    private void kill(Running one) {
        one.host().kill();
        one.connection().close();
        one.sources().values().forEach(SimulatedCluster.Source::close);
        running.remove(one);
    }

    private void release(Running one) {
        one.host().execute(() -> one.core().release(new CompletableFuture<>()));
        running.remove(one);
    }

    private void killAll() {
        List.copyOf(running).forEach(this::kill);
    }

    private Map<String, Shard> wanted() {
        Map<String, Shard> wanted = new TreeMap<>();
        clusters.forEach((name, cluster) -> shards(cluster)
                .shards()
                .forEach((service, shard) -> wanted.put("/prod/shop/" + service.name() + "/" + name, shard)));
        return wanted;
    }

    private static ClusterShards shards(SimulatedCluster cluster) {
        ClusterShards shards = new ClusterShards(FederatedServices.labelledFor(FEDERATION));
        shards.apply(cluster.puts());
        return shards;
    }

    private Map<String, ClusterLocation> wantedLocations() {
        Map<String, ClusterLocation> wanted = new TreeMap<>();
        clusters.forEach((name, cluster) ->
                wanted.put("/_clusters/" + name, shards(cluster).location()));
        return wanted;
    }

    private Map<String, ClusterLocation> locations() {
        Map<String, ClusterLocation> present = new TreeMap<>();
        store.entries().forEach((key, entry) -> {
            if (key.startsWith("/_clusters/")) {
                present.put(key, json.cluster(entry.value()));
            }
        });
        return present;
    }

    private Map<String, Shard> shards() {
        Map<String, Shard> present = new TreeMap<>();
        store.entries().forEach((key, entry) -> {
            if (!key.startsWith("/_clusters/") && !foreign.containsKey(key)) {
                present.put(key, json.shard(entry.value()));
            }
        });
        return present;
    }

    /**
     * Checks each write when it is sent, even by a controller that is cut off: no shard is written by a controller after another one
     * may have taken over its claim, and none is removed of a cluster that cannot be read.
     *
     * <p>The arrival is not checked, because the controller cannot influence it: a late write does no harm, because it names a version.
     */
    private record CheckedWrites(
            FederationStore to,
            Map<String, SimulatedCluster.Source> sources,
            Set<String> hasLeft,
            SimulatedStore store,
            String controller)
            implements FederationStore {
        @Override
        public void watch(Listener listener) {
            to.watch(listener);
        }

        @Override
        public CompletionStage<Optional<Entry>> get(String key) {
            return to.get(key);
        }

        @Override
        public CompletionStage<Boolean> compareAndSet(String key, long version, String value) {
            checkOwner(key);
            return to.compareAndSet(key, version, value);
        }

        @Override
        public CompletionStage<Boolean> compareAndRemove(String key, long version) {
            String[] parts = key.split("/", -1);
            checkOwner(key);
            assertThat(hasLeft.contains(parts[4])
                            || Objects.requireNonNull(sources.get(parts[4])).allowsRemoval(parts[3]))
                    .as("%s is removed because the cluster has no such shard", key)
                    .isTrue();
            return to.compareAndRemove(key, version);
        }

        private void checkOwner(String key) {
            if (!key.startsWith("/_clusters/")) {
                String cluster = key.substring(key.lastIndexOf('/') + 1);
                assertThat(store.mayWrite(controller, cluster))
                        .as("%s writes %s while it has the claim", controller, key)
                        .isTrue();
            }
        }

        @Override
        public void close() {
            to.close();
        }
    }
}
