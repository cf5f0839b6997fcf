package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.federation.SourceCluster;
import io.k8sdns.federation.store.FederationJson;
import io.k8sdns.resolver.Client.Transport;
import io.k8sdns.sockets.DnsClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

@Timeout(300)
class FederationControllerTest {
    private static final String CART = "cart.shop.prod.svc.federation.";

    @TempDir
    private Path folder;

    private final FederationJson json = new FederationJson();

    private Path cluster(String name, int number, String region, boolean isReady, String labels) throws IOException {
        return ShopCluster.make(folder, name, region)
                .with("cart", number, isReady, labels)
                .directory();
    }

    private static void write(Path file, String text) throws IOException {
        Path next = Files.writeString(file.resolveSibling("next"), text);
        Path unused = Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
    }

    private List<String> clusters() throws IOException {
        return List.of(
                "--cluster",
                "foo=" + cluster("foo", 1, "eu", true, "app: cart"),
                "--cluster",
                "bar=" + cluster("bar", 2, "us", true, "app: cart"),
                "--cluster",
                "baz=" + cluster("baz", 3, "eu", false, "app: cart"));
    }

    private Run once(List<String> clusters, String... options) {
        List<String> all = new ArrayList<>(List.of("federation-controller", "--federation", "prod", "--once"));
        all.addAll(clusters);
        return Run.of(all, options);
    }

    private List<String> lookup(HostAndPort server, String cluster) throws IOException {
        Message query = new Message(4711);
        query.addRecord(Record.newRecord(Name.fromString(CART), Type.A, DClass.IN), Section.QUESTION);
        query.addRecord(
                new OPTRecord(1232, 0, 0, 0, List.of(new SourceCluster(cluster).toOption(SourceCluster.OPTION_CODE))),
                Section.ADDITIONAL);
        InetSocketAddress address = server.address();
        try (DnsClient client = new DnsClient()) {
            byte[] response = client.exchange(query.toWire(), address, Transport.UDP, Duration.ofMinutes(2));
            return new Message(response)
                    .getSection(Section.ANSWER).stream()
                            .map(Record::rdataToString)
                            .toList();
        }
    }

    @Test
    void theResultOfOneRunIsServed() throws Exception {
        Path shards = folder.resolve("shards.json");
        Run run = once(clusters(), "--shards", shards.toString());
        assertThat(run.code()).as(run.err()).isEqualTo(Main.DONE);
        Map<String, String> store = json.readStore(Files.readString(shards));
        assertThat(store)
                .as("the shard of baz has no ready endpoint, and claims are released")
                .containsOnlyKeys(
                        "/prod/shop/cart/foo",
                        "/prod/shop/cart/bar",
                        "/_clusters/foo",
                        "/_clusters/bar",
                        "/_clusters/baz")
                .containsEntry(
                        "/prod/shop/cart/foo",
                        "{\"externalIP\":\"192.0.2.1\",\"clusterIP\":\"10.96.0.1\",\"ports\":[{\"name\":\"http\","
                                + "\"protocol\":\"TCP\",\"port\":80}]}")
                .containsEntry("/_clusters/foo", "{\"region\":\"eu\",\"zones\":[\"eu-a\"]}");
        try (CommandThread server =
                new CommandThread("federated-dns", List.of("--listen", "127.0.0.1:0", "--shards", shards.toString()))) {
            HostAndPort address = server.nextAddress();
            assertThat(lookup(address, "foo")).containsExactly("10.96.0.1", "192.0.2.2");
            assertThat(lookup(address, "baz")).as("foo is in the same zone").containsExactly("192.0.2.1", "192.0.2.2");
        }
    }

