package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.federation.store.FederationJson;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.OptionSpec;

/** Tests {@code k8sdns federation}, and external names on a server that does not answer. */
@Timeout(300)
class FederationCommandTest {
    private static final String CART = "cart.shop.prod.svc.federation.";

    @TempDir
    private Path folder;

    private final FederationJson json = new FederationJson();
    private final List<CommandThread> running = new ArrayList<>();
    private ShopCluster foo;
    private ShopCluster bar;

    @BeforeEach
    void makeClusters() throws IOException {
        foo = ShopCluster.make(folder, "foo", "eu").with("cart", 1);
        bar = ShopCluster.make(folder, "bar", "us").with("cart", 2);
    }

    @AfterEach
    void stop() {
        running.forEach(CommandThread::close);
    }

    private List<String> arguments(String... options) {
        List<String> all = new ArrayList<>(List.of("--federation", "prod"));
        all.addAll(List.of("--cluster", foo.toString(), "--cluster", bar.toString()));
        all.addAll(List.of(options));
        return all;
    }

    private CommandThread start(String... options) {
        List<String> all = arguments(options);
        all.addAll(List.of("--listen", "127.0.0.1:0", "--order", "stable"));
        CommandThread run = new CommandThread("federation", all);
        running.add(run);
        return run;
    }

    private static List<String> ask(String server, String cluster) throws IOException {
        return FederationLab.data(FederationLab.ask(server, CART, "65432=" + cluster));
    }

