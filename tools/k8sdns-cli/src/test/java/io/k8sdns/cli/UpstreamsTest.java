package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.sockets.FailureLog;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneFeed;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.xbill.DNS.Name;
import picocli.CommandLine.Model.CommandSpec;

/** Tests what {@code serve} does with the data of a ConfigMap of kube-dns. */
@Timeout(300)
class UpstreamsTest {
    private static final Optional<Map<String, String>> UNKNOWN_HOST = stubDomain("dns.invalid");

    private final StringWriter err = new StringWriter();

    private static Optional<Map<String, String>> stubDomain(String server) {
        return Optional.of(Map.of("stubDomains", "{\"corp.example\": [\"" + server + "\"]}"));
    }

    private Upstreams upstreams() throws IOException {
        UpstreamOptions options = new UpstreamOptions();
        CommandSpec command = CommandSpecs.command("upstreams", this);
        options.declare(command);
        Main.configured(command).parseArgs();
        ClusterZone zone = ParsedOptions.zone(List.of(), Run.BOOKSTORE);
        // The zone of a feed without objects is not synced, so that the feed has another one.
        ClusterZone unused = ClusterZone.create(ZoneSettings.builder().build());
        LocalShards shards =
                new LocalShards(ZoneFeed.builder(unused, InstantSource.system()).build());
        shards.locate(Optional.of(DnsLabels.parse("zone.region")));
        return new Upstreams(
                options,
                ResolverChain.of(zone),
                client -> Optional.empty(),
                shards,
                Upstreams.FederatedNames.NONE,
                new FailureLog("io.k8sdns.cli"),
                () -> ForwardingObserver.NONE,
                new PrintWriter(err, true));
    }

    @Test
    void aServerWhoseNameIsUnknownIsReportedOnceAndMayBeUsableLater() throws IOException {
        try (Upstreams upstreams = upstreams()) {
            assertThat(upstreams.kubeDnsData(UNKNOWN_HOST)).isFalse();
            assertThat(upstreams.kubeDnsData(UNKNOWN_HOST)).isFalse();
            assertThat(err.toString()).containsOnlyOnce("warning: the ConfigMap of kube-dns is not used");
            assertThat(upstreams.kubeDnsData(stubDomain("192.0.2.53"))).isTrue();
            assertThat(err.toString()).contains("note: the ConfigMap of kube-dns was read: 1 zone is forwarded");
            assertThat(upstreams.kubeDnsData(UNKNOWN_HOST)).isFalse();
            assertThat(err.toString().lines().filter(line -> line.startsWith("warning: ")))
                    .hasSize(2);
        }
    }

    /** Returns the resolution of a name in the federation {@code myfed}, whose alias shows the domain of the federation. */
    private static List<Name> federated(Upstreams upstreams) throws Exception {
        return upstreams
                .resolve(Question.of("far.shop.myfed.svc.cluster.local", RecordType.parse("CNAME")), Client.IN_PROCESS)
                .toStage()
                .toCompletableFuture()
                .get()
                .cnames();
    }

    @Test
    void aRejectedVersionHasNoEffectAtAll() throws Exception {
        try (Upstreams upstreams = upstreams()) {
            upstreams.kubeDnsData(Optional.of(Map.of("federations", "myfed=old.example")));
            List<Name> before = federated(upstreams);
            assertThat(before).hasSize(1);
            assertThat(upstreams.kubeDnsData(Optional.of(Map.of(
                            "federations",
                            "myfed=new.example",
                            "stubDomains",
                            "{\"corp.example\": [\"dns.invalid\"]}"))))
                    .isFalse();
            assertThat(federated(upstreams)).isEqualTo(before);
            assertThat(upstreams.kubeDnsData(Optional.empty()))
                    .as("the deletion of the version in use")
                    .isTrue();
            assertThat(federated(upstreams)).isEmpty();
        }
    }

    @Test
    void invalidDataCannotBecomeUsable() throws IOException {
        try (Upstreams upstreams = upstreams()) {
            assertThat(upstreams.kubeDnsData(stubDomain("no address"))).isTrue();
            assertThat(upstreams.kubeDnsData(Optional.empty())).isTrue();
            assertThat(err.toString()).containsOnlyOnce("warning: the ConfigMap of kube-dns is not used");
        }
    }
}
