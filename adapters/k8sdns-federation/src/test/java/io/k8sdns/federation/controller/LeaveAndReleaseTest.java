package io.k8sdns.federation.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.federation.FederatedServices;
import io.k8sdns.federation.FederationStore;
import io.k8sdns.federation.MemoryStore;
import io.k8sdns.federation.controller.FederationController.Problem;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.LoadBalancerIngress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Clusters that join and leave, and controllers that end, in virtual time. */
class LeaveAndReleaseTest {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration MOMENT = Duration.ofSeconds(8);

    private final ControllerVirtualTime time = new ControllerVirtualTime();
    private final DelayedStore store = new DelayedStore();
    private int started;

    /** A store whose answers and events take a second of virtual time, and which can fail. */
    private final class DelayedStore implements FederationStore {
        private final MemoryStore memory = new MemoryStore();
        private final Map<String, String> content = new TreeMap<>();

        /** Every key that was written or removed, with {@code -} before it. */
        private final List<String> writes = new ArrayList<>();

        private boolean fails;

        DelayedStore() {
            memory.watch(new Listener() {
                @Override
                public void content(Map<String, Entry> entries) {}

                @Override
                public void changed(Map<String, Optional<Entry>> changes) {
                    changes.forEach((key, entry) -> {
                        content.remove(key);
                        entry.ifPresent(one -> content.put(key, one.value()));
                        writes.add((entry.isPresent() ? "" : "-") + key);
                    });
                }

                @Override
                public void stale() {}

                @Override
                public void upToDate() {}
            });
        }

        @Override
        public void watch(Listener to) {
            memory.watch(new Listener() {
                @Override
                public void content(Map<String, Entry> entries) {
                    later(() -> to.content(entries));
                }

                @Override
                public void changed(Map<String, Optional<Entry>> changes) {
                    later(() -> to.changed(changes));
                }

                @Override
                public void stale() {}

                @Override
                public void upToDate() {
                    later(to::upToDate);
                }
            });
        }

        private void later(Runnable event) {
            var unused = time.after(Duration.ofSeconds(1), event);
        }

        /** Executes a call now, and answers later. */
        private <T> CompletionStage<T> answer(Supplier<CompletionStage<T>> call) {
            CompletableFuture<T> answer = new CompletableFuture<>();
            if (fails) {
                later(() -> answer.completeExceptionally(new IllegalStateException("out of order")));
                return answer;
            }
            T value = call.get().toCompletableFuture().join();
            later(() -> answer.complete(value));
            return answer;
        }

        @Override
        public CompletionStage<Optional<Entry>> get(String key) {
            return answer(() -> memory.get(key));
        }

        @Override
        public CompletionStage<Boolean> compareAndSet(String key, long version, String value) {
            return answer(() -> memory.compareAndSet(key, version, value));
        }

        @Override
        public CompletionStage<Boolean> compareAndRemove(String key, long version) {
            return answer(() -> memory.compareAndRemove(key, version));
        }

        @Override
        public void close() {}
    }

    /** A cluster with one Service, whose state the test sets. */
    private static final class OneService implements ClusterSource {
        private @Nullable Sink sink;
        private boolean isClosed;

        @Override
        public void start(Sink to) {
            sink = to;
        }

        private Sink sink() {
            return Objects.requireNonNull(sink);
        }

        void has(int address) {
            sink().changed(objects(address).stream()
                    .<ClusterChange>map(ClusterChange.Put::new)
                    .toList());
        }

        void state(SyncState state) {
            sink().stateChanged(state);
        }

        @Override
        public void close() {
            isClosed = true;
        }

        private static List<ClusterObject> objects(int address) {
            return List.of(
                    ClusterIpService.builder("shop", "cart")
                            .labels("federation.k8sdns.io/name=prod")
                            .clusterIp("10.96.0." + address)
                            .loadBalancer(LoadBalancerIngress.of("192.0.2." + address))
                            .build(),
                    EndpointSlice.builder("shop", "cart-1")
                            .service("cart")
                            .endpoint(Endpoint.of("10.244.0.1"))
                            .build());
        }
    }

    private ControllerCore controller() {
        ControllerVirtualTime.Host host = time.new Host(++started * 1_000L);
        ControllerCore core = new ControllerCore(
                new ControllerCore.Settings(
                        "prod",
                        "controller-" + started,
                        FederatedServices.labelledFor("prod"),
                        LEASE,
                        Duration.ofSeconds(10),
                        Duration.ofMinutes(1),
                        "kube-system"),
                store,
                host,
                new SplittableRandom(started));
        core.start();
        return core;
    }

