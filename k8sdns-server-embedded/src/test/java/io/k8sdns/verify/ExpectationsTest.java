package io.k8sdns.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ServicePort;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.zone.ClusterZone;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.TextParseException;
import org.xbill.DNS.Type;

class ExpectationsTest {
    private static final Namespace SHOP = Namespace.of("shop");
    private static final ClusterIpService WEB = ClusterIpService.of(
            "shop", "web", List.of(IpAddress.parse("192.0.2.1")), List.of(ServicePort.of("http", Protocol.TCP, 80)));
    private static final HeadlessService DB =
            HeadlessService.of("shop", "db", ServicePort.of("postgres", Protocol.TCP, 5432));
    private static final EndpointSlice DB_SLICE = EndpointSlice.builder("shop", "db-1")
            .service("db")
            .endpoints(Endpoint.of("198.51.100.5").withHostname("db-0"))
            .ports(EndpointPort.of("postgres", Protocol.TCP, 5432))
            .build();
    private static final Pod DB_POD = Pod.running("shop", "db-0", "198.51.100.5");

    private static List<Expectation> expectations(
            ZoneSettings settings, Visibility visibility, ClusterObject... objects) {
        ClusterSnapshot snapshot = ClusterSnapshot.of(List.of(objects));
        return Expectations.of(
                ClusterZone.of(snapshot, new RecordRules(settings), visibility).current(), snapshot, visibility);
    }

    /** Maps each name and type to its outcome. */
    private static Map<String, ExpectedOutcome> outcomes(List<Expectation> expectations) {
        Map<String, ExpectedOutcome> outcomes = new TreeMap<>();
        for (Expectation one : expectations) {
            assertThat(outcomes.put(one.name() + " " + one.type(), one.outcome()))
                    .as("%s is expected once", one)
                    .isNull();
        }
        return outcomes;
    }

    private static ExpectedOutcome records(String... data) {
        return new ExpectedOutcome.Records(Set.of(data));
    }

    @Test
    void expectsEveryRecordAndTheImpliedAbsences() {
        assertThat(outcomes(expectations(ZoneSettings.DEFAULTS, Visibility.ALL, SHOP, WEB)))
                .containsOnly(
                        Map.entry("dns-version.cluster.local. TXT", records("\"1.1.0\"")),
                        Map.entry("web.shop.svc.cluster.local. A", records("192.0.2.1")),
                        Map.entry("web.shop.svc.cluster.local. AAAA", new ExpectedOutcome.NoData()),
                        Map.entry("web.shop.svc.cluster.local. SRV", records("port 80 at web.shop.svc.cluster.local.")),
                        Map.entry(
                                "_http._tcp.web.shop.svc.cluster.local. SRV",
                                records("port 80 at web.shop.svc.cluster.local.")),
                        Map.entry("_tcp.web.shop.svc.cluster.local. A", new ExpectedOutcome.NoData()),
                        Map.entry("_udp.web.shop.svc.cluster.local. A", new ExpectedOutcome.NoSuchName()),
                        Map.entry("no-such-name.cluster.local. A", new ExpectedOutcome.NoSuchName()),
                        Map.entry("no-such-name.shop.svc.cluster.local. A", new ExpectedOutcome.NoSuchName()),
                        Map.entry("no-such-name.web.shop.svc.cluster.local. A", new ExpectedOutcome.NoSuchName()),
                        Map.entry("1.2.0.192.in-addr.arpa. PTR", records("web.shop.svc.cluster.local.")),
                        Map.entry("2.2.0.192.in-addr.arpa. PTR", new ExpectedOutcome.NoSuchName()));
    }

    @Test
    void anExpectationHasTheObjectsOfItsName() {
        Map<String, String> behind = new TreeMap<>();
        expectations(ZoneSettings.DEFAULTS, Visibility.ALL, SHOP, DB, DB_SLICE, DB_POD)
                .forEach(one ->
                        behind.put(one.name() + " " + one.type(), one.objects().toString()));
        assertThat(behind)
                .containsEntry("db.shop.svc.cluster.local. A", "[Service shop/db]")
                .containsEntry("_postgres._tcp.db.shop.svc.cluster.local. SRV", "[Service shop/db]")
                .containsEntry("db-0.db.shop.svc.cluster.local. A", "[Service shop/db, Pod shop/db-0]")
                .containsEntry("198-51-100-5.db.shop.svc.cluster.local. A", "[Service shop/db, Pod shop/db-0]")
                .containsEntry("198-51-100-5.shop.pod.cluster.local. A", "[Pod shop/db-0]")
                .containsEntry("5.100.51.198.in-addr.arpa. PTR", "[Service shop/db]")
                .containsEntry("no-such-name.shop.svc.cluster.local. A", "[Namespace shop]")
                .containsEntry("_udp.db.shop.svc.cluster.local. A", "[Service shop/db]");
    }

