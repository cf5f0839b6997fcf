package io.k8sdns.wire;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.k8sdns.autopath.AutopathResolver;
import io.k8sdns.autopath.SearchPaths;
import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.federation.KubeDnsFederations;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.zone.ClusterZone;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.Message;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

class FastPathTest {
    @Test
    void nameAboveAnotherZoneExistsWithoutRecords() {
        DnsResponder responder = responder("cluster.local", "b.a.cluster.local");

        assertThat(ask(responder, "a.cluster.local.", Type.A).message().getRcode())
                .isEqualTo(Rcode.NOERROR);
        assertThat(ask(responder, "c.cluster.local.", Type.A).message().getRcode())
                .isEqualTo(Rcode.NXDOMAIN);
    }

    @Test
    void nameWithADashIsNotAnAddress() {
        DnsResponder responder = responder("cluster.local");

        for (String label : List.of("db-0", "fe-1", "db-cafe", "1-2")) {
            ask(responder, label + ".cluster.local.", Type.A);
        }
        assertThat(responder.slowPathCount()).isZero();
        ask(responder, "a--b.cluster.local.", Type.A);
        ask(responder, "10-0-0-1.cluster.local.", Type.A);
        assertThat(responder.slowPathCount()).isEqualTo(2);
    }

    @Test
    void everyAddressHasAReverseNameOnTheFastPath() {
        DnsResponder responder = responder("cluster.local");

        for (String address : List.of("0.0.0.0", "255.255.255.255", "9.10.99.100", "::", "2001:db8::abcd:ef09")) {
            ask(responder, ReverseNames.of(IpAddress.parse(address)) + ".", Type.PTR);
        }
        assertThat(responder.slowPathCount()).isZero();
        for (String malformed : List.of("256.0.0.1", "1000.0.0.1", "01.0.0.1", "x.0.0.1", "0.0.1", "0.0.0.0.1")) {
            ask(responder, malformed + ".in-addr.arpa.", Type.PTR);
        }
        assertThat(responder.slowPathCount()).isEqualTo(6);
    }

    @Test
    void srvRecordOfAPortHasTheAddressesOfItsService() {
        ServicePort http = ServicePort.of("http", Protocol.TCP, 80);
        ResolverChain chain = chainOf(
                ClusterIpService.builder("shop", "web")
                        .clusterIps("10.96.0.20", "2001:db8::20")
                        .ports(List.of(http))
                        .build(),
                ClusterIpService.of("shop", "10-0-0-1", "10.96.0.21", http));
        DnsResponder fast = DnsResponder.builder(chain).build();
        DnsResponder slow = DnsResponder.builder(chain).slowPathOnly().build();
        for (Packet query : List.of(
                Packet.query("_http._tcp.web.shop.svc.cluster.local.", Type.SRV),
                Packet.query("_HTTP._tcp.WEB.shop.svc.Cluster.local.", Type.SRV),
                Packet.query("_http._tcp.web.shop.svc.cluster.local.", Type.SRV).opt(1232, 0, 0x8000))) {
            for (Client client : List.of(Exchange.UDP, Exchange.TCP)) {
                Exchange exchange = Exchange.of(fast, client, query.bytes());

                assertThat(exchange.message().getSection(Section.ANSWER))
                        .extracting(Record::rdataToString)
                        .containsExactly("0 50 80 web.shop.svc.cluster.local.");
                assertThat(exchange.message().getSection(Section.ADDITIONAL))
                        .filteredOn(one -> one.getType() != Type.OPT)
                        .extracting(Record::rdataToString)
                        .containsExactly("10.96.0.20", "2001:db8:0:0:0:0:0:20");
                assertThat(exchange.hex())
                        .isEqualTo(Exchange.of(slow, client, query.bytes()).hex());
            }
        }
        assertThat(fast.slowPathCount()).isZero();
        ask(fast, "_http._tcp.10-0-0-1.shop.svc.cluster.local.", Type.SRV);
        assertThat(fast.slowPathCount()).isEqualTo(1);
    }

