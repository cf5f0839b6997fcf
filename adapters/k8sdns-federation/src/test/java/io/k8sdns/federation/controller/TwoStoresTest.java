package io.k8sdns.federation.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.federation.FederatedServices;
import io.k8sdns.federation.MemoryStore;
import io.k8sdns.federation.controller.FederationController.Problem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Controllers of one federation with different stores, which create Services in one cluster, in virtual time. */
@ExtendWith(QuietControllerLog.class)
class TwoStoresTest {
    private final ControllerVirtualTime time = new ControllerVirtualTime();
    private final SimulatedServices services = new SimulatedServices();
    private final SimulatedLeases leases = new SimulatedLeases(time);
    private final MemoryStore store = new MemoryStore();

    /** A cluster without objects, whose state the test sets. */
    private static final class Empty implements ClusterSource {
        private @Nullable Sink sink;

        @Override
        public void start(Sink to) {
            sink = to;
        }

        void state(SyncState state) {
            Objects.requireNonNull(sink).stateChanged(state);
        }

        @Override
        public void close() {}
    }

    /** A controller with the cluster foo. */
    private final class Controller {
        private final ControllerVirtualTime.Host host;
        private final ControllerCore core;
        private final SimulatedLeases.Client client;
        private final List<SimulatedServices.Client> access = new ArrayList<>();
        private Empty source = new Empty();

        Controller(String name, MemoryStore to, String... manifests) {
            host = time.new Host(name.hashCode());
            client = leases.new Client(name);
            core = new ControllerCore(
                    new ControllerCore.Settings(
                            "prod",
                            name,
                            FederatedServices.labelledFor("prod"),
                            Duration.ofSeconds(30),
                            Duration.ofSeconds(10),
                            Duration.ofMinutes(1),
                            "kube-system"),
                    to,
                    host,
                    new SplittableRandom(name.hashCode()));
            core.start();
            core.templates(List.of(manifests).stream().map(ShardTemplate::parse).toList());
            join(client);
        }

        private void join(SimulatedLeases.Client ofLeases) {
            source = new Empty();
            core.join("foo", source);
            SimulatedServices.Client ofServices = services.new Client();
            access.add(ofServices);
            core.createShards("foo", new LeasedShards.Access(ofServices, ofLeases));
            source.state(SyncState.SYNCED);
        }

        private List<Problem> problems() {
            return core.problems();
        }
    }

    private static String service(String name, int port) {
        return """
                {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "%s", "namespace": "shop"},
                 "spec": {"selector": {"app": "x"}, "ports": [{"port": %d}]}}
                """.formatted(name, port);
    }

    private void pass(int seconds) {
        time.pass(Duration.ofSeconds(seconds));
    }

    private static Problem writtenBy(String holder) {
        return new Problem(
                "Services in cluster foo",
                "they are written by the controller " + holder + " (Lease kube-system/k8sdns-federation-prod)");
    }

    private CompletableFuture<Void> reconciled(Controller controller) {
        CompletableFuture<Void> reconciled = new CompletableFuture<>();
        controller.core.reconciled(reconciled);
        return reconciled;
    }

    @Test
    void theSecondControllerWritesNothingAndNamesTheFirst() {
        Controller a = new Controller("a", store, service("cart", 80), service("web", 80));
        pass(5);
        Controller b = new Controller("b", new MemoryStore(), service("cart", 81));
        CompletableFuture<Void> reconciled = reconciled(b);
        pass(600);
        assertThat(services.writes).containsExactly("create shop/cart", "create shop/web");
        assertThat(reconciled).isCompleted();
        assertThat(b.problems()).containsExactly(writtenBy("a-1"));
        assertThat(a.problems()).isEmpty();

        CompletableFuture<Void> released = new CompletableFuture<>();
        a.core.release(released);
        pass(1);
        assertThat(released).isCompleted();
        assertThat(leases.holder()).isEmpty();
        pass(6);
        assertThat(leases.holder()).isEqualTo("b-1");
        assertThat(services.writes).endsWith("create shop/web", "replace shop/cart", "delete shop/web");
        assertThat(b.problems()).isEmpty();
        pass(600);
        assertThat(services.writes).hasSize(4);
    }

    /** Answers all requests except that of creating a Service. */
    private void answerAllButCreate() {
        services.before = verb -> services.isSilent = verb.equals("create");
    }

    @Test
    void afterAWriteWithoutAnAnswerAStoppedControllerLeavesTheLeaseToExpire() {
        answerAllButCreate();
        Controller a = new Controller("a", store, service("cart", 80));
        pass(2);
        CompletableFuture<Void> released = new CompletableFuture<>();
        a.core.release(released);
        pass(15);
        assertThat(released).isCompleted();
        assertThat(a.client.isClosed).isTrue();
        services.before = verb -> services.isSilent = false;
        Controller b = new Controller("b", new MemoryStore(), service("cart", 81));
        pass(25);
        assertThat(leases.holder()).isEqualTo("a-1");
        assertThat(services.writes).containsExactly("create shop/cart");
        pass(15);
        assertThat(leases.holder()).isEqualTo("b-1");
        assertThat(services.writes).containsExactly("create shop/cart", "replace shop/cart");
        assertThat(b.problems()).isEmpty();
    }