    @Test
    void anExistingNameIsNotExpectedToBeMissing() {
        ClusterIpService taken =
                ClusterIpService.of("shop", "no-such-name", List.of(IpAddress.parse("192.0.2.9")), List.of());
        assertThat(outcomes(expectations(ZoneSettings.DEFAULTS, Visibility.ALL, SHOP, taken)))
                .containsEntry("no-such-name.shop.svc.cluster.local. A", records("192.0.2.9"))
                .containsEntry("no-such-name-2.shop.svc.cluster.local. A", new ExpectedOutcome.NoSuchName());
    }

    @Test
    void hiddenObjectsHaveNoExpectations() {
        Visibility lab = Visibility.ofNamespaces(Set.of("lab"));
        assertThat(outcomes(expectations(ZoneSettings.DEFAULTS, lab, SHOP, WEB)))
                .containsOnlyKeys("dns-version.cluster.local. TXT", "no-such-name.cluster.local. A");
    }

    @Test
    void theUnusedAddressIsInTheZoneAndHasNoName() {
        ZoneSettings settings = ZoneSettings.builder()
                .reverseZones(ReverseZone.parse("192.0.2.0/30"))
                .build();
        List<ClusterObject> objects = new ArrayList<>(List.of(SHOP));
        for (int last = 1; last <= 3; last++) {
            objects.add(
                    ClusterIpService.of("shop", "s" + last, List.of(IpAddress.parse("192.0.2." + last)), List.of()));
        }
        assertThat(outcomes(expectations(settings, Visibility.ALL, objects.toArray(ClusterObject[]::new))))
                .containsEntry("0.2.0.192.in-addr.arpa. PTR", new ExpectedOutcome.NoSuchName())
                .doesNotContainKey("4.2.0.192.in-addr.arpa. PTR");
        objects.add(ClusterIpService.of("shop", "s0", List.of(IpAddress.parse("192.0.2.0")), List.of()));
        assertThat(outcomes(expectations(settings, Visibility.ALL, objects.toArray(ClusterObject[]::new)))
                        .values())
                .filteredOn(outcome -> outcome instanceof ExpectedOutcome.NoSuchName)
                .as("a full range has no unused address")
                .hasSize(2 + 3 * 4);
    }

    private static Expectation expected(String name, int type, ExpectedOutcome outcome) throws TextParseException {
        return new Expectation(Name.fromString(name), RecordType.of(type), outcome, List.of());
    }

    private static Message response(int rcode, String... answer) throws Exception {
        Message response = new Message(1);
        response.getHeader().setRcode(rcode);
        for (String line : answer) {
            String[] fields = line.split(" ", 3);
            response.addRecord(
                    Record.fromString(
                            Name.fromString(fields[0]), Type.value(fields[1]), DClass.IN, 30, fields[2], Name.root),
                    Section.ANSWER);
        }
        return response;
    }

    @Test
    void orderTtlCasePriorityAndWeightMakeNoDifference() throws Exception {
        assertThat(expected("a.example.", Type.A, records("192.0.2.1", "192.0.2.2"))
                        .difference(response(Rcode.NOERROR, "A.example. A 192.0.2.2", "A.example. A 192.0.2.1")))
                .isEmpty();
        assertThat(expected("a.example.", Type.SRV, records("port 80 at b.example."))
                        .difference(response(Rcode.NOERROR, "a.example. SRV 10 7 80 B.example.")))
                .isEmpty();
        assertThat(expected("a.example.", Type.CNAME, records("b.example."))
                        .difference(response(Rcode.NOERROR, "a.example. CNAME B.EXAMPLE.")))
                .isEmpty();
    }

    private static Optional<String> text(Expectation expectation, Message response) {
        return expectation.difference(response).map(AnswerDifference::toString);
    }

