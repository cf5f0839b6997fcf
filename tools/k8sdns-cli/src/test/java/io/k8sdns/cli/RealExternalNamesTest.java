package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the external names of {@code federation-controller} and {@code federation} with BIND and Knot DNS. */
@Tag("real")
@Timeout(600)
class RealExternalNamesTest {
    private static final String CART = "cart.shop.prod.svc.example.org";
    private static final String CART_EU = "cart.shop.prod.svc.eu.example.org";
    private static final String CART_EU_A = "cart.shop.prod.svc.eu-a.eu.example.org";

    @TempDir
    private Path folder;

    private ShopCluster foo;
    private ShopCluster bar;

    @BeforeEach
    void makeClusters() throws Exception {
        foo = ShopCluster.make(folder, "foo", "eu").with("cart", 1);
        bar = ShopCluster.make(folder, "bar", "us").with("cart", 2);
    }

    private List<String> options(RealPrimary primary, String... more) throws Exception {
        List<String> all = new ArrayList<>(List.of("--federation", "prod", "--cluster", foo.toString()));
        all.addAll(List.of("--cluster", bar.toString(), "--interval", "1"));
        all.addAll(primary.options());
        all.addAll(List.of(more));
        return all;
    }

    private Run once(RealPrimary primary, String... more) throws Exception {
        return Run.of(
                List.of("federation-controller", "--once"),
                options(primary, more).toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"named", "knotd"})
    void oneRunCreatesChangesAndRemovesNames(String kind) throws Exception {
        try (RealPrimary primary = RealPrimary.start(kind, folder)) {
            Run first = once(primary);
            assertThat(first.code()).as(first.err()).isEqualTo(Main.DONE);
            assertThat(primary.dig(CART, "A")).isEqualTo("192.0.2.1 192.0.2.2");
            assertThat(primary.dig(CART_EU, "A")).isEqualTo("192.0.2.1");
            assertThat(primary.dig("_k8sdns-owner." + CART, "TXT"))
                    .contains("k8sdns/owner=test,k8sdns/federation=prod,k8sdns/resource=service/shop/cart");
            String serial = primary.dig("example.org", "SOA");
            assertThat(once(primary).code()).isEqualTo(Main.DONE);
            assertThat(primary.dig("example.org", "SOA"))
                    .as("nothing differs, so nothing is sent")
                    .isEqualTo(serial);

            foo.fail("cart", 1);
            Run second = once(primary, "--levels", "global,region", "--external-ttl", "60");
            assertThat(second.code()).as(second.err()).isEqualTo(Main.DONE);
            assertThat(primary.dig(CART, "A")).isEqualTo("192.0.2.2");
            assertThat(primary.dig(CART_EU, "CNAME")).isEqualTo(CART + ".");
            assertThat(primary.dig(CART_EU_A, "ANY")).isEmpty();

            bar.fail("cart", 2);
            assertThat(once(primary).code()).isEqualTo(Main.DONE);
            assertThat(primary.dig(CART, "ANY")).isEmpty();
            assertThat(primary.dig("_k8sdns-owner." + CART, "TXT")).isEmpty();
        }
    }

    @Test
    void aRefusedOrTakenNameIsReportedAndTheOthersAreWritten() throws Exception {
        try (RealPrimary primary = RealPrimary.start("named", folder)) {
            ShopCluster unused = foo.with("refused", 7).with("taken", 8);
            primary.nsupdate("update add taken.shop.prod.svc.example.org 300 A 198.51.100.1");
            Run run = once(primary);
            assertThat(run.code()).isEqualTo(Main.FAILED);
            assertThat(run.err().lines().filter(line -> line.startsWith("failed: ")))
                    .hasSize(2)
                    .anySatisfy(line -> assertThat(line).contains(RealPrimary.REFUSED + ": ", "REFUSED"))
                    .anySatisfy(line -> assertThat(line).contains("taken.shop.prod.svc.example.org: "));
            assertThat(primary.dig(RealPrimary.REFUSED, "A")).isEmpty();
            assertThat(primary.dig("taken.shop.prod.svc.example.org", "A")).isEqualTo("198.51.100.1");
            assertThat(primary.dig("refused.shop.prod.svc.eu.example.org", "A")).isEqualTo("192.0.2.7");
            assertThat(primary.dig(CART, "A")).isEqualTo("192.0.2.1 192.0.2.2");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"named", "knotd"})
    void aControllerUpdatesNamesAndRepairsChangesByOthers(String kind) throws Exception {
        try (RealPrimary primary = RealPrimary.start(kind, folder);
                CommandThread run = new CommandThread(
                        "federation-controller",
                        options(
                                primary,
                                "--shards",
                                folder.resolve("shards.json").toString()))) {
            primary.await(CART, "A", "192.0.2.1 192.0.2.2");
            ShopCluster unused = foo.with("cart", 4);
            primary.await(CART, "A", "192.0.2.2 192.0.2.4");
            foo.fail("cart", 4);
            primary.await(CART_EU, "CNAME", CART + ".");
            unused = foo.with("web", 5);
            primary.await("web.shop.prod.svc.example.org", "A", "192.0.2.5");

            primary.nsupdate("update delete " + CART + " A", "update add " + CART + " 5 A 198.51.100.9");
            primary.await(CART, "A", "192.0.2.2");

            primary.kill();
            run.awaitErr("warning: external names: ");
            primary.restart();
            bar.fail("cart", 2);
            primary.await(CART, "A", "");
            run.awaitErr("note: external names: ");
            assertThat(run.stop()).isEqualTo(Main.DONE);
            assertThat(primary.dig("web.shop.prod.svc.example.org", "A"))
                    .as("the end of the controller removes nothing")
                    .isEqualTo("192.0.2.5");
        }
    }