    /** Repeats a query until the answer is as expected; the test has a time limit. */
    private static void await(String server, String cluster, String... expected) throws IOException {
        while (!ask(server, cluster).equals(List.of(expected))) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    private static String get(String url) throws Exception {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private static String metrics(CommandThread run) throws InterruptedException {
        run.awaitErr("/metrics");
        return run.err()
                .lines()
                .filter(line -> line.startsWith("metrics: "))
                .map(line -> line.substring("metrics: ".length()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theFirstAnswerHasTheServicesOfTheClustersAndLaterOnesTheirChanges() throws Exception {
        CommandThread run = start("--metrics", "127.0.0.1:0");
        String server = run.nextAddress().toString();
        assertThat(ask(server, "foo")).containsExactly("10.96.0.1", "192.0.2.2");
        assertThat(ask(server, "bar")).containsExactly("10.96.0.2", "192.0.2.1");
        assertThat(get(metrics(run).replace("/metrics", "/ready"))).isEqualTo("ready\n");

        foo.fail("cart", 1);
        await(server, "foo", "192.0.2.2");
        ShopCluster unused = foo.with("cart", 3);
        await(server, "foo", "10.96.0.3", "192.0.2.2");
        Path away = Files.move(bar.directory(), folder.resolve("away"));
        run.awaitErr("cluster bar: it does not answer; its keys are kept");
        assertThat(ask(server, "foo")).containsExactly("10.96.0.3", "192.0.2.2");
        assertThat(away).isDirectory();
        assertThat(run.stop()).isEqualTo(Main.DONE);
    }

    @Test
    void aFileKeepsTheStore() throws Exception {
        Path shards = folder.resolve("shards.json");
        CommandThread run = start("--shards", shards.toString());
        String unused = run.nextAddress().toString();
        assertThat(run.stop()).isEqualTo(Main.DONE);
        assertThat(json.readStore(Files.readString(shards)))
                .containsKeys("/prod/shop/cart/foo", "/prod/shop/cart/bar")
                .containsEntry("/_clusters/foo", "{\"region\":\"eu\",\"zones\":[\"eu-a\"]}");

        // A shard of a cluster without an option is served, too.
        Files.writeString(
                shards,
                Files.readString(shards)
                        .replaceFirst("\\{", "{\"/prod/shop/cart/baz\": {\"externalIP\": \"192.0.2.9\"},"));
        String again = start("--shards", shards.toString()).nextAddress().toString();
        await(again, "foo", "10.96.0.1", "192.0.2.2", "192.0.2.9");
    }

    @Test
    void aClusterThatCannotBeReadDelaysTheStartAndTheOthersAreServed() throws Exception {
        String kubeconfig = Files.writeString(folder.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
                contexts: [{name: c, context: {cluster: c}}]
                current-context: c
                """.formatted(RealServer.freePort()))
                .toString();
        CommandThread run = start("--cluster", "baz=" + kubeconfig, "--startup-timeout", "2");
        await(run.nextAddress().toString(), "foo", "10.96.0.1", "192.0.2.2");
        run.awaitErr("warning: cluster baz: its objects have not been read");
    }

    @Test
    void optionsAreThoseOfServerAndController() {
        assertThat(options("federation"))
                .isEqualTo(Stream.of("federated-dns", "federation-controller")
                        .flatMap(command -> options(command).stream())
                        .filter(option -> !option.equals("--once"))
                        .collect(Collectors.toSet()));
    }

    private static Set<String> options(String command) {
        return Main.commandLine(command).getSubcommands().values().stream()
                .flatMap(one -> one.getCommandSpec().options().stream())
                .map(OptionSpec::longestName)
                .collect(Collectors.toSet());
    }

    // ---- external names ----

    @Test
    void allExternalNamesFailIfTheServerDoesNotAnswer() throws Exception {
        List<String> arguments = new ArrayList<>(List.of("federation-controller", "--once", "--startup-timeout", "15"));
        arguments.addAll(arguments());
        arguments.addAll(RealPrimary.options(folder, RealServer.freePort()));
        Run run = Run.of(arguments, "--levels", "global,region");
        assertThat(run.code()).isEqualTo(Main.FAILED);
        assertThat(run.err().lines().filter(line -> line.startsWith("failed: ")))
                .hasSize(4)
                .anySatisfy(line -> assertThat(line).contains("external names: zone example.org. at 127.0.0.1:"))
                .contains(
                        "failed: external names: cart.shop.prod.svc.example.org: the zone cannot be read",
                        "failed: external names: cart.shop.prod.svc.eu.example.org: the zone cannot be read",
                        "failed: external names: cart.shop.prod.svc.us.example.org: the zone cannot be read");
        assertThat(json.readStore(run.out()))
                .as("the store is written all the same")
                .containsKey("/prod/shop/cart/foo");
    }

    @Test
    void externalNamesAreCountedAndDoNotDelayAnswers() throws Exception {
        List<String> external = new ArrayList<>(RealPrimary.options(folder, RealServer.freePort()));
        external.addAll(List.of("--metrics", "127.0.0.1:0"));
        CommandThread run = start(external.toArray(String[]::new));
        assertThat(ask(run.nextAddress().toString(), "foo")).containsExactly("10.96.0.1", "192.0.2.2");
        run.awaitErr("warning: external names: zone example.org. at 127.0.0.1:");
        assertThat(get(metrics(run)))
                .contains("k8sdns_external_changes_total{result=\"applied\"} 0.0", "k8sdns_external_lag_seconds ")
                .containsPattern("k8sdns_external_unreadable_total [1-9]");
    }

    @Test
    void theControllerHasMetricsAndIsReadyWhenTheStoreIsWritten() throws Exception {
        List<String> arguments =
                arguments("--shards", folder.resolve("shards.json").toString());
        arguments.addAll(List.of("--metrics", "127.0.0.1:0"));
        arguments.addAll(RealPrimary.options(folder, RealServer.freePort()));
        CommandThread run = new CommandThread("federation-controller", arguments);
        running.add(run);
        run.awaitErr("warning: external names: ");
        String url = metrics(run);
        while (!get(url.replace("/metrics", "/ready")).equals("ready\n")) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
        assertThat(get(url)).contains("k8sdns_external_failing_names 0.0", "k8sdns_build_info");
        assertThat(run.stop()).isEqualTo(Main.DONE);
    }

    @Test
    void aMissingOptionOfExternalNamesIsReported() throws Exception {
        List<String> all = RealPrimary.options(folder, 53);
        for (int i = 0; i < all.size(); i += 2) {
            List<String> some = new ArrayList<>(all);
            some.subList(i, i + 2).clear();
            List<String> arguments = arguments(some.toArray(String[]::new));
            arguments.addAll(0, List.of("federation-controller", "--once"));
            Run run = Run.of(arguments);
            assertThat(run.code()).isEqualTo(Main.INVALID);
            assertThat(run.err())
                    .contains(
                            i == 0
                                    ? "--rfc2136 needs --external-suffix"
                                    : "--external-suffix needs " + all.get(i) + " ");
        }
    }
}
