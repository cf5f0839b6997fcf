package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.apiserver.ApiReply;
import io.k8sdns.apiserver.ApiServer;
import io.k8sdns.apiserver.Fault;
import io.k8sdns.clientjava.ApiClusterSource;
import io.k8sdns.clientjava.KubeconfigConnector;
import io.k8sdns.federation.FederationStore;
import io.k8sdns.federation.MemoryStore;
import io.k8sdns.federation.controller.FederationController;
import io.k8sdns.federation.store.FederationJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code federation-controller} with simulated API servers. */
@Timeout(300)
class FederationControllerLiveTest {
    private static final String LABELLED = "\"labels\": {\"federation.k8sdns.io/name\": \"prod\"}";

    @TempDir
    private Path folder;

    private final FederationJson json = new FederationJson();
    private ApiServer foo;
    private ApiServer bar;
    private Path shards;

    @BeforeEach
    void start() throws IOException {
        foo = cluster(1, "eu");
        bar = cluster(2, "us");
        shards = folder.resolve("shards.json");
    }

    @AfterEach
    void end() {
        foo.close();
        bar.close();
    }

    private static ApiServer cluster(int number, String region) throws IOException {
        ApiServer server = new ApiServer();
        server.token("secret");
        server.put("namespaces", "shop", "\"uid\": \"n1\"", "");
        server.put(
                "nodes",
                "n1",
                "\"uid\": \"n1\", \"labels\": {\"topology.kubernetes.io/region\": \"" + region
                        + "\", \"topology.kubernetes.io/zone\": \"" + region + "-a\"}",
                "");
        service(server, "cart", number, LABELLED);
        endpoints(server, "cart", true);
        return server;
    }

    private static void service(ApiServer server, String name, int number, String labels) {
        server.put("services", "shop/" + name, "\"uid\": \"s-" + name + "\", " + labels, """
                , "spec": {"type": "LoadBalancer", "clusterIP": "10.96.0.%1$d", "ports": [{"name": "http", "port": 80}]}, \
                "status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.%1$d"}]}}\
                """.formatted(number));
    }

    private static void endpoints(ApiServer server, String service, boolean isReady) {
        server.put(
                "endpointslices",
                "shop/" + service + "-1",
                "\"uid\": \"e-" + service + "\", \"labels\": {\"kubernetes.io/service-name\": \"" + service + "\"}",
                ", \"addressType\": \"IPv4\", \"endpoints\": [{\"addresses\": [\"10.244.0.1\"], \"conditions\": {\"ready\": "
                        + isReady + "}}]");
    }

    private static Path kubeconfig(Path file, ApiServer server, String token) throws IOException {
        Path next = Files.writeString(file.resolveSibling(".next"), """
                apiVersion: v1
                kind: Config
                current-context: here
                contexts: [{name: here, context: {cluster: here, user: me}}]
                clusters: [{name: here, cluster: {server: "%s"}}]
                users: [{name: me, user: {token: %s}}]
                """.formatted(server.url(), token));
        return Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
    }

    private CommandThread controller(String... clusters) {
        List<String> all = new ArrayList<>(List.of("--federation", "prod", "--shards", shards.toString()));
        all.addAll(List.of(clusters));
        return new CommandThread("federation-controller", all);
    }

    private CommandThread both() throws IOException {
        return controller(
                "--cluster",
                "foo=" + kubeconfig(folder.resolve("foo"), foo, "secret"),
                "--cluster",
                "bar=" + kubeconfig(folder.resolve("bar"), bar, "secret"));
    }