    @Test
    void srvRecordTakesTheFastPathIfAllAddressesFit() {
        String service = "s".repeat(63);
        String zone = "z".repeat(63) + "." + "y".repeat(25) + ".example";
        RecordRules rules = new RecordRules(
                ZoneSettings.builder().zones(List.of(DnsLabels.parse(zone))).build());
        ResolverChain chain = ResolverChain.of(ClusterZone.of(
                ClusterSnapshot.of(List.of(
                        Namespace.of("n".repeat(63)),
                        ClusterIpService.builder("n".repeat(63), service)
                                .clusterIps("10.96.0.20", "2001:db8::20")
                                .ports(List.of(ServicePort.of("http", Protocol.TCP, 80)))
                                .build())),
                rules,
                Visibility.ALL));
        DnsResponder slow = DnsResponder.builder(chain).slowPathOnly().build();
        String name = "_http._tcp." + service + "." + "n".repeat(63) + ".svc." + zone + ".";
        int whole = Exchange.of(
                        slow,
                        Exchange.TCP,
                        Packet.query(name, Type.SRV).opt(1232, 0, 0).bytes())
                .bytes()
                .length;
        assertThat(whole).isGreaterThan(Client.MIN_RESPONSE_LIMIT + 1);
        for (int limit = Client.MIN_RESPONSE_LIMIT; limit <= whole + 1; limit++) {
            DnsResponder fast = DnsResponder.builder(chain).build();
            byte[] query = Packet.query(name, Type.SRV).opt(limit, 0, 0).bytes();

            assertThat(Exchange.of(fast, Exchange.UDP, query).hex())
                    .isEqualTo(Exchange.of(slow, Exchange.UDP, query).hex());
            assertThat(fast.slowPathCount()).as("limit " + limit).isEqualTo(limit < whole ? 1 : 0);
        }
    }

    @Test
    void emptyOptionKeepsAQueryOnTheFastPath() {
        DnsResponder responder = responder("cluster.local");
        byte[] query = Packet.query("nobody.cluster.local.", Type.A)
                .opt(1232, 0, 0, 0, 3, 0, 0)
                .bytes();

        assertThat(Exchange.of(responder, Exchange.UDP, query).message().getRcode())
                .isEqualTo(Rcode.NXDOMAIN);
        assertThat(responder.slowPathCount()).isZero();
    }

    @Test
    void negativeAnswerHasTheSerialOfItsRevision() {
        ClusterZone zone = ClusterZone.empty(new RecordRules(ZoneSettings.DEFAULTS), Visibility.ALL);
        DnsResponder responder = DnsResponder.builder(ResolverChain.of(zone)).build();
        zone.apply(List.of(new ClusterChange.Put(Namespace.of("shop"))));
        for (String name : List.of("web", "db", "cart")) {
            ExternalNameService service = ExternalNameService.of("shop", name, "example.com");
            zone.apply(List.of(new ClusterChange.Put(service)));

            Message message =
                    ask(responder, "nobody.shop.svc.cluster.local.", Type.A).message();

            assertThat(message.getSection(Section.AUTHORITY))
                    .singleElement(as(type(SOARecord.class)))
                    .extracting(SOARecord::getSerial)
                    .isEqualTo(zone.current().serial());
        }
        assertThat(zone.current().serial()).isGreaterThan(2);
        assertThat(responder.slowPathCount()).isZero();
    }

    @Test
    void messagesOfTheSlowPathAreCounted() {
        DnsResponder responder = responder("cluster.local");

        ask(responder, "nobody.cluster.local.", Type.A);
        ask(responder, "dns-version.cluster.local.", Type.TXT);
        assertThat(responder.slowPathCount()).isZero();
        ask(responder, "cluster.local.", Type.SOA);
        ask(responder, "example.com.", Type.A);
        assertThat(responder.slowPathCount()).isEqualTo(2);
    }

    @Test
    void responderIsReentrant() {
        DnsResponder responder = responder("cluster.local");
        byte[] outer = Packet.query("outer.cluster.local.", Type.A).bytes();
        Exchange inner = new Exchange();
        Exchange afterwards = new Exchange();

        responder.respond(ByteBuffer.wrap(outer), Exchange.UDP, response -> {
            responder.respond(
                    ByteBuffer.wrap(Packet.query("inner.cluster.local.", Type.A).bytes()), Exchange.UDP, inner);
            afterwards.response(response);
        });

        assertThat(inner.message().getQuestion().getName()).hasToString("inner.cluster.local.");
        assertThat(afterwards.message().getQuestion().getName()).hasToString("outer.cluster.local.");
    }

