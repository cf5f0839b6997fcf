package io.k8sdns.cli;

import static io.k8sdns.cli.FederationLab.ORDER;
import static io.k8sdns.cli.FederationLab.ask;
import static io.k8sdns.cli.FederationLab.data;
import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cli.FederationLab.NameServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xbill.DNS.Message;

/** Tests {@code node-cache --cluster-name}, which adds the source-cluster option on the node. */
@Timeout(300)
class FederationNodeCacheTest {
    private static final String NAME = "web.shop.myfed.svc.federation.";

    @Test
    void theOptionIsAddedOnlyForTheFederationZone() throws Exception {
        try (NameServer federated = new NameServer("127.0.0.1");
                RecordingUpstream root = new RecordingUpstream();
                NodeCacheRun cache = NodeCacheRun.atFreePort(
                        "--cluster-name",
                        "foo",
                        "--federation-zone",
                        "federation.",
                        "--zone-upstream",
                        "federation.=" + federated.address(),
                        "--zone-upstream",
                        ".=" + root.text())) {
            String address = cache.nextAddress().toString();
            for (int i = 0; i < 3; i++) {
                Message response = ask(address, NAME, "65432=bar", "10=12345678");
                assertThat(data(response)).containsExactlyElementsOf(ORDER);
                assertThat(response.getOPT().getOptions()).isEmpty();
            }
            assertThat(federated.names()).containsExactly(NAME);
            assertThat(federated.options()).containsExactly("65432=foo");

            assertThat(data(ask(address, "www.example.com.", "65432=bar"))).containsExactly("198.18.0.1");
            assertThat(root.asked()).contains("www.example.com. A");
            assertThat(root.queries())
                    .allSatisfy(query -> assertThat(
                                    query.getOPT() == null
                                            ? List.of()
                                            : query.getOPT().getOptions())
                            .isEmpty());
        }
    }

    @Test
    void withoutAClusterNameNoOptionIsSent() throws Exception {
        try (NameServer federated = new NameServer("127.0.0.1");
                NodeCacheRun cache = NodeCacheRun.atFreePort("--zone-upstream", "federation.=" + federated.address())) {
            assertThat(data(ask(cache.nextAddress().toString(), NAME, "65432=bar")))
                    .containsExactlyElementsOf(ORDER);
            assertThat(federated.options()).isEmpty();
        }
    }

    /**
     * Addresses of watched names are rotated, but federated names keep the order of the cluster's DNS server, nearest shard first.
     */
    @Test
    void theOrderOfFederatedNamesIsKept(@TempDir Path folder) throws Exception {
        try (StubApi api = StubApi.answering();
                NameServer cluster = new NameServer("127.0.0.1");
                NodeCacheRun cache = NodeCacheRun.atFreePort(
                        "--zone-upstream",
                        ".=" + cluster.address(),
                        "--kubeconfig",
                        api.kubeconfig(folder, "{token: secret}").toString())) {
            String address = cache.nextAddress().toString();
            for (int i = 0; i < 20; i++) {
                assertThat(data(ask(address, NAME))).containsExactlyElementsOf(ORDER);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--cluster-name foo | --cluster-name needs --zone-upstream federation.=SERVER",
                "--federation-zone federation. | --federation-zone needs --cluster-name",
                "--cluster-name foo --federation-zone cluster.local --zone-upstream cluster.local=192.0.2.1 | lie in one another",
                "--cluster-name foo --source-cluster-option 65433 --zone-upstream federation=192.0.2.1 | are both 65433"
            })
    void invalidOptionsAreUsageErrors(String options, String message) {
        List<String> arguments = new ArrayList<>(List.of("node-cache", "--listen", "127.0.0.1:0"));
        arguments.addAll(List.of(options.split(" ")));
        arguments.addAll(List.of("--zone-upstream", ".=192.0.2.1"));
        Run run = Run.of(arguments.toArray(String[]::new));
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.err()).contains(message);
    }
}
