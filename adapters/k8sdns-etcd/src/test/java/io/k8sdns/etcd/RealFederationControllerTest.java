package io.k8sdns.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.federation.controller.FederationController;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.LoadBalancerIngress;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@link FederationController} with Debian's etcd on loopback. */
@Tag("real")
@Timeout(600)
class RealFederationControllerTest {
    private static final ClusterIpService CART = ClusterIpService.builder("shop", "cart")
            .labels("federation.k8sdns.io/name=prod")
            .clusterIp("10.96.0.20")
            .loadBalancer(LoadBalancerIngress.of("192.0.2.1"))
            .build();

    private static final EndpointSlice READY = EndpointSlice.builder("shop", "cart-1")
            .service("cart")
            .endpoint(Endpoint.of("10.244.0.9"))
            .build();

    private static final String VALUE = "{\"externalIP\":\"192.0.2.1\",\"clusterIP\":\"10.96.0.20\"}";

    @TempDir
    private Path folder;

    private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();

    /** A cluster that a test changes. */
    private static final class Cluster implements ClusterSource {
        private volatile @Nullable Sink sink;

        @Override
        public void start(Sink to) {
            sink = to;
            put(CART, READY);
            to.stateChanged(SyncState.SYNCED);
        }

        void put(ClusterObject... objects) {
            Objects.requireNonNull(sink)
                    .changed(List.of(objects).stream()
                            .<ClusterChange>map(ClusterChange.Put::new)
                            .toList());
        }

        void remove(ClusterObject object) {
            Objects.requireNonNull(sink).changed(List.of(new ClusterChange.Remove(object.ref(), Optional.empty())));
        }

        @Override
        public void close() {}
    }

    private static <T> T result(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(120, TimeUnit.SECONDS);
    }

    private static void await(RealEtcd etcd, String key, String printed) throws Exception {
        while (!etcd.etcdctl("get", "--print-value-only", key).strip().equals(printed)) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
    }

    @Test
    void keysFollowTheClusterEvenAfterARestartOfEtcdAndWithASecondController() throws Exception {
        Cluster foo = new Cluster();
        Cluster same = new Cluster();
        try (RealEtcd etcd = RealEtcd.start(folder);
                EtcdStore store = EtcdStore.builder(List.of(etcd.uri())).start();
                EtcdStore other = EtcdStore.builder(List.of(etcd.uri())).start()) {
            String unused = etcd.etcdctl("put", "/prod/shop/old/foo", VALUE);
            unused = etcd.etcdctl("put", "/prod/shop/old/unknown", VALUE);
            FederationController first =
                    FederationController.builder("prod", store, executor).start();
            first.join("foo", foo);
            result(first.reconciled());
            assertThat(result(first.problems())).isEmpty();
            await(etcd, "/prod/shop/cart/foo", VALUE);
            await(etcd, "/prod/shop/old/foo", "");
            await(etcd, "/prod/shop/old/unknown", VALUE);

            FederationController second =
                    FederationController.builder("prod", other, executor).start();
            second.join("foo", same);
            assertThat(result(second.problems())).isNotEmpty();
            same.remove(CART);
            foo.put(CART.toBuilder()
                    .loadBalancer(LoadBalancerIngress.of("192.0.2.2"))
                    .build());
            await(etcd, "/prod/shop/cart/foo", VALUE.replace("192.0.2.1", "192.0.2.2"));
            assertThat(result(second.problems()))
                    .extracting(FederationController.Problem::reason)
                    .allMatch(reason -> reason.contains("written by the controller") || reason.contains("read"));

            etcd.kill();
            etcd.restart();
            etcd.awaitHealth();
            foo.remove(READY);
            await(etcd, "/prod/shop/cart/foo", "");

            same.put(CART);
            result(first.release());
            await(etcd, "/prod/shop/cart/foo", VALUE);
            assertThat(result(second.problems())).isEmpty();
            result(second.release());
            await(etcd, "/_clusters/foo", "{}");
        } finally {
            executor.shutdownNow();
        }
    }
}