    @Test
    void notesAboutAClusterMarkInventedAddresses() throws IOException {
        Path cluster = Files.createDirectory(folder.resolve("foo"));
        Files.writeString(
                cluster.resolve("pod.yaml"),
                "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: a, image: b}]}}");
        Run run = once(
                List.of("--cluster", "foo=" + cluster),
                "--shards",
                folder.resolve("shards.json").toString());
        assertThat(run.err())
                .containsPattern(
                        "note: cluster foo: .* status\\.podIPs \\[10\\.244\\.\\d+\\.\\d+ \\(invented address\\)\\]");
    }

    @Test
    void manyNotesAboutAClusterNameTheCommandThatPrintsThem() {
        Run run = once(
                List.of("--cluster", "foo=" + Run.BOOKSTORE),
                "--shards",
                folder.resolve("shards.json").toString());
        assertThat(run.err())
                .containsPattern("cluster foo: k8sdns records --verbose prints all \\d+ notes and warnings");
    }

    @Test
    void aSecondRunWritesOnlyRemovals() throws Exception {
        List<String> clusters = clusters();
        Path shards = folder.resolve("shards.json");
        Files.writeString(shards, """
                {"/prod/shop/old/foo": {"externalIP": "192.0.2.9"}, "/prod/shop/old/unknown": {"externalIP": "192.0.2.9"},
                "garbage": 7}
                """);
        assertThat(once(clusters, "--shards", shards.toString()).code()).isEqualTo(Main.DONE);
        String first = Files.readString(shards);
        assertThat(json.readStore(first)).containsKey("/prod/shop/old/unknown").doesNotContainKey("/prod/shop/old/foo");
        assertThat(first).as("entries of other programs stay").contains("\"garbage\": 7\n");
        assertThat(once(clusters, "--shards", shards.toString()).code()).isEqualTo(Main.DONE);
        assertThat(Files.readString(shards)).isEqualTo(first);
    }

    @Test
    void withoutAFileTheStoreIsPrinted() throws Exception {
        Run run = once(clusters());
        assertThat(run.code()).isEqualTo(Main.DONE);
        assertThat(json.readStore(run.out())).containsKey("/prod/shop/cart/bar");
    }

    @Test
    void servicesAreSelectedByNameOrLabels() throws Exception {
        List<String> clusters = clusters();
        assertThat(json.readStore(once(clusters, "--services", "shop/cart").out()))
                .hasSize(5);
        assertThat(json.readStore(once(clusters, "--services", "shop/web").out()))
                .hasSize(3);
        assertThat(json.readStore(once(clusters, "--selector", "app=web").out()))
                .hasSize(3);
    }

    @Test
    void eachNameThatCannotBeWrittenIsPrinted() throws Exception {
        // Bound and not listening: refuses connections, and keeps other programs from the port.
        Socket refusing = new Socket();
        refusing.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Run run;
        try (refusing) {
            String etcd = "http://127.0.0.1:" + refusing.getLocalPort();
            run = once(clusters(), "--store", "etcd", "--etcd", etcd, "--startup-timeout", "1");
        }
        assertThat(run.code()).as(run.err()).isEqualTo(Main.FAILED);
        assertThat(run.err())
                .contains("failed: store: ", "failed: prod/shop/cart in cluster foo: ")
                .contains("failed: prod/shop/cart in cluster bar: ")
                .doesNotContain("in cluster baz");
    }