    /** With an empty store and an unreadable cluster the wanted names are not known. */
    @Test
    void aClusterThatCannotBeReadRemovesNoName() throws Exception {
        try (RealPrimary primary = RealPrimary.start("named", folder)) {
            assertThat(once(primary).code()).isEqualTo(Main.DONE);
            Path kubeconfig = Files.writeString(folder.resolve("bar.kubeconfig"), """
                    apiVersion: v1
                    kind: Config
                    clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
                    contexts: [{name: c, context: {cluster: c}}]
                    current-context: c
                    """.formatted(RealServer.freePort()));
            List<String> arguments =
                    new ArrayList<>(List.of("federation-controller", "--once", "--startup-timeout", "1"));
            arguments.addAll(List.of("--federation", "prod", "--selector", "federation.k8sdns.io/name=prod"));
            arguments.addAll(List.of("--cluster", foo.toString(), "--cluster", "bar=" + kubeconfig));
            arguments.addAll(primary.options());
            Run run = Run.of(arguments);
            assertThat(run.code()).isEqualTo(Main.FAILED);
            assertThat(run.err()).contains("failed: cluster bar: ", "failed: external names: nothing is changed");
            assertThat(primary.dig(CART, "A")).isEqualTo("192.0.2.1 192.0.2.2");
        }
    }

    @Test
    void withoutZoneTransfersTheJournalHasTheNamesToRemove() throws Exception {
        String journal = folder.resolve("journal").toString();
        String web = "web.shop.prod.svc.example.org";
        try (RealPrimary primary = RealPrimary.withoutTransfer(folder)) {
            ShopCluster unused = foo.with("web", 5);
            Run first = once(primary, "--rfc2136-journal", journal);
            assertThat(first.code()).as(first.err()).isEqualTo(Main.DONE);
            assertThat(first.err()).contains("warning: external names: the server does not let the key transfer");
            assertThat(primary.dig(web, "A")).isEqualTo("192.0.2.5");
            foo.fail("web", 5);
            assertThat(once(primary).code()).isEqualTo(Main.DONE);
            assertThat(primary.dig(web, "A")).isEqualTo("192.0.2.5");
            assertThat(once(primary, "--rfc2136-journal", journal).code()).isEqualTo(Main.DONE);
            assertThat(primary.dig(web, "ANY")).isEmpty();
        }
    }

    @Test
    void withEtcdEachRunReadsItsOwnWrites() throws Exception {
        try (RealPrimary primary = RealPrimary.start("named", folder);
                PlainEtcd etcd = PlainEtcd.start(folder)) {
            String[] store = {"--store", "etcd", "--etcd", etcd.url()};
            Run first = once(primary, store);
            assertThat(first.code()).as(first.err()).isEqualTo(Main.DONE);
            assertThat(primary.dig(CART, "A")).isEqualTo("192.0.2.1 192.0.2.2");
            ShopCluster unused = foo.with("cart", 4);
            assertThat(once(primary, store).code()).isEqualTo(Main.DONE);
            assertThat(primary.dig(CART, "A")).isEqualTo("192.0.2.2 192.0.2.4");

            // A shard of another controller has a name, too.
            List<String> alone = new ArrayList<>(List.of("--federation", "prod", "--cluster", bar.toString()));
            alone.addAll(primary.options());
            alone.addAll(List.of(store));
            alone.addAll(List.of("--interval", "1", "--listen", "127.0.0.1:0"));
            try (CommandThread run = new CommandThread("federation", alone)) {
                String server = run.nextAddress().toString();
                assertThat(FederationLab.data(FederationLab.ask(server, "cart.shop.prod.svc.federation.", "65432=foo")))
                        .containsExactly("10.96.0.4", "192.0.2.2");
                unused = bar.with("cart", 6);
                primary.await(CART, "A", "192.0.2.4 192.0.2.6");
                bar.fail("cart", 6);
                primary.await(CART, "A", "192.0.2.4");
                assertThat(run.stop()).isEqualTo(Main.DONE);
            }
        }
    }

    @Test
    void serverControllerAndExternalNamesRunInOneProcess() throws Exception {
        try (RealPrimary primary = RealPrimary.start("knotd", folder);
                CommandThread run = new CommandThread(
                        "federation", options(primary, "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0"))) {
            String server = run.nextAddress().toString();
            assertThat(FederationLab.data(FederationLab.ask(server, "cart.shop.prod.svc.federation.", "65432=foo")))
                    .containsExactly("10.96.0.1", "192.0.2.2");
            primary.await(CART, "A", "192.0.2.1 192.0.2.2");
            assertThat(run.stop()).isEqualTo(Main.DONE);
        }
    }
}
