package io.k8sdns.resolver;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.SyncState;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.RevisionView;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.Rcode;

/** Resolvers of one zone without a catalog, and a partial reverse zone with an upstream server. */
class ClusterResolverTest {
    private static final ReverseZone PARTIAL = ReverseZone.parse("10.96.0.8/30").get(0);

    private static final RevisionView REVISION =
            all(Shop.zone(ZoneSettings.builder().reverseZones(List.of(PARTIAL)).build()));

    private final ClusterResolver forward =
            ClusterResolver.forward(REVISION, SyncState.SYNCED, DnsLabels.parse("cluster.local"));
    private final ClusterResolver partial = ClusterResolver.reverse(REVISION, SyncState.SYNCED, PARTIAL);
    private final ClusterResolver whole =
            ClusterResolver.reverse(all(Shop.zone(ZoneSettings.DEFAULTS)), SyncState.SYNCED, ReverseZone.IPV4);

    private static RevisionView all(ClusterZone zone) {
        return zone.view(Visibility.ALL).of(zone.current());
    }

    @Test
    void zoneAnswersForItsApexAndNamesBelow() {
        assertThat(List.of("cluster.local", "Nobody.Cluster.Local", "svc.cluster.local"))
                .allMatch(name -> forward.answersFor(DnsLabels.parse(name)));
        assertThat(List.of("local", "example.com", "xcluster.local", "10.in-addr.arpa"))
                .noneMatch(name -> forward.answersFor(DnsLabels.parse(name)));
        assertThat(List.of("in-addr.arpa", "10.in-addr.arpa", "x.in-addr.arpa"))
                .allMatch(name -> whole.answersFor(DnsLabels.parse(name)));
        assertThat(whole.answersFor(DnsLabels.parse("ip6.arpa"))).isFalse();
    }

    @Test
    void partialReverseZoneAnswersForItsApexAndItsAddresses() {
        assertThat(List.of("0.96.10.in-addr.arpa", "8.0.96.10.in-addr.arpa", "x.11.0.96.10.in-addr.arpa"))
                .allMatch(name -> partial.answersFor(DnsLabels.parse(name)));
        assertThat(List.of(
                        "96.10.in-addr.arpa",
                        "7.0.96.10.in-addr.arpa",
                        "12.0.96.10.in-addr.arpa",
                        "8.12.0.96.10.in-addr.arpa",
                        "x.0.96.10.in-addr.arpa",
                        "ip6.arpa"))
                .noneMatch(name -> partial.answersFor(DnsLabels.parse(name)));
    }

    @Test
    void namesOfOtherZonesAreRefused() {
        assertThat(answer(forward, "example.com. A"))
                .returns(Rcode.REFUSED, Answer::rcode)
                .returns(false, Answer::authoritative)
                .extracting(Answer::extendedError)
                .isEqualTo(Optional.of(new ExtendedError(
                        ExtendedError.NOT_AUTHORITATIVE, "example.com. is not served by zone cluster.local")));
        assertThat(ResolverChainTest.ask(forward, "local. SOA")).containsExactly("REFUSED ede 20");
        assertThat(ResolverChainTest.ask(partial, "12.0.96.10.in-addr.arpa. PTR"))
                .containsExactly("REFUSED ede 20");
        assertThat(ResolverChainTest.ask(whole, "ip6.arpa. SOA")).containsExactly("REFUSED ede 20");
    }

    @Test
    void addressesOutsideAPartialReverseZoneAreForwarded() {
        DnsResolver upstream = (question, client) -> new Resolution.Ready(Answer.failure(Rcode.NOTAUTH));
        DnsResolver chain = ResolverChain.of(Shop.zone(
                        ZoneSettings.builder().reverseZones(List.of(PARTIAL)).build()))
                .withUpstream(upstream);

        for (String outside : List.of("7.0.96.10", "12.0.96.10", "x.0.96.10", "96.10", "10.1.96.10")) {
            assertThat(ResolverChainTest.ask(chain, outside + ".in-addr.arpa. PTR"))
                    .containsExactly("NOTAUTH ra");
        }
        assertThat(ResolverChainTest.ask(chain, "10.0.96.10.in-addr.arpa. PTR"))
                .containsExactly("NOERROR aa ra", "10.0.96.10.in-addr.arpa. 5 IN PTR cart.shop.svc.cluster.local.");
        assertThat(ResolverChainTest.ask(chain, "9.0.96.10.in-addr.arpa. PTR"))
                .first()
                .isEqualTo("NXDOMAIN aa ra");
        assertThat(ResolverChainTest.ask(chain, "0.96.10.in-addr.arpa. SOA"))
                .first()
                .isEqualTo("NOERROR aa ra");
    }

    @Test
    void aRefusalReportsThePartialZone() {
        DnsResolver chain = ResolverChain.of(
                Shop.zone(ZoneSettings.builder().reverseZones(List.of(PARTIAL)).build()));

        assertThat(text(chain, "12.0.96.10.in-addr.arpa. PTR"))
                .isEqualTo("12.0.96.10.in-addr.arpa. is not served by this server, which serves only part of zone "
                        + "0.96.10.in-addr.arpa");
        assertThat(text(chain, "96.10.in-addr.arpa. PTR"))
                .isEqualTo("96.10.in-addr.arpa. is not served by this server");
        assertThat(text(chain, "example.com. A")).isEqualTo("example.com. is not served by this server");
        assertThat(text(chain, ". NS")).isEqualTo(". is not served by this server");
    }

    private static String text(DnsResolver resolver, String question) {
        return answer(resolver, question).extendedError().orElseThrow().text();
    }

    private static Answer answer(DnsResolver resolver, String question) {
        return ((Resolution.Ready) resolver.resolve(ResolverChainTest.question(question), Client.IN_PROCESS)).answer();
    }
}