    @Test
    void changesOfManifestsAreWrittenAndAMissingDirectoryRemovesNothing() throws Exception {
        Path foo = cluster("foo", 1, "eu", true, "federation.k8sdns.io/name: prod");
        Path shards = folder.resolve("shards.json");
        try (CommandThread run = new CommandThread(
                "federation-controller",
                List.of("--federation", "prod", "--cluster", "foo=" + foo, "--shards", shards.toString()))) {
            await(shards, store -> store.containsKey("/prod/shop/cart/foo"));
            Path unused = cluster("foo", 4, "eu", true, "federation.k8sdns.io/name: prod");
            await(shards, store -> store.getOrDefault("/prod/shop/cart/foo", "").contains("192.0.2.4"));
            unused = cluster("foo", 4, "eu", false, "federation.k8sdns.io/name: prod");
            await(shards, store -> !store.containsKey("/prod/shop/cart/foo"));
            unused = cluster("foo", 5, "eu", true, "federation.k8sdns.io/name: prod");
            await(shards, store -> store.getOrDefault("/prod/shop/cart/foo", "").contains("192.0.2.5"));
            Path away = Files.move(foo, folder.resolve("away"));
            run.awaitErr("cluster foo: it does not answer; its keys are kept");
            assertThat(json.readStore(Files.readString(shards))).containsKey("/prod/shop/cart/foo");
            unused = Files.move(away, foo);
            unused = cluster("foo", 6, "eu", true, "federation.k8sdns.io/name: prod");
            await(shards, store -> store.getOrDefault("/prod/shop/cart/foo", "").contains("192.0.2.6"));
            assertThat(run.stop()).isEqualTo(Main.DONE);
        }
        assertThat(json.readStore(Files.readString(shards)).get("/_clusters/foo"))
                .as("the claim is released")
                .isEqualTo("{\"region\":\"eu\",\"zones\":[\"eu-a\"]}");
    }

    @Test
    void aDirectoryOfClustersCanBeReadOnce() throws Exception {
        List<String> unused = clusters();
        List<String> directory = List.of("--clusters-dir", folder.toString());
        Run run = once(directory);
        assertThat(run.code()).as(run.err()).isEqualTo(Main.DONE);
        assertThat(json.readStore(run.out()))
                .as("of directories alone every Service takes part")
                .containsKeys("/prod/shop/cart/foo", "/prod/shop/cart/bar", "/_clusters/baz");

        Files.writeString(folder.resolve("broken.kubeconfig"), "kind: Config");
        Run failed = once(directory, "--selector", "app=cart");
        assertThat(failed.code()).isEqualTo(Main.FAILED);
        assertThat(failed.err())
                .contains("failed: --clusters-dir: ", "broken.kubeconfig", "; cluster broken cannot join");
        assertThat(json.readStore(failed.out())).containsKey("/prod/shop/cart/foo");
    }

    @Test
    void aMissingDirectoryOfClustersIsAUsageError() {
        Run run = once(List.of("--clusters-dir", folder.resolve("nowhere").toString()));
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("--clusters-dir: no such directory: " + folder.resolve("nowhere"));
        assertThat(once(List.of()).err()).contains("missing: --cluster or --clusters-dir");
    }

    @Test
    void aServiceExportInManifestsIsUsed() throws Exception {
        Path foo = cluster("foo", 1, "eu", true, "app: cart");
        Path shards = folder.resolve("shards.json");
        try (CommandThread run = new CommandThread(
                "federation-controller",
                List.of("--federation", "prod", "--cluster", "foo=" + foo, "--shards", shards.toString()))) {
            await(shards, store -> store.containsKey("/_clusters/foo"));
            assertThat(json.readStore(Files.readString(shards))).doesNotContainKey("/prod/shop/cart/foo");
            write(foo.resolve("export.yaml"), """
                    apiVersion: multicluster.x-k8s.io/v1alpha1
                    kind: ServiceExport
                    metadata: {name: cart, namespace: shop}
                    """);
            await(shards, store -> store.containsKey("/prod/shop/cart/foo"));
            Files.delete(foo.resolve("export.yaml"));
            await(shards, store -> !store.containsKey("/prod/shop/cart/foo"));
            assertThat(run.stop()).isEqualTo(Main.DONE);
        }
    }

    private void await(Path shards, Predicate<Map<String, String>> condition) throws Exception {
        long end = System.nanoTime() + Duration.ofMinutes(2).toNanos();
        while (!Files.exists(shards) || !condition.test(json.readStore(Files.readString(shards)))) {
            assertThat(System.nanoTime())
                    .as("the store is as it should be in time")
                    .isLessThan(end);
            // Polls, because another process writes the file.
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
    }
}
