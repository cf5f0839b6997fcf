package io.k8sdns.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Client.Transport;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.wire.ResponseObserver;
import io.k8sdns.zone.ClusterZone;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

class RequestMetersTest {
    private final MockClock clock = new MockClock();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
    private final RequestMeters meters = new RequestMeters(registry);

    @Test
    void respondersAnswersAreCounted() throws IOException {
        ClusterZone zone = ClusterZone.of(ClusterSnapshot.of(List.of()), ZoneSettings.DEFAULTS);
        DnsResponder responder =
                DnsResponder.builder(ResolverChain.of(zone)).observer(meters).build();
        int length = ask(responder, "nobody.cluster.local.", Type.A);
        ask(responder, "cluster.local.", Type.SOA);
        ask(responder, "cluster.local.", Type.SOA);
        responder.respond(ByteBuffer.allocate(3), client(), response -> {});

        assertThat(count("k8sdns.requests", "proto", "udp", "type", "A")).isEqualTo(1);
        assertThat(count("k8sdns.requests", "proto", "udp", "type", "SOA")).isEqualTo(2);
        assertThat(count("k8sdns.responses", "rcode", "NXDOMAIN")).isEqualTo(1);
        assertThat(count("k8sdns.responses", "rcode", "NOERROR")).isEqualTo(2);
        assertThat(count("k8sdns.dropped", "reason", "no_query")).isEqualTo(1);
        assertThat(registry.get("k8sdns.request.size")
                        .tag("proto", "udp")
                        .summary()
                        .totalAmount())
                .isEqualTo(length
                        + 2
                                * Message.newQuery(question("cluster.local.", Type.SOA))
                                        .toWire()
                                        .length);
        assertThat(registry.get("k8sdns.response.size")
                        .tag("proto", "udp")
                        .summary()
                        .count())
                .isEqualTo(3);
    }

    @Test
    void requestsAreCountedByTheLongestZoneOfTheirName() {
        DnsResponder responder = responder(zones("cluster.local", "in-addr.arpa", "Corp.Example", "eu.corp.example"));
        ask(responder, "cart.shop.svc.CLUSTER.local.", Type.A);
        ask(responder, "cluster.local.", Type.SOA);
        ask(responder, "www.corp.example.", Type.A);
        ask(responder, "eu.corp.example.", Type.A);
        ask(responder, "www.eu.corp.example.", Type.A);
        ask(responder, "eu.corp.example.", Type.DS);
        ask(responder, "xcorp.example.", Type.A);
        ask(responder, "example.", Type.A);
        ask(responder, ".", Type.NS);
        ask(responder, ".", Type.DS);

        assertThat(requests())
                .containsOnly(
                        entry("cluster.local. A", 1.0),
                        entry("cluster.local. SOA", 1.0),
                        entry("Corp.Example. A", 1.0),
                        entry("Corp.Example. DS", 1.0),
                        entry("eu.corp.example. A", 2.0),
                        entry("none A", 2.0),
                        entry("none NS", 1.0),
                        entry("none DS", 1.0));
        assertThat(registry.get("k8sdns.request.duration").timer().count()).isEqualTo(10);
        assertThat(count("k8sdns.responses", "rcode", "NXDOMAIN")).isPositive();
    }

    @Test
    void messagesWithoutAQuestionAreOfNoZone() {
        DnsResponder responder = responder(zones("."));
        responder.respond(ByteBuffer.wrap(new byte[12]), client(), response -> {});
        ask(responder, "www.example.com.", Type.A);
        responder.respond(ByteBuffer.allocate(3), client(), response -> {});

        assertThat(requests()).containsOnly(entry("none other", 1.0), entry(". A", 1.0));
        assertThat(count("k8sdns.dropped", "reason", "no_query")).isEqualTo(1);
    }

    @Test
    void namesOfClientsAddNoLabelValue() {
        DnsResponder responder = responder(zones("cluster.local", "."));
        Random random = new Random(13);
        for (int i = 0; i < 10_000; i++) {
            String zone = random.nextBoolean() ? "cluster.local." : "x" + random.nextInt() + ".";
            ask(responder, "n" + random.nextInt() + ".a" + random.nextInt() + "." + zone, Type.A);
        }

        assertThat(requests()).containsOnlyKeys("cluster.local. A", ". A");
        assertThat(requests().values().stream().mapToDouble(one -> one).sum()).isEqualTo(10_000);
    }

    @Test
    void countersOfARemovedZoneStayAndCountNothing() {
        RequestMeters byZone = new RequestMeters(registry, zones(".", "corp.example"));
        DnsResponder responder = responder(byZone);
        ask(responder, "www.corp.example.", Type.A);
        byZone.replaceZones(zones("."));
        ask(responder, "www.corp.example.", Type.A);
        assertThat(requests()).containsOnly(entry("corp.example. A", 1.0), entry(". A", 1.0));

        byZone.replaceZones(zones("CORP.example"));
        ask(responder, "www.corp.example.", Type.A);
        ask(responder, "www.example.com.", Type.A);
        assertThat(requests()).containsOnly(entry("corp.example. A", 2.0), entry(". A", 1.0), entry("none A", 1.0));
    }

    @Test
    void aPendingQuestionIsCountedInTheZoneOfItsReceipt() {
        RequestMeters byZone = new RequestMeters(registry, zones("corp.example"));
        CompletableFuture<Answer> later = new CompletableFuture<>();
        ask(
                DnsResponder.builder((question, client) -> new Resolution.Pending(later))
                        .observer(byZone)
                        .build(),
                "www.corp.example.",
                Type.A);
        byZone.replaceZones(zones("."));
        assertThat(requests()).isEmpty();
        later.complete(Answer.failure(Rcode.REFUSED));

        assertThat(requests()).containsOnly(entry("corp.example. A", 1.0));
    }

