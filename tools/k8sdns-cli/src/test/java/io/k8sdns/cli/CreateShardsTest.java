package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.apiserver.ApiReply;
import io.k8sdns.apiserver.ApiServer;
import io.k8sdns.apiserver.Fault;
import io.k8sdns.apiserver.Request;
import io.k8sdns.clientjava.ApiConnector;
import io.k8sdns.clientjava.KubeconfigConnector;
import io.k8sdns.federation.controller.LeaseApi;
import io.k8sdns.federation.controller.ServiceApi;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code --create-shards} with simulated API servers. */
@Timeout(300)
class CreateShardsTest {
    private static final Pattern VERSION = Pattern.compile("\"resourceVersion\": \"([0-9]+)\"");
    private static final String FOREIGN =
            "there is a Service of this name that no controller of this federation created";

    @TempDir
    private Path folder;

    private ApiServer foo;
    private ApiServer bar;
    private Path manifests;

    @BeforeEach
    void start() throws IOException {
        foo = cluster();
        bar = cluster();
        manifests = Files.createDirectory(folder.resolve("manifests"));
        manifest("web", "");
    }

    @AfterEach
    void end() {
        foo.close();
        bar.close();
    }

    private static ApiServer cluster() throws IOException {
        ApiServer server = new ApiServer();
        server.token("secret");
        server.put("namespaces", "shop", "\"uid\": \"n1\"", "");
        server.put("namespaces", "kube-system", "\"uid\": \"n0\"", "");
        return server;
    }

