package io.k8sdns.federation;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.AnswerStatus;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.zone.ClusterZone;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.Rcode;

class KubeDnsFederationsTest {
    private final List<String> outside = new ArrayList<>();
    private Map<String, DnsLabels> federations = Map.of("myfed", DnsLabels.parse("fed.example.com"));
    private Optional<DnsLabels> topology = Optional.of(DnsLabels.of("a", "europe"));
    private boolean isReady = true;

    private KubeDnsFederations resolver(boolean forwards) {
        ClusterZone zone = ClusterZone.create();
        zone.put(
                ClusterIpService.of("shop", "web", "10.96.0.20"),
                // Its endpoint's name db.shop.myfed is also a federated name: Service db in namespace shop.
                HeadlessService.of("myfed", "shop"),
                EndpointSlice.of(
                        "myfed",
                        "shop",
                        Endpoint.builder("10.244.0.9").hostname("db").build()));
        ResolverChain chain = ResolverChain.of(zone);
        return KubeDnsFederations.builder(
                        forwards
                                ? chain.withUpstream((question, client) -> {
                                    outside.add(question.name().toString());
                                    return new Resolution.Ready(Answer.failure(Rcode.NXDOMAIN));
                                })
                                : chain,
                        DnsLabels.parse("cluster.local"))
                .federations(() -> federations)
                .readyServices((namespace, service) -> isReady && namespace.equals("shop") && service.equals("web"))
                .topology(() -> topology)
                .build();
    }

    private Answer ask(String name, RecordType type, boolean forwards) {
        return resolver(forwards)
                .resolve(Question.of(name, type), Client.IN_PROCESS)
                .toStage()
                .toCompletableFuture()
                .join();
    }

    private Answer ask(String name) {
        return ask(name, RecordType.A, true);
    }

    @Test
    void aReadyServiceIsAnAliasOfTheClustersService() {
        assertThat(ask("Web.shop.myfed.svc.cluster.local")).hasToString("""
                NOERROR
                  Web.shop.myfed.svc.cluster.local. 30 IN CNAME Web.shop.svc.cluster.local.
                  Web.shop.svc.cluster.local. 5 IN A 10.96.0.20""");
        assertThat(ask("web.shop.myfed.svc.cluster.local").authoritative()).isTrue();
        assertThat(ask("web.shop.myfed.svc.cluster.local").isOrdered()).isFalse();
        assertThat(outside).isEmpty();
    }

    @Test
    void aServiceThatIsNotReadyIsAnAliasOfANameOutside() {
        isReady = false;
        Answer answer = ask("web.shop.myfed.svc.cluster.local");
        assertThat(answer.cnames()).hasToString("[web.shop.myfed.svc.a.europe.fed.example.com.]");
        assertThat(answer.status()).isEqualTo(AnswerStatus.NXDOMAIN);
        assertThat(answer.isOrdered())
                .as("a Federated DNS puts the nearest shard first")
                .isTrue();
        assertThat(ask("_http._tcp.web.shop.myfed.svc.cluster.local", RecordType.SRV, true)
                        .cnames())
                .hasToString("[_http._tcp.web.shop.myfed.svc.a.europe.fed.example.com.]");
        assertThat(outside)
                .containsExactly(
                        "web.shop.myfed.svc.a.europe.fed.example.com.",
                        "_http._tcp.web.shop.myfed.svc.a.europe.fed.example.com.");
    }

    @Test
    void theAnswerIsOnlyTheAliasIfNothingIsForwarded() {
        Answer answer = ask("no.shop.myfed.svc.cluster.local", RecordType.A, false);
        assertThat(answer.rcode()).isEqualTo(Rcode.NOERROR);
        assertThat(answer.records()).hasSize(1);
        assertThat(ask("no.shop.myfed.svc.cluster.local", RecordType.of(5), true)
                        .cnames())
                .hasSize(1);
    }

    @Test
    void anExistingNameOfTheClusterTakesPrecedence() {
        Answer answer = ask("db.shop.myfed.svc.cluster.local");
        assertThat(answer.addresses()).containsExactly("10.244.0.9");
        assertThat(answer.cnames()).isEmpty();
        assertThat(ask("db.shop.myfed.svc.cluster.local", RecordType.AAAA, true).status())
                .isEqualTo(AnswerStatus.NODATA);
        assertThat(ask("web.shop.myfed.svc.cluster.local").cnames()).hasSize(1);
    }

    @Test
    void anUnknownZoneOrRegionIsServfail() {
        topology = Optional.empty();
        assertThat(ask("web.shop.myfed.svc.cluster.local").addresses()).containsExactly("10.96.0.20");
        isReady = false;
        assertThat(ask("web.shop.myfed.svc.cluster.local").status()).isEqualTo(AnswerStatus.SERVFAIL);
    }

    @Test
    void aTargetThatIsTooLongIsServfail() {
        String label = "a".repeat(60);
        federations = Map.of("myfed", DnsLabels.of(label, label, label));
        assertThat(ask("no." + label + ".myfed.svc.cluster.local").status()).isEqualTo(AnswerStatus.SERVFAIL);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "web.shop.other.svc.cluster.local",
                "web.shop.myfed.pod.cluster.local",
                "shop.myfed.svc.cluster.local.cluster.local",
                "x.web.shop.myfed.svc.cluster.local",
                "x.y.web.shop.myfed.svc.cluster.local"
            })
    void otherNamesAreNotChanged(String name) {
        assertThat(ask(name).status()).isEqualTo(AnswerStatus.NXDOMAIN);
        assertThat(ask(name).cnames()).isEmpty();
        assertThat(outside).isEmpty();
    }

    @Test
    void theFastPathExcludesOnlyTheNamesOfTheFederations() {
        Map<String, DnsLabels> configured = new HashMap<>();
        federations = configured;
        KubeDnsFederations resolver = resolver(true);
        assertThat(resolver.direct().orElseThrow().exceptMissingBelow()).isEmpty();
        for (String name : List.of("myfed", "other")) {
            configured.put(name, DnsLabels.of("example"));
            assertThat(resolver.direct().orElseThrow().exceptMissingBelow())
                    .as("with %s, in a map that changes", name)
                    .hasSameSizeAs(configured.keySet())
                    .contains(DnsLabels.parse(name + ".svc.cluster.local"));
        }
        assertThat(resolver.direct(Client.IN_PROCESS).orElseThrow().exceptMissingBelow())
                .hasSize(2);
        federations = Map.of("third", DnsLabels.of("example"));
        assertThat(resolver.direct().orElseThrow().exceptMissingBelow())
                .containsExactly(DnsLabels.parse("third.svc.cluster.local"));
        federations = Map.of();
        assertThat(resolver.direct().orElseThrow().exceptMissingBelow()).isEmpty();
    }

    @Test
    void federationsWithInvalidNamesAreIgnored() {
        federations = Map.of("", DnsLabels.of("example"), "a".repeat(64), DnsLabels.of("example"));
        assertThat(resolver(true).direct().orElseThrow().exceptMissingBelow()).isEmpty();
    }
}
