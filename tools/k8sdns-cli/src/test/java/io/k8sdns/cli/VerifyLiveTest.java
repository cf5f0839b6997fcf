package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client.Transport;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.sockets.DnsServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** Tests {@code verify} with the objects and the DNS server of a live cluster. */
@Timeout(300)
class VerifyLiveTest extends LiveTestBase {
    private String config;

    @BeforeEach
    void writeConfig() throws IOException {
        config = kubeconfig(TOKEN);
    }

    private Run verify(String... more) {
        return Run.of(List.of("verify", "--startup-timeout", "120", "--kubeconfig", config), more);
    }

    @ParameterizedTest
    @ValueSource(strings = {"kube-dns", "coredns"})
    void clusterIsAskedAtItsOwnDnsService(String name) throws Exception {
        try (RunningServer server =
                RunningServer.atFreePort(List.of("--startup-timeout", "120", "--kubeconfig", config))) {
            api.dnsService(name, HostAndPort.parse(server.address()).port());
            awaitAnswer(server, name + ".kube-system.svc.cluster.local.");
            api.forgetRequests();
            Run run = verify();
            assertThat(run.code()).as(run.out() + run.err()).isZero();
            assertThat(run.err()).contains("note: asking " + server.address() + ", Service kube-system/" + name);
            assertThat(run.out()).matches("\\d+ names, 0 differences\\R");
            assertThat(api.recordedRequests())
                    .anyMatch(request -> request.equals("/api/v1/namespaces/kube-system/services/kube-dns?"))
                    .filteredOn(request -> request.contains("labelSelector=k8s-app=kube-dns"))
                    .hasSize(name.equals("kube-dns") ? 0 : 1);
        }
    }

    private static void awaitAnswer(RunningServer server, String name) throws IOException {
        try (TestClient client = server.client()) {
            while (client.ask(Name.fromString(name), Type.A, Transport.UDP)
                    .getSection(Section.ANSWER)
                    .isEmpty()) {
                // Waits for the watch event.
            }
        }
    }

    @Test
    void clusterWithoutADnsServiceNeedsAServer() {
        Run run = verify();
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.err()).contains("--server is needed: the cluster has no Service kube-system/kube-dns");
    }

    @Test
    void programForCredentialsRunsOnce() throws IOException {
        Path program = Files.writeString(folder.resolve("credentials"), """
            #!/bin/sh
            echo run >>"$1"
            echo '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "secret"}}'
            """);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        Path runs = folder.resolve("runs");
        config = kubeconfig("{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./credentials, args: ['"
                + runs + "'], interactiveMode: Never}}");
        assertThat(verify().err()).contains("--server is needed");
        assertThat(runs).content().isEqualTo("run\n");
    }

    @Test
    void requestForTheDnsServiceThatFailsIsReportedInOneLine() {
        api.refuseSingleServices();
        Run run = verify();
        assertThat(run.code()).isEqualTo(Main.NO_RESULT);
        assertThat(run.err())
                .isEqualToNormalizingNewlines(
                        "k8sdns verify: the API server " + api.url() + " (context 'here' in " + config
                                + ") has answered 500 to the request for its DNS Service; --server HOST:PORT does without\n");
    }

    @Test
    void serverOfTheOptionIsAskedAboutTheCluster() throws Exception {
        try (RunningServer server =
                RunningServer.atFreePort(List.of("--startup-timeout", "120", "--kubeconfig", config))) {
            Run run = verify("--server", server.address());
            assertThat(run.code()).as(run.out() + run.err()).isZero();
            assertThat(run.err()).isEmpty();
        }
    }

    /** Without names of Pods, no Pods are read; with them, a user may not be permitted to list them. */
    @Test
    void noReasonAssumesThatThereAreNoPodsIfTheyAreNotRead() throws Exception {
        api.serviceWithSelector("shop", "web", "{\"app\": \"web\"}");
        api.pod("shop", "web-0", "10.244.0.10", "{\"app\": \"web\"}");
        api.endpoint("shop", "web", "");
        try (DnsServer server =
                DnsServer.start((question, client) -> new Resolution.Ready(Answer.failure(Rcode.SERVFAIL)), 0)) {
            String address = "127.0.0.1:" + server.port();
            assertThat(verify("--server", address, "--pods", "disabled").lines())
                    .containsSubsequence(
                            "Service shop/web: no-such-name.web.shop.svc.cluster.local. A: expected NXDOMAIN, got SERVFAIL",
                            "  because: Service shop/web: no published endpoint has the hostname no-such-name");
            assertThat(verify("--server", address).lines())
                    .contains(
                            "  because: Service shop/web: no Pod in the namespace has the hostname or the name no-such-name");
            api.refusePods();
            assertThat(verify("--server", address).out())
                    .contains("  because: Service shop/web: no published endpoint has the hostname no-such-name")
                    .doesNotContain("no Pod");
        }
    }
}