    private void await(Predicate<Map<String, String>> condition) throws Exception {
        long end = System.nanoTime() + Duration.ofMinutes(2).toNanos();
        while (!Files.exists(shards) || !condition.test(store())) {
            assertThat(System.nanoTime())
                    .as("the store is as it should be in time")
                    .isLessThan(end);
            // Polls, because another thread writes the file.
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
    }

    private Map<String, String> store() throws IOException {
        return json.readStore(Files.readString(shards));
    }

    private void awaitAddress(String key, String address) throws Exception {
        await(store -> store.getOrDefault(key, "").contains("\"externalIP\":\"" + address + "\""));
    }

    @Test
    void theShardsOfTwoApiServersAreWrittenAndUpdated() throws Exception {
        try (CommandThread run = both()) {
            awaitAddress("/prod/shop/cart/foo", "192.0.2.1");
            awaitAddress("/prod/shop/cart/bar", "192.0.2.2");
            await(store ->
                    store.getOrDefault("/_clusters/bar", "").startsWith("{\"region\":\"us\",\"zones\":[\"us-a\"]"));
            service(foo, "cart", 7, LABELLED);
            awaitAddress("/prod/shop/cart/foo", "192.0.2.7");
            endpoints(foo, "cart", false);
            await(store -> !store.containsKey("/prod/shop/cart/foo"));
            endpoints(foo, "cart", true);
            awaitAddress("/prod/shop/cart/foo", "192.0.2.7");
            service(foo, "cart", 7, "\"labels\": {}");
            await(store -> !store.containsKey("/prod/shop/cart/foo"));
            bar.delete("services", "shop/cart", "");
            await(store -> !store.containsKey("/prod/shop/cart/bar"));
            assertThat(run.stop()).isEqualTo(Main.DONE);
        }
        assertThat(store()).containsOnlyKeys("/_clusters/foo", "/_clusters/bar");
    }

    @Test
    void keysOfAnUnavailableApiServerAreKeptAndOthersAreUpdated() throws Exception {
        try (CommandThread run = both()) {
            awaitAddress("/prod/shop/cart/foo", "192.0.2.1");
            awaitAddress("/prod/shop/cart/bar", "192.0.2.2");
            foo.away(true);
            run.awaitErr("cluster foo: it does not answer; its keys are kept");
            service(bar, "cart", 8, LABELLED);
            awaitAddress("/prod/shop/cart/bar", "192.0.2.8");
            assertThat(store()).containsKey("/prod/shop/cart/foo");
            foo.delete("services", "shop/cart", "");
            foo.away(false);
            await(store -> !store.containsKey("/prod/shop/cart/foo"));
            assertThat(run.stop()).isEqualTo(Main.DONE);
        }
    }

    @Test
    void withoutPermissionToListNodesOnlyTheLocationIsMissing() throws Exception {
        foo.fault("nodes", Fault.reply(ApiReply.refusal(403, "Forbidden", "no")));
        Run run = Run.of(
                "federation-controller",
                "--once",
                "--federation",
                "prod",
                "--cluster",
                "foo=" + kubeconfig(folder.resolve("foo"), foo, "secret"),
                "--startup-timeout",
                "120");
        assertThat(run.code()).as(run.err()).isEqualTo(Main.DONE);
        assertThat(json.readStore(run.out()))
                .containsOnlyKeys("/prod/shop/cart/foo", "/_clusters/foo")
                .containsEntry("/_clusters/foo", "{}");
    }

    @Test
    void aServiceWithAServiceExportTakesPart() throws Exception {
        service(foo, "web", 3, "\"labels\": {}");
        endpoints(foo, "web", true);
        bar.fault("serviceexports", Fault.reply(ApiReply.refusal(404, "NotFound", "could not find the resource")));
        try (CommandThread run = both()) {
            awaitAddress("/prod/shop/cart/foo", "192.0.2.1");
            awaitAddress("/prod/shop/cart/bar", "192.0.2.2");
            assertThat(store()).doesNotContainKey("/prod/shop/web/foo");
            foo.put("serviceexports", "shop/web", "\"uid\": \"x1\"", "");
            awaitAddress("/prod/shop/web/foo", "192.0.2.3");
            foo.delete("serviceexports", "shop/web", "");
            await(store -> !store.containsKey("/prod/shop/web/foo"));
            assertThat(run.err()).as("a cluster without the kind is no problem").doesNotContain("warning");
            // Adds the kind to the second cluster.
            bar.fault("serviceexports", Fault.NONE);
            service(bar, "web", 4, "\"labels\": {}");
            endpoints(bar, "web", true);
            bar.put("serviceexports", "shop/web", "\"uid\": \"x2\"", "");
            awaitAddress("/prod/shop/web/bar", "192.0.2.4");
            assertThat(run.stop()).isEqualTo(Main.DONE);
        }
    }

    @Test
    void serviceExportsAreNotReadIfOtherServicesWereChosen() throws Exception {
        foo.put("serviceexports", "shop/cart", "\"uid\": \"x1\"", "");
        Run run = Run.of(
                "federation-controller",
                "--once",
                "--federation",
                "prod",
                "--services",
                "shop/web",
                "--cluster",
                "foo=" + kubeconfig(folder.resolve("foo"), foo, "secret"),
                "--startup-timeout",
                "120");
        assertThat(run.code()).as(run.err()).isEqualTo(Main.DONE);
        assertThat(json.readStore(run.out())).containsOnlyKeys("/_clusters/foo");
        assertThat(foo.requests()).noneMatch(request -> request.resource().equals("serviceexports"));
    }

    @Test
    void anApiServerThatRejectsTheTokenIsReported() throws Exception {
        Run run = Run.of(
                "federation-controller",
                "--once",
                "--federation",
                "prod",
                "--cluster",
                "foo=" + kubeconfig(folder.resolve("foo"), foo, "wrong"),
                "--startup-timeout",
                "1");
        assertThat(run.code()).isEqualTo(Main.FAILED);
        assertThat(run.err()).contains("failed: cluster foo: its objects have not been read; its keys are kept");
    }

    @Test
    void aKubeconfigWithoutAClusterIsAUsageError() throws Exception {
        Path file = Files.writeString(folder.resolve("foo"), "kind: Config\n");
        Run run = Run.of("federation-controller", "--once", "--federation", "prod", "--cluster", "foo=" + file);
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("--cluster: there is no context in " + file);
    }

    @Test
    void clustersJoinAndLeaveWhileTheControllerRuns() throws Exception {
        Path clusters = Files.createDirectory(folder.resolve("clusters"));
        Path unused = kubeconfig(clusters.resolve("foo.kubeconfig"), foo, "secret");
        try (CommandThread run = controller("--clusters-dir", clusters.toString())) {
            awaitAddress("/prod/shop/cart/foo", "192.0.2.1");

            unused = kubeconfig(clusters.resolve("bar.kubeconfig"), bar, "secret");
            awaitAddress("/prod/shop/cart/bar", "192.0.2.2");

            unused = Files.writeString(clusters.resolve("bar.kubeconfig"), "apiVersion: v1\nkind: Con");
            run.awaitErr("bar.kubeconfig");
            run.awaitErr("cluster bar stays as it was");
            service(bar, "cart", 9, LABELLED);
            awaitAddress("/prod/shop/cart/bar", "192.0.2.9");

            unused = kubeconfig(clusters.resolve("bar.kubeconfig"), foo, "secret");
            awaitAddress("/prod/shop/cart/bar", "192.0.2.1");

            Files.delete(clusters.resolve("bar.kubeconfig"));
            run.awaitErr("cluster bar: leaves, its keys are removed");
            await(store -> store.keySet().stream().noneMatch(key -> key.endsWith("/bar")));

            Path away = Files.move(clusters, folder.resolve("away"));
            run.awaitErr(clusters + ": no such file or directory; the clusters stay as they are");
            unused = Files.move(away, clusters);
            service(foo, "cart", 5, LABELLED);
            awaitAddress("/prod/shop/cart/foo", "192.0.2.5");
            assertThat(run.stop()).isEqualTo(Main.DONE);
        }
        assertThat(store()).containsOnlyKeys("/prod/shop/cart/foo", "/_clusters/foo");
    }

    @Test
    void theLibraryReadsAnApiServerToo() throws Exception {
        ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
        MemoryStore store = new MemoryStore();
        try (FederationController controller =
                FederationController.builder("prod", store, executor).start()) {
            controller.join(
                    "foo",
                    ApiClusterSource.builder(KubeconfigConnector.read(kubeconfig(folder.resolve("foo"), foo, "secret")))
                            .nodes()
                            .build());
            controller.reconciled().toCompletableFuture().get(2, TimeUnit.MINUTES);
            Optional<FederationStore.Entry> shard =
                    store.get("/prod/shop/cart/foo").toCompletableFuture().join();
            assertThat(shard).isPresent();
            assertThat(shard.get().value()).contains("192.0.2.1");
        } finally {
            executor.shutdownNow();
        }
    }
}
