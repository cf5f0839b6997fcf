package io.k8sdns.cli;

import static io.k8sdns.cli.NodeCacheUpstream.holding;
import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.AnswerStatus;
import io.k8sdns.resolver.Question;
import io.k8sdns.sockets.DnsClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Translates and runs the Corefiles that Kubernetes installs, with addresses of this machine. */
@Timeout(300)
class CorefileServedTest {
    @TempDir
    private Path folder;

    /** Returns the options of a translated Corefile as single words. */
    private List<String> translated(String corefile) throws IOException {
        Path file = Files.writeString(folder.resolve("Corefile"), corefile);
        Path resolvConf = Files.writeString(folder.resolve("resolv.conf"), "nameserver 192.0.2.53\n");
        Run run = Run.of("from-corefile", "--resolv-conf", resolvConf.toString(), file.toString());
        assertThat(run.code()).as(run.err()).isZero();
        return run.lines().stream()
                .flatMap(line -> Arrays.stream(line.split(" ", -1)))
                .toList();
    }

    private static List<String> replaced(List<String> options, String... pairs) {
        return options.stream()
                .map(option -> {
                    String text = option;
                    for (int i = 0; i < pairs.length; i += 2) {
                        text = text.replace(pairs[i], pairs[i + 1]);
                    }
                    return text;
                })
                .toList();
    }

    private static Answer ask(HostAndPort server, String name, String type) throws IOException {
        try (DnsClient client = new DnsClient()) {
            return client.ask(Question.of(name, RecordType.parse(type)), server.address(), Duration.ofMinutes(2));
        }
    }

    @Test
    void theCorefileOfKubeadmServesACluster() throws Exception {
        try (StubApi api = StubApi.answering();
                NodeCacheUpstream outside = holding("www.example.com. 7200 IN A 198.18.0.1")) {
            List<String> options = replaced(
                    translated(FromCorefileTest.KUBEADM),
                    "--in-cluster",
                    "--kubeconfig=" + api.kubeconfig(folder, "{token: secret}"),
                    "[::]:53",
                    "127.0.0.1:0",
                    "[::]:9153",
                    "127.0.0.1:0",
                    "192.0.2.53",
                    outside.address().toString());
            try (RunningServer server = RunningServer.with(options.toArray(String[]::new))) {
                assertAnswersLikeKubeadm(server, outside);
            }
        }
    }

    private static void assertAnswersLikeKubeadm(RunningServer server, NodeCacheUpstream outside) throws IOException {
        HostAndPort address = HostAndPort.parse(server.address());
        Answer cart = ask(address, "cart.shop.svc.cluster.local", "A");
        assertThat(cart.addresses()).containsExactly("10.96.0.20");
        assertThat(cart.answer().get(0).records().get(0).getTTL()).isEqualTo(30);
        assertThat(ask(address, "10-1-2-3.shop.pod.cluster.local", "A").addresses())
                .as("pods insecure")
                .containsExactly("10.1.2.3");
        assertThat(ask(address, "no.shop.svc.cluster.local", "A").status()).isEqualTo(AnswerStatus.NXDOMAIN);
        Answer www = ask(address, "www.example.com", "A");
        assertThat(www.addresses()).containsExactly("198.18.0.1");
        assertThat(www.answer().get(0).ttlSeconds()).as("cache 30").isBetween(28L, 30L);
        Answer missing = ask(address, "1.2.0.192.in-addr.arpa", "PTR");
        assertThat(missing.status()).as("fallthrough").isEqualTo(AnswerStatus.NXDOMAIN);
        assertThat(missing.authority().get(0).ttlSeconds()).as("cache 30").isBetween(28L, 30L);
        assertThat(outside.received().stream().map(NodeCacheUpstream.Received::name))
                .contains("1.2.0.192.in-addr.arpa.")
                .noneMatch(name -> name.endsWith("cluster.local."));
        assertThat(server.err()).contains("metrics: http://");
    }