    private void manifest(String name, String more) throws IOException {
        Path next = Files.writeString(folder.resolve("next"), """
                apiVersion: v1
                kind: Service
                metadata: {name: %1$s, namespace: shop, labels: {team: a}}
                spec: {type: LoadBalancer, %2$s selector: {app: %1$s}, ports: [{name: http, port: 80}]}
                """.formatted(name, more));
        Path unused =
                Files.move(next, manifests.resolve(name + ".yaml"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }

    private Path kubeconfig(String name, ApiServer server) throws IOException {
        return Files.writeString(folder.resolve(name), """
                apiVersion: v1
                kind: Config
                current-context: here
                contexts: [{name: here, context: {cluster: here, user: me}}]
                clusters: [{name: here, cluster: {server: "%s"}}]
                users: [{name: me, user: {token: secret}}]
                """.formatted(server.url()));
    }

    private List<String> arguments(String... more) throws IOException {
        List<String> all = new ArrayList<>(List.of(
                "--federation",
                "prod",
                "--cluster",
                "foo=" + kubeconfig("foo", foo),
                "--cluster",
                "bar=" + kubeconfig("bar", bar),
                "--create-shards",
                manifests.toString(),
                "--startup-timeout",
                "120"));
        all.addAll(List.of(more));
        return all;
    }

    private Run once() throws IOException {
        List<String> all = new ArrayList<>(List.of("federation-controller", "--once"));
        all.addAll(arguments());
        return Run.of(all);
    }

    private static Optional<String> service(ApiServer server, String name) {
        return server.objects("services").stream()
                .filter(object -> object.contains("\"name\": \"" + name + "\", \"namespace\"")
                        || object.contains("\"namespace\": \"shop\", \"name\": \"" + name + "\""))
                .findFirst();
    }

    private static void await(BooleanSupplier condition, String what) {
        long end = System.nanoTime() + Duration.ofMinutes(2).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(end);
            // Polls, because other threads send the requests.
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
    }

    /** Replaces a Service like another client. */
    private static void put(ApiServer server, String name, String json) throws Exception {
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(server.url() + "/api/v1/namespaces/shop/services/" + name))
                                .version(HttpClient.Version.HTTP_1_1)
                                .header("Authorization", "Bearer secret")
                                .PUT(HttpRequest.BodyPublishers.ofString(json))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    private static void foreign(ApiServer server) {
        server.put("services", "shop/web", "\"uid\": \"other\"", """
                , "spec": {"clusterIP": "10.96.9.9", "ports": [{"port": 80, "protocol": "TCP"}]}\
                """);
    }

    /** Returns the writes of Services. */
    private static List<String> writes(ApiServer server) {
        return server.requests().stream()
                .filter(request -> request.isWrite() && request.resource().equals("services"))
                .map(request -> request.method() + " " + request.name())
                .toList();
    }

    @Test
    void shardsAreCreatedInTwoClustersKeptAndDeleted() throws Exception {
        manifest("old", "");
        Path shards = folder.resolve("shards.json");
        try (CommandThread run = new CommandThread(
                "federation-controller", arguments("--shards", shards.toString(), "--interval", "1"))) {
            for (ApiServer server : List.of(foo, bar)) {
                await(
                        () -> service(server, "web").isPresent()
                                && service(server, "old").isPresent(),
                        "created");
                assertThat(service(server, "web").orElseThrow())
                        .contains(
                                "\"app.kubernetes.io/managed-by\": \"k8sdns-federation-controller\"",
                                "\"federation.k8sdns.io/name\": \"prod\"",
                                "\"type\": \"LoadBalancer\"",
                                "\"clusterIP\": \"10.96.");
            }
            // The Service takes part in the federation.
            bar.put(
                    "endpointslices",
                    "shop/web-1",
                    "\"uid\": \"e1\", \"labels\": {\"kubernetes.io/service-name\": \"web\"}",
                    ", \"addressType\": \"IPv4\", \"endpoints\": [{\"addresses\": [\"10.244.0.1\"]}]");
            await(() -> hasKey(shards, "/prod/shop/web/bar"), "the key of the shard");

            String before = service(bar, "web").orElseThrow();
            put(bar, "web", before.replace("\"app\": \"web\"", "\"app\": \"evil\""));
            await(() -> service(bar, "web").orElseThrow().contains("\"selector\": {\"app\": \"web\"}"), "repaired");
            assertThat(withoutVersion(service(bar, "web").orElseThrow())).isEqualTo(withoutVersion(before));

            manifest("web", "sessionAffinity: ClientIP,");
            for (ApiServer server : List.of(foo, bar)) {
                await(
                        () -> service(server, "web").orElseThrow().contains("\"sessionAffinity\": \"ClientIP\""),
                        "updated");
            }

            // An invalid version deletes nothing.
            Path broken = Files.writeString(manifests.resolve("broken.yaml"), "apiVersion: v1\nkind: Serv");
            Files.delete(manifests.resolve("old.yaml"));
            run.awaitErr("the Services in the clusters stay as they are");
            assertThat(service(foo, "old")).isPresent();
            foreign(foo, "theirs");
            Files.delete(broken);
            for (ApiServer server : List.of(foo, bar)) {
                await(() -> service(server, "old").isEmpty(), "deleted");
            }
            assertThat(service(foo, "theirs")).isPresent();
            assertThat(service(foo, "web")).isPresent();
            assertThat(run.stop()).as(run.err()).isEqualTo(Main.DONE);
        }
        assertThat(writes(foo)).containsOnly("POST ", "PUT web", "DELETE old");
        assertThat(service(foo, "web")).isPresent();
    }

    private static void foreign(ApiServer server, String name) {
        server.put("services", "shop/" + name, "\"uid\": \"theirs\"", ", \"spec\": {\"ports\": [{\"port\": 80}]}");
    }

    private static boolean hasKey(Path shards, String key) {
        try {
            return Files.exists(shards) && Files.readString(shards).contains(key);
        } catch (IOException unreadable) {
            return false;
        }
    }

    private static String withoutVersion(String json) {
        return VERSION.matcher(json).replaceAll("");
    }

    @Test
    void aForeignServiceIsReportedAndTheOthersAreCreated() throws Exception {
        foreign(foo);
        String before = service(foo, "web").orElseThrow();
        manifest("more", "");
        Run run = once();
        assertThat(run.code()).as(run.err()).isEqualTo(Main.FAILED);
        assertThat(run.err().lines().filter(line -> line.startsWith("failed: ")))
                .containsExactly("failed: Service shop/web in cluster foo: " + FOREIGN + "; it is not touched");
        assertThat(service(foo, "web")).contains(before);
        assertThat(service(foo, "more")).isPresent();
        assertThat(service(bar, "web")).isPresent();
        // In a second run only the foreign Service remains.
        bar.requests().clear();
        foo.requests().clear();
        Run again = once();
        assertThat(again.code()).isEqualTo(Main.FAILED);
        assertThat(writes(foo)).isEmpty();
        assertThat(writes(bar)).isEmpty();
    }

    @Test
    void rejectionsOfClustersAreReported() throws Exception {
        bar.delete("namespaces", "shop", "");
        Run run = once();
        assertThat(run.code()).as(run.err()).isEqualTo(Main.FAILED);
        assertThat(run.err())
                .contains("failed: Service shop/web in cluster bar: the API server answered 404: "
                        + "namespaces 'shop' not found");
        assertThat(service(foo, "web")).isPresent();

        foo.delete("services", "shop/web", "");
        foo.fault(
                "services",
                Fault.reply(ApiReply.refusal(403, "Forbidden", "no permission to create services"))
                        .ofWrites("POST"));
        bar.put("namespaces", "shop", "\"uid\": \"n2\"", "");
        Run forbidden = once();
        assertThat(forbidden.code()).isEqualTo(Main.FAILED);
        assertThat(forbidden.err())
                .contains("failed: Service shop/web in cluster foo: the API server answered 403: "
                        + "no permission to create services");
        assertThat(service(bar, "web")).isPresent();
    }

    @Test
    void anUnavailableClusterDoesNotStopTheOthers() throws Exception {
        foo.away(true);
        List<String> all = new ArrayList<>(List.of("federation-controller", "--once"));
        all.addAll(arguments());
        all.set(all.indexOf("--startup-timeout") + 1, "15");
        Run run = Run.of(all);
        assertThat(run.code()).isEqualTo(Main.FAILED);
        assertThat(run.err()).contains("failed: cluster foo: ");
        assertThat(service(bar, "web")).as(run.err()).isPresent();
    }

    @Test
    void invalidManifestsAreUsageErrors() throws Exception {
        manifest("name", "type: ExternalName, externalName: example.org,");
        Run run = once();
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.err()).contains("--create-shards: ", "name.yaml");
        assertThat(foo.requests()).isEmpty();
        Files.delete(manifests.resolve("name.yaml"));
        Files.delete(manifests.resolve("web.yaml"));
        assertThat(once().code()).isEqualTo(Main.INVALID);
    }

    @Test
    void aDirectoryOfManifestsIsNotWritten() throws Exception {
        Path directory = Files.createDirectory(folder.resolve("files"));
        List<String> all = new ArrayList<>(List.of("federation-controller", "--once"));
        all.addAll(arguments("--cluster", "files=" + directory));
        Run run = Run.of(all);
        assertThat(run.code()).as(run.err()).isEqualTo(Main.DONE);
        assertThat(run.err())
                .contains("warning: cluster files: a directory of manifests is not written to: "
                        + "--create-shards creates nothing in it");
        assertThat(service(foo, "web")).isPresent();
        assertThat(directory).isEmptyDirectory();
    }

    // ---- controllers with different stores ----

    private static String holder(ApiServer server) {
        return server.objects("leases").stream()
                .map(lease -> lease.replaceAll("(?s).*\"holderIdentity\": \"([^\"]*)\".*", "$1"))
                .findFirst()
                .orElse("");
    }

    private static String writtenBy(String holder) {
        return "they are written by the controller " + holder + " (Lease kube-system/k8sdns-federation-prod)";
    }

    @Test
    void theSecondStoreOfAFederationWritesNothingUntilTheFirstControllerEnds() throws Exception {
        try (CommandThread first = new CommandThread(
                "federation-controller",
                arguments("--shards", folder.resolve("first.json").toString()))) {
            // A write can be seen before its request is recorded.
            await(() -> !writes(foo).isEmpty() && service(bar, "web").isPresent(), "created");
            String holder = holder(foo);
            assertThat(holder).hasSizeGreaterThan(30);
            foo.requests().clear();

            manifests = Files.createDirectory(folder.resolve("others"));
            manifest("other", "");
            List<String> more =
                    arguments("--shards", folder.resolve("second.json").toString());
            // Problems are printed from then on.
            more.set(more.indexOf("--startup-timeout") + 1, "1");
            try (CommandThread second = new CommandThread("federation-controller", more)) {
                second.awaitErr("warning: Services in cluster foo: " + writtenBy(holder));
                assertThat(writes(foo)).isEmpty();
                assertThat(holder(foo)).isEqualTo(holder);

                assertThat(first.stop()).as(first.err()).isEqualTo(Main.DONE);
                await(
                        () -> service(foo, "other").isPresent()
                                && service(foo, "web").isEmpty()
                                && writes(foo).size() == 2,
                        "taken over");
                assertThat(writes(foo)).containsExactlyInAnyOrder("POST ", "DELETE web");
                assertThat(second.stop()).as(second.err()).isEqualTo(Main.DONE);
            }
            assertThat(holder(foo)).as("released").isEmpty();
        }
    }

    @Test
    void onceFailsWhileAnotherControllerHasTheLease() throws Exception {
        foo.put(
                "leases",
                "kube-system/k8sdns-federation-prod",
                "\"uid\": \"l1\"",
                ", \"spec\": {\"holderIdentity\": \"another\"}");
        List<String> all = new ArrayList<>(List.of("federation-controller", "--once"));
        all.addAll(arguments());
        all.set(all.indexOf("--startup-timeout") + 1, "15");
        Run run = Run.of(all);
        assertThat(run.code()).as(run.err()).isEqualTo(Main.FAILED);
        assertThat(run.err().lines().filter(line -> line.startsWith("failed: ")))
                .containsExactly("failed: Services in cluster foo: " + writtenBy("another"));
        assertThat(writes(foo)).isEmpty();
        assertThat(holder(foo)).isEqualTo("another");
        assertThat(service(bar, "web")).isPresent();
        assertThat(holder(bar)).isEmpty();
    }

    @Test
    void withoutPermissionForALeaseNothingIsWritten() throws Exception {
        foo.fault("leases", Fault.reply(ApiReply.refusal(403, "Forbidden", "leases is forbidden")));
        bar.fault(
                "leases",
                Fault.reply(ApiReply.refusal(403, "Forbidden", "leases is forbidden"))
                        .ofWrites("POST"));
        Run run = once();
        assertThat(run.code()).as(run.err()).isEqualTo(Main.FAILED);
        for (String cluster : List.of("foo", "bar")) {
            assertThat(run.err())
                    .contains("failed: Services in cluster " + cluster
                            + ": nothing is written without the Lease kube-system/k8sdns-federation-prod: the API server answered "
                            + "403: leases is forbidden (needed: permission to get, create and update leases)");
        }
        assertThat(writes(foo)).isEmpty();
        assertThat(writes(bar)).isEmpty();
    }

    @Test
    void withoutTheOptionThereIsNoLease() throws Exception {
        List<String> all = new ArrayList<>(List.of("federation-controller", "--once"));
        all.addAll(arguments());
        all.remove(all.indexOf("--create-shards") + 1);
        all.remove("--create-shards");
        Run run = Run.of(all);
        assertThat(run.code()).as(run.err()).isEqualTo(Main.DONE);
        assertThat(foo.requests())
                .isNotEmpty()
                .noneMatch(request -> request.resource().equals("leases"));
    }

    @Test
    void theNamespaceOfTheLeaseIsAnOption() throws Exception {
        List<String> all = new ArrayList<>(List.of("federation-controller", "--once"));
        all.addAll(arguments("--lease-namespace", "shop"));
        Run run = Run.of(all);
        assertThat(run.code()).as(run.err()).isEqualTo(Main.DONE);
        assertThat(foo.objects("leases")).singleElement().asString().contains("\"namespace\": \"shop\"");
    }

    @Test
    void serverAndControllerInOneProcessCreateShards() throws Exception {
        try (CommandThread run = new CommandThread("federation", arguments("--listen", "127.0.0.1:0"))) {
            assertThat(run.nextAddress()).isNotNull();
            await(() -> service(foo, "web").isPresent() && service(bar, "web").isPresent(), "created");
            assertThat(run.stop()).isEqualTo(Main.DONE);
        }
    }

    // ---- the client of the API server ----

    private static <T> T result(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private static String version(String json) {
        Matcher version = VERSION.matcher(json);
        assertThat(version.find()).isTrue();
        return version.group(1);
    }

    @Test
    void everyWriteHasTheReplacedVersion() throws Exception {
        try (ServiceApi api = LiveCluster.services(kubeconfig("foo", foo))) {
            String json = """
                    {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "x", "namespace": "shop", \
                    "labels": {"a": "b"}}, "spec": {"futureField": {"deep": [1, 2.50]}, "ports": [{"port": 80}]}}\
                    """;
            assertThat(result(api.get("shop", "x"))).isEmpty();
            assertThat(result(api.create("shop", json))).isTrue();
            assertThat(result(api.create("shop", json))).isFalse();
            String first = result(api.get("shop", "x")).orElseThrow();
            assertThat(first).contains("\"futureField\": {\"deep\": [1, 2.50]}");
            assertThat(result(api.replace("shop", "x", first.replace("\"b\"", "\"c\""))))
                    .isTrue();
            assertThat(result(api.replace("shop", "x", first.replace("\"b\"", "\"d\""))))
                    .isFalse();
            assertThat(result(api.delete("shop", "x", "uid", version(first)))).isFalse();
            String second = result(api.get("shop", "x")).orElseThrow();
            assertThat(second).contains("\"a\": \"c\"");
            String uid = second.replaceAll("(?s).*\"uid\": \"([^\"]*)\".*", "$1");
            assertThat(result(api.delete("shop", "x", uid, version(first)))).isFalse();
            assertThat(result(api.delete("shop", "x", "another", version(second))))
                    .isFalse();
            assertThat(result(api.delete("shop", "x", uid, version(second)))).isTrue();
            assertThat(result(api.delete("shop", "x", uid, version(second)))).isTrue();
            assertThat(result(api.replace("shop", "x", second))).isFalse();
        }
    }

    @Test
    void noWriteOfALeaseOverwritesAnotherChange() throws Exception {
        try (LeaseApi api = LiveCluster.leases(kubeconfig("foo", foo))) {
            String json = """
                    {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", \
                    "metadata": {"name": "x", "namespace": "shop"}, "spec": {"holderIdentity": "a"}}\
                    """;
            assertThat(result(api.get("shop", "x"))).isEmpty();
            assertThat(result(api.create("shop", json))).isTrue();
            assertThat(result(api.create("shop", json))).isFalse();
            String first = result(api.get("shop", "x")).orElseThrow();
            assertThat(foo.requests().stream().map(Request::path))
                    .contains("/apis/coordination.k8s.io/v1/namespaces/shop/leases/x");
            assertThat(result(api.replace("shop", "x", first.replace("\"a\"", "\"b\""))))
                    .isTrue();
            assertThat(result(api.replace("shop", "x", first.replace("\"a\"", "\"c\""))))
                    .isFalse();
            assertThat(result(api.get("shop", "x")).orElseThrow()).contains("\"holderIdentity\": \"b\"");
            foo.delete("leases", "shop/x", "");
            assertThat(result(api.replace("shop", "x", first))).isFalse();
        }
    }

    /** The client, with the number of connections. */
    private ApiConnector counted(AtomicInteger connections) throws IOException {
        KubeconfigConnector connector = KubeconfigConnector.read(kubeconfig("foo", foo));
        return () -> {
            connections.incrementAndGet();
            return connector.connect();
        };
    }

    @Test
    void noRequestIsSentAfterItsDeadline() throws Exception {
        try (ApiObjects objects =
                new ApiObjects(counted(new AtomicInteger()), "/api/v1", "services", "rights", Duration.ofNanos(1))) {
            assertThatThrownBy(() -> result(objects.create("shop", "{}"))).hasMessageContaining("not sent within");
            assertThat(foo.requests()).isEmpty();
        }
    }

    @Test
    void aStatusThatIsNotAboutCredentialsKeepsTheConnection() throws Exception {
        AtomicInteger connections = new AtomicInteger();
        try (ApiObjects objects = new ApiObjects(counted(connections), "/api/v1", "things", "rights")) {
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> result(objects.create("shop", "{}"))).hasMessageContaining("400");
            }
            assertThat(connections).hasValue(1);
        }
        foo.token("other");
        try (ApiObjects objects = new ApiObjects(counted(connections), "/api/v1", "services", "rights")) {
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> result(objects.create("shop", "{}"))).hasMessageContaining("401");
            }
            assertThat(connections).hasValue(4);
        }
    }

    @Test
    void allPagesOfAListAreRead() throws Exception {
        for (int i = 0; i < 5; i++) {
            foreign(foo, "s" + i);
        }
        foo.maxPageSize(2);
        try (ServiceApi api = LiveCluster.services(kubeconfig("foo", foo))) {
            assertThat(result(api.list("a=b"))).hasSize(5);
        }
        assertThat(foo.requests())
                .hasSize(3)
                .allMatch(request -> "a=b".equals(request.parameters().get("labelSelector")));
    }

    @Test
    void failuresAreReportedAndTheNextRequestIsSent() throws Exception {
        try (ServiceApi api = LiveCluster.services(kubeconfig("foo", foo))) {
            foo.fault("services", Fault.reply(ApiReply.json(502, "<html>")));
            assertThatThrownBy(() -> result(api.list("a=b"))).hasMessageContaining("the API server answered 502");
            foo.fault("services", Fault.reply(ApiReply.json(200, "<html>")));
            assertThatThrownBy(() -> result(api.list("a=b"))).isInstanceOf(Exception.class);
            foo.fault("services", Fault.NONE);
            foo.away(true);
            assertThatThrownBy(() -> result(api.list("a=b"))).isInstanceOf(Exception.class);
            foo.away(false);
            foo.token("another");
            assertThatThrownBy(() -> result(api.list("a=b"))).hasMessageContaining("the API server answered 401");
            Path unused = Files.writeString(
                    folder.resolve("foo"),
                    Files.readString(folder.resolve("foo")).replace("secret", "another"));
            assertThat(result(api.list("a=b"))).isEmpty();
        }
    }
}