    @Test
    void differencesAreDescribedInWords() throws Exception {
        Expectation two = expected("a.example.", Type.A, records("192.0.2.1", "192.0.2.2"));
        assertThat(text(two, response(Rcode.NOERROR, "a.example. A 192.0.2.1"))).contains("missing 192.0.2.2");
        assertThat(text(
                        two,
                        response(
                                Rcode.NOERROR,
                                "a.example. A 192.0.2.1",
                                "a.example. A 192.0.2.2",
                                "a.example. A 192.0.2.3")))
                .contains("not expected 192.0.2.3");
        assertThat(text(two, response(Rcode.NXDOMAIN))).contains("expected 192.0.2.1, 192.0.2.2, got NXDOMAIN");
        assertThat(text(two, response(Rcode.NOERROR))).contains("expected 192.0.2.1, 192.0.2.2, got no record");
        assertThat(text(two, response(Rcode.NOERROR, "a.example. CNAME b.example.", "b.example. A 192.0.2.1")))
                .contains("expected 192.0.2.1, 192.0.2.2, got CNAME b.example., A 192.0.2.1");
        assertThat(text(two, response(Rcode.SERVFAIL, "a.example. A 192.0.2.1", "a.example. A 192.0.2.2")))
                .contains("expected 192.0.2.1, 192.0.2.2, got SERVFAIL with 192.0.2.1, 192.0.2.2");
        Message cut = response(Rcode.NOERROR, "a.example. A 192.0.2.1");
        cut.getHeader().setFlag(Flags.TC);
        assertThat(text(two, cut)).contains("missing 192.0.2.2; truncated (TC is set)");
        Message twice = response(Rcode.NOERROR, "a.example. A 192.0.2.1", "a.example. A 192.0.2.2");
        twice.addRecord(new ARecord(two.name(), DClass.IN, 7, InetAddress.getByName("192.0.2.1")), Section.ANSWER);
        assertThat(text(two, twice)).contains("more than once 192.0.2.1");
        Message chaos = response(Rcode.NOERROR, "a.example. A 192.0.2.1");
        chaos.addRecord(new ARecord(two.name(), DClass.CH, 30, InetAddress.getByName("192.0.2.2")), Section.ANSWER);
        assertThat(text(two, chaos)).contains("missing 192.0.2.2; class CH of 192.0.2.2");
        Expectation none = expected("a.example.", Type.AAAA, new ExpectedOutcome.NoData());
        assertThat(text(none, response(Rcode.NOERROR))).isEmpty();
        assertThat(text(none, response(Rcode.NXDOMAIN))).contains("expected no record (NODATA), got NXDOMAIN");
        assertThat(text(none, response(Rcode.NOERROR, "a.example. AAAA 2001:db8:0:0:0:0:0:1")))
                .contains("expected no record (NODATA), got 2001:db8::1");
        Expectation gone = expected("a.example.", Type.A, new ExpectedOutcome.NoSuchName());
        assertThat(text(gone, response(Rcode.NXDOMAIN))).isEmpty();
        assertThat(text(gone, response(Rcode.NOERROR))).contains("expected NXDOMAIN, got no record");
    }

    @Test
    void aDifferenceHasTheRecordsThatItsTextOnlyCounts() throws Exception {
        String[] data = IntStream.range(0, 9).mapToObj(i -> "192.0.2." + i).toArray(String[]::new);
        AnswerDifference one = expected("a.example.", Type.A, records(data))
                .difference(response(Rcode.NOERROR, "a.example. A 192.0.2.8", "a.example. A 192.0.2.9"))
                .orElseThrow();
        assertThat(one.rcode()).hasValue(Rcode.NOERROR);
        assertThat(one.missing()).containsExactly(Arrays.copyOf(data, 8));
        assertThat(one.data()).containsExactly("192.0.2.8", "192.0.2.9");
        assertThat(one.text(text -> text + "!"))
                .isEqualTo("missing 192.0.2.0!, 192.0.2.1!, 192.0.2.2!, 192.0.2.3!, 192.0.2.4! and 3 more;"
                        + " not expected 192.0.2.9");
        AnswerDifference none = expected("a.example.", Type.A, new ExpectedOutcome.NoData())
                .difference(response(Rcode.NXDOMAIN))
                .orElseThrow();
        assertThat(none.missing()).isEmpty();
        assertThat(none.text(text -> text + "!")).isEqualTo("expected no record (NODATA)!, got NXDOMAIN");
    }

    @Test
    void questionHasEdnsAndRequestsRecursion() throws Exception {
        Message query =
                expected("a.example.", Type.SRV, new ExpectedOutcome.NoData()).query(4711);
        assertThat(query.getHeader().getID()).isEqualTo(4711);
        assertThat(query.getHeader().getFlag(Flags.RD)).isTrue();
        assertThat(query.getOPT().getPayloadSize()).isEqualTo(1232);
        assertThat(query.getQuestion().getType()).isEqualTo(Type.SRV);
    }
}