    @Test
    void sessionDoesNotAnswerQuestionsOfTheSlowPath() {
        DnsResponder responder = responder("cluster.local");
        assertThat(responder.session().answer(query("cluster.local.", Type.SOA), Client.Transport.UDP))
                .isFalse();
        assertThat(responder.slowPathCount()).isZero();
    }

    @Test
    void sessionHasTheResponseOfTheFastPath() {
        DnsResponder responder = responder("cluster.local");
        DnsSession session = responder.session();
        byte[] query = Packet.query("nobody.cluster.local.", Type.A).bytes();

        assertThat(session.answer(ByteBuffer.wrap(query), Client.Transport.UDP)).isTrue();
        assertThat(session.response())
                .isEqualTo(ByteBuffer.wrap(
                        Exchange.of(responder, Exchange.UDP, query).bytes()));
    }

    @Test
    void anAnswerLargerThanAnyMessageIsReported() {
        List<Endpoint> endpoints = IntStream.range(0, 4_200)
                .mapToObj(i -> Endpoint.of(IpAddress.ofIpv4(0x0A00_0000L + i)))
                .toList();
        ClusterSnapshot snapshot = ClusterSnapshot.of(List.of(
                Namespace.of("shop"),
                HeadlessService.of("shop", "web"),
                EndpointSlice.builder("shop", "web-1")
                        .service("web")
                        .endpoints(endpoints)
                        .build()));
        List<Question> reported = new ArrayList<>();
        DnsResponder responder = DnsResponder.builder(ResolverChain.of(
                        ClusterZone.of(snapshot, new RecordRules(ZoneSettings.DEFAULTS), Visibility.ALL)))
                .tooLarge(reported::add)
                .build();
        byte[] query = Packet.query("web.shop.svc.cluster.local.", Type.A).bytes();

        assertThat(Exchange.of(responder, Exchange.UDP, query).flags() & 0x0200).isNotZero();
        assertThat(reported).isEmpty();
        assertThat(Exchange.of(responder, Exchange.TCP, query).flags() & 0x0200).isNotZero();
        assertThat(reported).extracting(Question::type).containsExactly(RecordType.A);
    }

    @Test
    void onlyMissingNamesOfFallthroughZonesLeaveTheFastPath() {
        ResolverChain chain = chain("cluster.local")
                .withUpstream((question, client) -> new Resolution.Ready(Answer.failure(Rcode.NXDOMAIN)));
        DnsResponder responder = DnsResponder.builder(chain.withFallthrough(Set.of(DnsLabels.parse("in-addr.arpa"))))
                .build();

        ask(responder, "nobody.cluster.local.", Type.A);
        ask(responder, "svc.cluster.local.", Type.A);
        ask(responder, "1.2.0.192.in-addr.arpa.", Type.A);
        assertThat(responder.slowPathCount()).isEqualTo(1);
        DnsResponder ofTheZone = DnsResponder.builder(chain.withFallthrough(Set.of(DnsLabels.parse("cluster.local"))))
                .build();
        ask(ofTheZone, "nobody.cluster.local.", Type.A);
        assertThat(ofTheZone.slowPathCount()).isEqualTo(1);
        ask(ofTheZone, "svc.cluster.local.", Type.A);
        ask(ofTheZone, "1.2.0.192.in-addr.arpa.", Type.A);
        assertThat(ofTheZone.slowPathCount()).isEqualTo(1);
    }

