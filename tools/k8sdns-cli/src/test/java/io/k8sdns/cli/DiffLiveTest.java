package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests {@code diff} with the objects of a live cluster. */
@Timeout(300)
class DiffLiveTest extends LiveTestBase {
    private String config;

    @BeforeEach
    void writeConfig() throws IOException {
        config = kubeconfig(TOKEN);
    }

    private Run diff(String... more) {
        return Run.of(List.of("diff", "--startup-timeout", "120", "--kubeconfig", config), more);
    }

    @Test
    void aClusterDoesNotDifferFromItself() throws IOException {
        String records = Run.of("records", "--startup-timeout", "120", "--kubeconfig", config)
                .out();
        assertThat(records).contains(" IN A ");
        String zone = Files.writeString(folder.resolve("live.zone"), records).toString();

        Run run = diff("live", zone);

        assertThat(run.lines()).as(run.err()).containsExactly("no differences");
        assertThat(run.code()).isZero();
    }

    @Test
    void namesThatOnlyTheClusterHasVanish() throws IOException {
        String empty = Files.writeString(folder.resolve("empty.yaml"), "").toString();

        Run run = diff("--fail-on", "vanish", "live", empty);

        assertThat(run.out()).contains("vanishes ").doesNotContain("appears ");
        assertThat(run.code()).isEqualTo(Main.FAILED);
    }

    @Test
    void manifestsOfTheOptionAreComparedWithTheCluster() throws IOException {
        String empty = Files.writeString(folder.resolve("empty.yaml"), "").toString();

        Run run = diff("-f", empty);

        assertThat(run.out()).contains("vanishes ").doesNotContain("appears ");
        assertThat(run.lines()).isEqualTo(diff("live", empty).lines());
    }

    /** Adds a Service and a Pod of a Deployment, whose name is the hostname of no endpoint, and returns manifests of all objects. */
    private String deploy() throws IOException {
        api.serviceWithSelector("shop", "web", "{\"app\": \"web\"}");
        api.pod("shop", "web-7d9f8c6b5-x2bqz", "10.244.0.8", "{\"app\": \"web\"}");
        api.endpoint(
                "shop",
                "web",
                "{\"addresses\": [\"10.244.0.8\"], \"targetRef\": {\"kind\": \"Pod\", \"namespace\": \"shop\", \"name\": \"web-7d9f8c6b5-x2bqz\"}}");
        return Files.writeString(folder.resolve("git.yaml"), """
                apiVersion: v1
                kind: Service
                metadata: {name: cart, namespace: shop}
                spec: {ports: [{port: 80, name: http}]}
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: shop}
                spec: {clusterIP: None, selector: {app: web}}
                ---
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: web, namespace: shop}
                spec:
                  selector: {matchLabels: {app: web}}
                  template:
                    metadata: {labels: {app: web}}
                    spec: {containers: [{name: web, image: web}]}
                """).toString();
    }

    @Test
    void realAddressesOfTheClusterDoNotVanishIfManifestsHoldNone() throws IOException {
        String git = deploy();

        Run run = diff("-o", "name", "live", git);

        assertThat(run.lines())
                .as("only names of the Service db, which is not in Git: %s", run.err())
                .containsExactlyInAnyOrder(
                        "db.shop.svc.cluster.local.",
                        "10-244-0-9.db.shop.svc.cluster.local.",
                        "9.0.244.10.in-addr.arpa.");
        assertThat(diff(git, "live:here").lines())
                .last()
                .asString()
                .as(
                        "a reverse name of a Service; of the Pod a reverse name, a name of an endpoint and, with that of db-0, one below pod")
                .matches(
                        "3 names appear; not compared: \\d+ names made of addresses or Pods, because one side has invented ones");
    }

    @Test
    void anUnknownContextIsReportedWithItsParameter() throws IOException {
        Run unknown = diff(deploy(), "live:there");
        assertThat(unknown.code()).isEqualTo(Main.INVALID);
        assertThat(unknown.err()).contains("live:there: no context 'there' in " + config);

        Files.writeString(Path.of(config), Files.readString(Path.of(config)).replace("current-context: here", ""));
        assertThat(diff(deploy(), "live").err())
                .contains(" has no current context; choose one of 'here', 'nowhere', 'nobody' with live:CONTEXT");
    }

    @Test
    void namesOfPodsThatManifestsDoNotNameDoNotVanish() throws IOException {
        String git = deploy();
        List<String> notInGit = List.of(
                "10-244-0-9.db.shop.svc.cluster.local.", "9.0.244.10.in-addr.arpa.", "db.shop.svc.cluster.local.");

        for (List<String> sides : List.of(List.of("live", git), List.of(git, "live"))) {
            Run run = diff("-o", "name", "--endpoint-names", "pod", sides.get(0), sides.get(1));

            assertThat(run.lines()).as(run.err()).containsExactlyInAnyOrderElementsOf(notInGit);
        }
    }

    @Test
    void aHostnameOfTheClusterVanishesWithTheStatefulSet() throws IOException {
        String git = deploy();
        api.endpoint("shop", "web", "{\"addresses\": [\"10.244.0.8\"], \"hostname\": \"web-0\"}");

        Run run = diff("-o", "name", "--endpoint-names", "pod", "live", git);

        assertThat(run.lines()).as(run.err()).contains("web-0.web.shop.svc.cluster.local.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"hostname", "pod"})
    void aHostnameThatLooksGeneratedIsCompared(String mode) throws IOException {
        String git = deploy();
        api.endpoint("shop", "web", "{\"addresses\": [\"10.244.0.8\"], \"hostname\": \"edge-http2\"}");

        Run run = diff("-o", "name", "--endpoint-names", mode, "live", git);

        assertThat(run.lines()).as(run.err()).contains("edge-http2.web.shop.svc.cluster.local.");
    }

    @Test
    void aClusterThatCannotBeReadIsNoDifference() throws IOException {
        String empty = Files.writeString(folder.resolve("empty.yaml"), "").toString();

        Run run = diff("--fail-on", "vanish", "live:nowhere", empty);

        assertThat(run.err()).contains("cannot reach the API server");
        assertThat(run.code()).isEqualTo(Main.NO_RESULT);
    }

    @Test
    void withoutPermissionToListPodsTheirNamesDoNotVanish() throws IOException {
        String zone = Files.writeString(
                        folder.resolve("live.zone"),
                        Run.of("records", "--startup-timeout", "120", "--kubeconfig", config)
                                .out())
                .toString();
        api.refusePods();

        Run run = diff("--fail-on", "vanish", zone, "live");

        assertThat(run.lines()).as(run.err()).containsExactly("no differences");
        assertThat(run.code()).isEqualTo(Main.DONE);
        assertThat(run.err()).contains("warning: B: names of Pods are not compared, because the Pods are not listed");
    }

    @Test
    void namespacesThatOnlyTheClusterHasAreNoted() throws IOException {
        String git = deploy();
        assertThat(diff("live", git).err()).doesNotContain("namespaces of the cluster");

        api.dnsService("kube-dns", 53);

        String note = "note: namespaces of the cluster without an object in the manifests: kube-system; "
                + "to compare only those of the manifests: -n shop";
        assertThat(diff("-f", git).err()).contains(note);
        assertThat(diff("-n", "shop", "-f", git).err()).doesNotContain(note);
    }
}