    @Test
    void zonesAfterTheFirstHundredAreCountedAsOther() {
        RequestMeters byZone = new RequestMeters(registry, zones());
        DnsResponder responder = responder(byZone);
        for (int i = 1; i <= 150; i++) {
            byZone.replaceZones(zones("z" + i + ".example"));
            ask(responder, "www.z" + i + ".example.", Type.A);
        }
        byZone.replaceZones(zones("z1.example"));
        ask(responder, "www.z1.example.", Type.A);

        assertThat(requests())
                .hasSize(101)
                .contains(entry("z1.example. A", 2.0), entry("z100.example. A", 1.0), entry("other A", 50.0));
    }

    @Test
    void metersWithoutZonesHaveNoZoneLabel() {
        ask(responder(meters), "www.example.com.", Type.A);

        assertThat(registry.get("k8sdns.requests").counter().getId().getTag("zone"))
                .isNull();
        assertThatThrownBy(() -> meters.replaceZones(zones("."))).isInstanceOf(IllegalStateException.class);
    }

    private static List<DnsLabels> zones(String... names) {
        return Stream.of(names).map(DnsLabels::parse).toList();
    }

    private DnsResponder responder(List<DnsLabels> zones) {
        return responder(new RequestMeters(registry, zones));
    }

    private static DnsResponder responder(RequestMeters observer) {
        ClusterZone zone = ClusterZone.of(ClusterSnapshot.of(List.of()), ZoneSettings.DEFAULTS);
        return DnsResponder.builder(ResolverChain.of(zone)).observer(observer).build();
    }

    /** Returns the counted requests by zone and type. */
    private Map<String, Double> requests() {
        return registry.find("k8sdns.requests").counters().stream()
                .collect(Collectors.toMap(
                        counter -> counter.getId().getTag("zone") + " "
                                + counter.getId().getTag("type"),
                        Counter::count));
    }

    @Test
    void durationIsFromReceiptToResponse() {
        long received = meters.received();
        clock.add(Duration.ofMillis(3));
        response(received, Transport.TCP, Type.A, Rcode.NOERROR);

        assertThat(registry.get("k8sdns.request.duration").timer().totalTime(TimeUnit.MILLISECONDS))
                .isEqualTo(3);
    }

    @Test
    void rareTypesAndRcodesAreCountedAsOther() {
        for (int type : new int[] {ResponseObserver.NO_TYPE, Type.WKS, 256, 65535}) {
            response(0, Transport.TCP, type, Rcode.BADVERS + 1);
        }

        assertThat(count("k8sdns.requests", "proto", "tcp", "type", "other")).isEqualTo(4);
        assertThat(count("k8sdns.responses", "rcode", "other")).isEqualTo(4);
    }

    @Test
    void everyTypeHasItsOwnLabelValue() {
        for (int type = 1; type <= 65535; type++) {
            response(0, Transport.UDP, type, Rcode.NOERROR);
        }

        assertThat(registry.get("k8sdns.requests").counters()).hasSize(20).allSatisfy(counter -> {
            String label = counter.getId().getTag("type");
            assertThat(counter.count()).as(label).isEqualTo("other".equals(label) ? 65535 - 19 : 1);
        });
    }

    @Test
    void truncatedResponsesAndDnssecQueriesAreCounted() {
        meters.response(0, Transport.UDP, Type.A, true, Rcode.NOERROR, true, 40, 512);
        meters.response(0, Transport.UDP, Type.A, false, Rcode.NOERROR, false, 40, 60);

        assertThat(count("k8sdns.truncated", "proto", "udp")).isEqualTo(1);
        assertThat(count("k8sdns.truncated", "proto", "tcp")).isZero();
        assertThat(count("k8sdns.do.requests")).isEqualTo(1);
    }

    @Test
    void dropsOfTheKernelAreReadWithTheMeter() {
        long[] drops = {7};
        meters.receiveBufferDrops(() -> drops[0]);

        assertThat(registry.get("k8sdns.dropped")
                        .tag("reason", "receive_buffer_full")
                        .functionCounter()
                        .count())
                .isEqualTo(7);
        drops[0] = 9;
        assertThat(registry.get("k8sdns.dropped")
                        .tag("reason", "receive_buffer_full")
                        .functionCounter()
                        .count())
                .isEqualTo(9);
    }

    @Test
    void boundsAreThoseOfCoreDns() {
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new RequestMeters(prometheus).response(0, Transport.UDP, Type.A, false, Rcode.NOERROR, false, 40, 60);

        assertThat(prometheus.scrape())
                .contains("k8sdns_request_duration_seconds_bucket{le=\"2.5E-4\"}")
                .contains("k8sdns_request_duration_seconds_bucket{le=\"8.192\"}")
                .contains("k8sdns_request_size_bytes_bucket{proto=\"udp\",le=\"64000.0\"} 1");
    }

    private void response(long received, Transport transport, int type, int rcode) {
        meters.response(received, transport, type, false, rcode, false, 40, 60);
    }

    private double count(String name, String... tags) {
        return registry.get(name).tags(tags).counter().count();
    }

    private static int ask(DnsResponder responder, String name, int type) {
        byte[] query = Message.newQuery(question(name, type)).toWire();
        responder.respond(ByteBuffer.wrap(query), client(), response -> {});
        return query.length;
    }

    private static Record question(String name, int type) {
        return Record.newRecord(Name.fromConstantString(name), type, DClass.IN);
    }

    private static Client client() {
        return Client.builder(Transport.UDP).build();
    }
}