    /** Joins a cluster whose objects have been read. */
    private static OneService join(ControllerCore controller, String name, int address) {
        OneService cluster = new OneService();
        controller.join(name, cluster);
        cluster.has(address);
        cluster.state(SyncState.SYNCED);
        return cluster;
    }

    private static CompletableFuture<Void> reconciled(ControllerCore controller) {
        CompletableFuture<Void> reconciled = new CompletableFuture<>();
        controller.reconciled(reconciled);
        return reconciled;
    }

    @Test
    void aClusterThatLeavesTakesItsOwnKeysAndItsClaim() {
        ControllerCore controller = controller();
        OneService foo = join(controller, "foo", 1);
        OneService bar = join(controller, "bar", 2);
        time.pass(MOMENT);
        assertThat(store.content)
                .containsOnlyKeys("/prod/shop/cart/foo", "/prod/shop/cart/bar", "/_clusters/foo", "/_clusters/bar");
        controller.leave("foo");
        time.pass(MOMENT);
        assertThat(store.content).containsOnlyKeys("/prod/shop/cart/bar", "/_clusters/bar");
        assertThat(foo.isClosed).isTrue();
        assertThat(bar.isClosed).isFalse();
        CompletableFuture<Void> reconciled = reconciled(controller);
        time.pass(MOMENT);
        assertThat(reconciled).isCompleted();
        assertThat(controller.problems()).isEmpty();
    }

    @Test
    void aClusterThatWasNeverReadLeavesToo() {
        store.memory.replaceAll(Map.of("/prod/shop/old/foo", "{\"externalIP\":\"192.0.2.9\"}"));
        ControllerCore controller = controller();
        controller.join("foo", new OneService());
        time.pass(MOMENT);
        assertThat(store.content).as("nothing is known of the cluster").containsKey("/prod/shop/old/foo");
        controller.leave("foo");
        time.pass(MOMENT);
        assertThat(store.content).isEmpty();
    }

    @Test
    void aClusterThatHasNotJoinedCannotLeave() {
        store.memory.replaceAll(Map.of("/prod/shop/old/foo", "{\"externalIP\":\"192.0.2.9\"}"));
        ControllerCore controller = controller();
        controller.leave("foo");
        time.pass(MOMENT);
        assertThat(store.content).containsOnlyKeys("/prod/shop/old/foo");
    }

    @Test
    void aClusterThatLeavesWhileAnotherControllerWritesItKeepsItsKeys() {
        ControllerCore owner = controller();
        OneService unused = join(owner, "foo", 1);
        time.pass(MOMENT);
        ControllerCore other = controller();
        unused = join(other, "foo", 1);
        time.pass(MOMENT);
        other.leave("foo");
        time.pass(LEASE.multipliedBy(3));
        assertThat(store.content).containsKey("/prod/shop/cart/foo");
        assertThat(store.content.get("/_clusters/foo")).contains("controller-1");
        assertThat(store.writes).doesNotContain("-/prod/shop/cart/foo");
    }

    @Test
    void aClusterThatJoinsAgainHasItsKeysAgain() {
        ControllerCore controller = controller();
        OneService unused = join(controller, "foo", 1);
        time.pass(MOMENT);
        controller.leave("foo");
        unused = join(controller, "foo", 3);
        time.pass(MOMENT);
        assertThat(store.content.get("/prod/shop/cart/foo")).contains("192.0.2.3");
        CompletableFuture<Void> reconciled = reconciled(controller);
        time.pass(MOMENT);
        assertThat(reconciled).isCompleted();
    }

    @Test
    void aSourceThatIsReplacedRemovesNothing() {
        ControllerCore controller = controller();
        OneService before = join(controller, "foo", 1);
        time.pass(MOMENT);
        OneService after = new OneService();
        controller.join("foo", after);
        time.pass(LEASE.multipliedBy(2));
        assertThat(before.isClosed).isTrue();
        assertThat(store.content).as("the new source has not been read").containsKey("/prod/shop/cart/foo");
        after.has(4);
        after.state(SyncState.SYNCED);
        time.pass(MOMENT);
        assertThat(store.content.get("/prod/shop/cart/foo")).contains("192.0.2.4");
        assertThat(store.writes).doesNotContain("-/prod/shop/cart/foo");
    }