    @Test
    void afterAWriteWithoutAnAnswerALostClaimReleasesTheLeaseLater() {
        answerAllButCreate();
        Controller a = new Controller("a", store, service("cart", 80));
        pass(12);
        store.replaceAll(Map.of("/_clusters/foo", "{\"controllers\":{\"prod\":{\"id\":\"x\",\"renewed\":1}}}"));
        pass(14);
        assertThat(leases.holder()).isEqualTo("a-1");
        pass(12);
        assertThat(leases.holder()).isEmpty();
        assertThat(a.problems())
                .containsExactly(new Problem("cluster foo", "its keys are written by the controller x"));
    }

    @Test
    void aServiceOfACrashedControllerBelongsToTheFederation() {
        Controller a = new Controller("a", store, service("cart", 80));
        Controller b = new Controller("b", new MemoryStore(), service("cart", 81));
        pass(25);
        a.host.kill();
        pass(25);
        assertThat(services.writes).containsExactly("create shop/cart");
        pass(12);
        assertThat(services.writes).containsExactly("create shop/cart", "replace shop/cart");
        assertThat(b.problems()).isEmpty();
    }

    @Test
    void aControllerOfTheSameStoreTakesOverBothAtTheSameTime() {
        Controller a = new Controller("a", store, service("cart", 80));
        Controller b = new Controller("b", store, service("cart", 81));
        pass(25);
        assertThat(b.problems())
                .containsExactly(new Problem("cluster foo", "its keys are written by the controller a"));
        a.host.kill();
        pass(42);
        assertThat(leases.holder()).isEqualTo("b-1");
        assertThat(services.writes).containsExactly("create shop/cart", "replace shop/cart");
        assertThat(b.problems()).isEmpty();
    }

    @Test
    void theLeaseIsReleasedWhenTheClusterLeaves() {
        Controller a = new Controller("a", store, service("cart", 80));
        pass(2);
        assertThat(leases.holder()).isEqualTo("a-1");
        a.core.leave("foo");
        pass(2);
        assertThat(leases.holder()).isEmpty();
        assertThat(a.client.isClosed).isTrue();
        assertThat(a.access).singleElement().matches(client -> client.isClosed);
        assertThat(services.names()).containsExactly("shop/cart");
    }

    @Test
    void theLeaseIsReleasedWhenTheClaimIsReleased() {
        Controller a = new Controller("a", store, service("cart", 80));
        pass(2);
        a.source.state(SyncState.STALE);
        pass(29);
        assertThat(leases.holder()).isEqualTo("a-1");
        pass(12);
        assertThat(leases.holder()).isEmpty();
        a.source.state(SyncState.SYNCED);
        pass(6);
        assertThat(leases.holder()).isEqualTo("a-1");
    }

    @Test
    void theLeaseIsReleasedWhenAnotherControllerHasTheClaim() {
        Controller a = new Controller("a", store, service("cart", 80));
        pass(2);
        store.replaceAll(Map.of("/_clusters/foo", "{\"controllers\":{\"prod\":{\"id\":\"x\",\"renewed\":1}}}"));
        pass(6);
        assertThat(leases.holder()).isEmpty();
        assertThat(a.problems())
                .containsExactly(new Problem("cluster foo", "its keys are written by the controller x"));
    }

    @Test
    void aClusterThatJoinsAgainHasAnotherHolder() {
        Controller a = new Controller("a", store, service("cart", 80));
        pass(2);
        a.join(leases.new Client("again"));
        pass(7);
        assertThat(leases.holder()).isEqualTo("a-2");
        assertThat(a.client.isClosed).isTrue();
        assertThat(a.problems()).isEmpty();
    }

    @Test
    void oneClusterUnderTwoNamesIsNoticed() {
        Controller a = new Controller("a", store, service("cart", 80));
        pass(2);
        Empty same = new Empty();
        a.core.join("bar", same);
        a.core.createShards("bar", new LeasedShards.Access(services.new Client(), leases.new Client("bar")));
        same.state(SyncState.SYNCED);
        pass(60);
        assertThat(a.problems())
                .containsExactly(new Problem(
                        "Services in cluster bar",
                        "they are written by the controller a-1 (Lease kube-system/k8sdns-federation-prod)"));
        assertThat(services.writes).containsExactly("create shop/cart");
    }

    @Test
    void withoutManifestsThereIsNoLease() {
        Controller a = new Controller("a", store);
        pass(1);
        assertThat(leases.holder())
                .as("to delete Services without a manifest, the controller needs the Lease")
                .isEqualTo("a-1");
        ControllerCore other = new ControllerCore(
                new ControllerCore.Settings(
                        "prod",
                        "other",
                        FederatedServices.labelledFor("prod"),
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(10),
                        Duration.ofMinutes(1),
                        "kube-system"),
                new MemoryStore(),
                a.host,
                new SplittableRandom(1));
        other.start();
        Empty source = new Empty();
        other.join("foo", source);
        SimulatedLeases.Client client = leases.new Client("other");
        other.createShards("foo", new LeasedShards.Access(services.new Client(), client));
        source.state(SyncState.SYNCED);
        CompletableFuture<Void> reconciled = new CompletableFuture<>();
        other.reconciled(reconciled);
        pass(60);
        assertThat(reconciled).isCompleted();
        assertThat(other.problems()).isEmpty();
        assertThat(client.requests).isZero();
    }
}