    @Test
    void questionsThatAreNotExpandedKeepTheFastPath() {
        AutopathResolver.Builder autopath = AutopathResolver.builder(chain("cluster.local"));

        DnsResponder byName = DnsResponder.builder(autopath.byName().build()).build();
        ask(byName, "dns-version.cluster.local.", Type.TXT);
        ask(byName, "nobody.shop.svc.cluster.local.", Type.A);
        ask(byName, "1.2.0.192.in-addr.arpa.", Type.PTR);
        assertThat(byName.slowPathCount()).isZero();
        ask(byName, "nobody.search.shop.cluster.local.ap.k8s.io.", Type.A);
        assertThat(byName.slowPathCount()).isEqualTo(1);

        DnsResponder byOption =
                DnsResponder.builder(autopath.byOption().build()).build();
        ask(byOption, "nobody.shop.svc.cluster.local.", Type.A);
        Exchange.of(byOption, Exchange.UDP, withOption(10));
        assertThat(byOption.slowPathCount()).isZero();
        Exchange.of(byOption, Exchange.UDP, withOption(SearchPaths.OPTION_CODE));
        assertThat(byOption.slowPathCount()).isEqualTo(1);

        DnsResponder byPod = DnsResponder.builder(autopath.byPod().build()).build();
        ask(byPod, "dns-version.cluster.local.", Type.TXT);
        ask(byPod, "svc.cluster.local.", Type.A);
        ask(byPod, "1.2.0.192.in-addr.arpa.", Type.PTR);
        assertThat(byPod.slowPathCount()).isZero();
        ask(byPod, "nobody.shop.svc.cluster.local.", Type.A);
        assertThat(byPod.slowPathCount()).isEqualTo(1);
    }

    @Test
    void ordinaryMissingNamesKeepTheFastPathWithFederations() {
        Map<String, DnsLabels> federations = new HashMap<>();
        DnsResponder responder = DnsResponder.builder(
                        KubeDnsFederations.builder(chain("cluster.local"), DnsLabels.parse("cluster.local"))
                                .federations(() -> federations)
                                .build())
                .build();

        ask(responder, "web.shop.myfed.svc.cluster.local.", Type.A);
        federations.put("myfed", DnsLabels.parse("fed.example.com"));
        for (String name : List.of(
                "nobody.shop.svc",
                // Search list candidates of an external name and of a federated name.
                "www.example.com.shop.svc",
                "web.shop.myfed.shop.svc",
                "web.shop.myfed",
                "web.shop.otherfed.svc",
                "web.shop.xmyfed.svc",
                "web.shop.x\\005myfed.svc",
                "web.shop.myfed.pod")) {
            ask(responder, name + ".cluster.local.", Type.A);
        }
        assertThat(responder.slowPathCount()).isZero();
        ask(responder, "web.shop.myfed.svc.cluster.local.", Type.A);
        ask(responder, "_http._tcp.web.shop.MyFed.Svc.cluster.local.", Type.SRV);
        assertThat(responder.slowPathCount()).isEqualTo(2);
        federations.clear();
        ask(responder, "web.shop.myfed.svc.cluster.local.", Type.A);
        assertThat(responder.slowPathCount()).isEqualTo(2);
    }

    private static byte[] withOption(int code) {
        return Packet.query("nobody.shop.svc.cluster.local.", Type.A)
                .opt(1232, 0, 0, 0, 12, 0, 1, 0, code >>> 8, code & 0xFF, 0, 1, 'a')
                .bytes();
    }

    private static ByteBuffer query(String name, int type) {
        return ByteBuffer.wrap(Packet.query(name, type).bytes());
    }

    private static DnsResponder responder(String... zones) {
        return DnsResponder.builder(chain(zones)).build();
    }

    private static ResolverChain chain(String... zones) {
        ZoneSettings settings = ZoneSettings.builder()
                .zones(List.of(zones).stream().map(DnsLabels::parse).toList())
                .build();
        return ResolverChain.of(
                ClusterZone.of(ClusterSnapshot.of(List.of()), new RecordRules(settings), Visibility.ALL));
    }

    private static ResolverChain chainOf(Service... services) {
        List<ClusterObject> objects = new ArrayList<>(List.of(services));
        objects.add(Namespace.of("shop"));
        return ResolverChain.of(
                ClusterZone.of(ClusterSnapshot.of(objects), new RecordRules(ZoneSettings.DEFAULTS), Visibility.ALL));
    }

    private static Exchange ask(DnsResponder responder, String name, int type) {
        return Exchange.of(responder, Exchange.UDP, Packet.query(name, type).bytes());
    }
}