    @Test
    void reconciledWaitsForTheObjectsOfEachClusterAndForTheStore() {
        ControllerCore controller = controller();
        CompletableFuture<Void> empty = reconciled(controller);
        assertThat(empty).as("the store has not been read").isNotDone();
        time.pass(MOMENT);
        assertThat(empty).as("without a cluster there is nothing to do").isCompleted();
        OneService foo = new OneService();
        controller.join("foo", foo);
        CompletableFuture<Void> reconciled = reconciled(controller);
        foo.has(1);
        time.pass(MOMENT);
        assertThat(reconciled).as("there may be more objects").isNotDone();
        foo.state(SyncState.SYNCED);
        assertThat(reconciled).as("nothing is written yet").isNotDone();
        time.pass(MOMENT);
        assertThat(reconciled).isCompleted();
        assertThat(store.content).containsKey("/prod/shop/cart/foo");
    }

    @Test
    void reconciledCompletesAlsoAfterFailedWrites() {
        ControllerCore controller = controller();
        time.pass(MOMENT);
        store.fails = true;
        OneService unused = join(controller, "foo", 1);
        CompletableFuture<Void> reconciled = reconciled(controller);
        time.pass(Duration.ofSeconds(1));
        assertThat(reconciled).as("one failure may pass").isNotDone();
        time.pass(Duration.ofSeconds(30));
        assertThat(reconciled).isCompleted();
        assertThat(controller.problems()).containsExactly(new Problem("cluster foo", "out of order"));
    }

    @Test
    void aControllerThatReleasesItsClustersLeavesTheKeysToAnotherOneAtOnce() {
        ControllerCore first = controller();
        OneService foo = join(first, "foo", 1);
        time.pass(MOMENT);
        ControllerCore second = controller();
        OneService unused = join(second, "foo", 2);
        time.pass(MOMENT);
        assertThat(store.content.get("/_clusters/foo")).contains("controller-1");
        CompletableFuture<Void> released = new CompletableFuture<>();
        first.release(released);
        assertThat(released).isNotDone();
        time.pass(MOMENT);
        assertThat(released).isCompleted();
        assertThat(foo.isClosed).isTrue();
        assertThat(store.content.get("/_clusters/foo")).contains("controller-2");
        assertThat(store.content.get("/prod/shop/cart/foo")).contains("192.0.2.2");
        assertThat(store.writes).doesNotContain("-/prod/shop/cart/foo");
    }

    @Test
    void aClaimThatIsBeingWrittenIsReleasedToo() {
        ControllerCore controller = controller();
        time.pass(MOMENT);
        OneService unused = join(controller, "foo", 1);
        while (store.content.isEmpty()) {
            time.pass(Duration.ofMillis(100));
        }
        // The controller has not yet received its own claim.
        CompletableFuture<Void> released = new CompletableFuture<>();
        controller.release(released);
        time.pass(MOMENT);
        assertThat(released).isCompleted();
        assertThat(store.content.get("/_clusters/foo")).doesNotContain("controller-1");
    }

    @Test
    void aReleaseEndsByTheDeadlineIfTheStoreFails() {
        ControllerCore controller = controller();
        OneService foo = join(controller, "foo", 1);
        time.pass(MOMENT);
        store.fails = true;
        CompletableFuture<Void> released = new CompletableFuture<>();
        controller.release(released);
        time.pass(Duration.ofSeconds(9));
        assertThat(released).isNotDone();
        time.pass(Duration.ofSeconds(2));
        assertThat(released).isCompleted();
        assertThat(foo.isClosed).isTrue();
        int writes = store.writes.size();
        store.fails = false;
        time.pass(LEASE.multipliedBy(2));
        assertThat(store.writes).as("it is closed").hasSize(writes);
    }

    @Test
    void nothingIsWrittenWhileTheClaimIsBeingReleased() {
        ControllerCore controller = controller();
        OneService foo = join(controller, "foo", 1);
        time.pass(MOMENT);
        foo.state(SyncState.STALE);
        while (store.content.getOrDefault("/_clusters/foo", "").contains("controller-1")) {
            time.pass(Duration.ofMillis(100));
        }
        // The controller has not yet received the end of its claim when the cluster answers again.
        store.writes.clear();
        foo.has(5);
        foo.state(SyncState.SYNCED);
        time.pass(Duration.ofMillis(500));
        assertThat(store.writes).as("without a claim").isEmpty();
        time.pass(MOMENT);
        assertThat(store.writes).as("the claim is written first").startsWith("/_clusters/foo", "/prod/shop/cart/foo");
        assertThat(store.content.get("/prod/shop/cart/foo")).contains("192.0.2.5");
    }