    /** The options in docs/command.md are those of the Corefile, and answer like it; only addresses and the cluster are replaced. */
    @Test
    void theDocumentedOptionsServeAClusterLikeKubeadm() throws Exception {
        Matcher block = Pattern.compile("## A whole cluster's DNS\n.*?```yaml\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Run.ROOT.resolve("docs/command.md")));
        assertThat(block.find()).isTrue();
        String documented = block.group(1);
        Path corefile = Files.writeString(folder.resolve("Corefile"), FromCorefileTest.KUBEADM);
        Path resolvConf = Files.writeString(folder.resolve("resolv.conf"), "nameserver 192.0.2.53\n");
        assertThat(Run.of("from-corefile", "-o", "yaml", "--resolv-conf", resolvConf.toString(), corefile.toString())
                        .out())
                .isEqualToNormalizingNewlines(documented);

        Path config = Files.writeString(folder.resolve("serve.yaml"), documented);
        try (StubApi api = StubApi.answering();
                NodeCacheUpstream outside = holding("www.example.com. 7200 IN A 198.18.0.1");
                RunningServer server = RunningServer.atFreePort(
                        List.of("--config", config.toString(), "--forward", outside.address()),
                        "--kubeconfig",
                        api.kubeconfig(folder, "{token: secret}").toString(),
                        "--metrics",
                        "127.0.0.1:0")) {
            assertAnswersLikeKubeadm(server, outside);
        }
    }

    @Test
    void aCorefileWithoutForwardIsAFileOfOptions() throws Exception {
        try (StubApi api = StubApi.answering()) {
            for (String fallthrough : List.of("", "fallthrough")) {
                Path corefile = Files.writeString(folder.resolve("Corefile"), """
                        .:53 {
                            kubernetes cluster.local {
                                kubeconfig %s
                                %s
                            }
                        }
                        """.formatted(
                                api.kubeconfig(folder, "{token: secret}"), fallthrough));
                Run run = Run.of("from-corefile", "-o", "yaml", corefile.toString());
                assertThat(run.code()).as(run.err()).isZero();
                String config = Files.writeString(folder.resolve("serve.yaml"), run.out())
                        .toString();
                try (RunningServer server = RunningServer.with("--listen", "127.0.0.1:0", "--config", config)) {
                    assertThat(ask(HostAndPort.parse(server.address()), "cart.shop.svc.cluster.local", "A")
                                    .addresses())
                            .containsExactly("10.96.0.20");
                }
            }
        }
    }

    @Test
    void theCorefileOfNodeLocalDnsServesANode() throws Exception {
        try (NodeCacheUpstream cluster = holding(
                        "cart.shop.svc.cluster.local. 30 IN A 10.96.0.20",
                        "20.0.96.10.in-addr.arpa. 30 IN PTR cart.shop.svc.cluster.local.");
                NodeCacheUpstream outside = holding("www.example.com. 3600 IN A 198.18.0.1")) {
            List<String> options = replaced(
                    translated(FromCorefileTest.NODE_LOCAL.replace("__PILLAR__UPSTREAM__SERVERS__", "192.0.2.53")),
                    "169.254.20.10:53",
                    "127.0.0.1:0",
                    "10.96.0.10:53",
                    "127.0.0.1:0",
                    "[::]:9253",
                    "127.0.0.1:0",
                    "10.96.0.11",
                    cluster.address().toString(),
                    "192.0.2.53",
                    outside.address().toString());
            try (NodeCacheRun cache = NodeCacheRun.with(options.toArray(String[]::new))) {
                for (HostAndPort address : List.of(cache.nextAddress(), cache.nextAddress())) {
                    assertThat(ask(address, "cart.shop.svc.cluster.local", "A").addresses())
                            .containsExactly("10.96.0.20");
                    assertThat(ask(address, "20.0.96.10.in-addr.arpa", "PTR").status())
                            .isEqualTo(AnswerStatus.NOERROR);
                    Answer www = ask(address, "www.example.com", "A");
                    assertThat(www.addresses()).containsExactly("198.18.0.1");
                    assertThat(www.answer().get(0).records().get(0).getTTL()).isLessThanOrEqualTo(30);
                }
                assertThat(outside.received().stream()
                                .map(NodeCacheUpstream.Received::name)
                                .filter("www.example.com."::equals))
                        .as("the second one was cached")
                        .hasSize(1);
                assertThat(cache.metrics().port()).isPositive();
            }
        }
    }
}