    @Test
    void aFailureInAClusterIsAProblemUntilTheClaimIsReleased() {
        ControllerCore controller = controller();
        OneService foo = join(controller, "foo", 1);
        // An API server without a namespace.
        controller.createShards(
                "foo",
                new LeasedShards.Access(
                        new SimulatedServices().new Client(), new SimulatedLeases(time).new Client("foo")));
        controller.templates(List.of(ShardTemplate.parse("""
                {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "nons"}}
                """)));
        time.pass(Duration.ofSeconds(20));
        Predicate<Problem> isOfShards = problem -> problem.name().startsWith("Service");
        assertThat(controller.problems()).anyMatch(isOfShards);
        assertThat(controller.written()).containsExactly("foo");
        foo.state(SyncState.STALE);
        time.pass(Duration.ofSeconds(1));
        assertThat(controller.problems()).anyMatch(isOfShards);
        assertThat(controller.written())
                .as("nothing is written to a cluster that does not answer")
                .isEmpty();
        time.pass(LEASE.plus(MOMENT));
        assertThat(store.content.get("/_clusters/foo")).doesNotContain("controller-1");
        assertThat(controller.problems()).extracting(Problem::name).containsExactly("cluster foo");
        assertThat(controller.written()).isEmpty();
        foo.state(SyncState.SYNCED);
        time.pass(Duration.ofSeconds(20));
        assertThat(controller.problems()).anyMatch(isOfShards);
        assertThat(controller.written()).containsExactly("foo");
        controller.leave("foo");
        assertThat(controller.written()).isEmpty();
    }

    @Test
    void aFailureInAClusterStaysAProblemWhileTheStoreDoesNotAnswer() {
        ControllerCore controller = controller();
        OneService unused = join(controller, "foo", 1);
        controller.createShards(
                "foo",
                new LeasedShards.Access(
                        new SimulatedServices().new Client(), new SimulatedLeases(time).new Client("foo")));
        controller.templates(List.of(ShardTemplate.parse("""
                {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "nons"}}
                """)));
        time.pass(Duration.ofSeconds(20));
        store.fails = true;
        time.pass(LEASE.multipliedBy(2));
        assertThat(controller.problems()).anyMatch(problem -> problem.name().startsWith("Service"));
    }

    @Test
    void theLeaseIsNotReleasedWhileTheStoreDoesNotAnswer() {
        ControllerCore controller = controller();
        OneService unused = join(controller, "foo", 1);
        SimulatedLeases leases = new SimulatedLeases(time);
        controller.createShards(
                "foo", new LeasedShards.Access(new SimulatedServices().new Client(), leases.new Client("foo")));
        controller.templates(List.of());
        time.pass(MOMENT);
        store.fails = true;
        time.pass(LEASE.multipliedBy(2));
        int writes = leases.writes.size();
        time.pass(LEASE.multipliedBy(2));
        assertThat(leases.writes).as("the claim is late").hasSize(writes);
        store.fails = false;
        time.pass(Duration.ofMinutes(2));
        assertThat(leases.writes).hasSizeGreaterThan(writes).containsOnly("foo: controller-1-1");
    }

    @Test
    void aClusterThatLeavesKeepsTheClaimsOfOtherFederationsAlsoUnreadableOnes() {
        store.memory.replaceAll(
                Map.of("/_clusters/foo", "{\"controllers\":{\"junk\":1},\"region\":7,\"custom\":\"keep\"}"));
        ControllerCore controller = controller();
        OneService unused = join(controller, "foo", 1);
        time.pass(MOMENT);
        assertThat(store.content.get("/_clusters/foo")).contains("\"junk\":1", "\"custom\":\"keep\"", "controller-1");
        controller.leave("foo");
        time.pass(MOMENT);
        assertThat(store.content)
                .isEqualTo(Map.of("/_clusters/foo", "{\"controllers\":{\"junk\":1},\"region\":7,\"custom\":\"keep\"}"));
    }
}
