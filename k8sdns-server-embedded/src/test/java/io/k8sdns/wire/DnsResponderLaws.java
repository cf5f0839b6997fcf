package io.k8sdns.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.AddressType;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.zone.ClusterZone;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** For every question and size, dnsjava reads the resolver's answer from the responder's message. */
class DnsResponderLaws {
    private static final List<DnsLabels> ZONES =
            List.of(DnsLabels.parse("cluster.local"), DnsLabels.parse("corp.example.test"));

    private static final List<String> SERVICES = List.of("a", "b", "c");

    /** The transport, header and OPT record of a query. */
    record TestClient(boolean tcp, int id, boolean rd, boolean dnssecOk, Optional<Integer> payload, int udpLimit) {
        Client client() {
            return tcp ? Exchange.TCP : Exchange.UDP;
        }

        int limit() {
            return tcp ? 65535 : Math.max(512, Math.min(payload.orElse(512), udpLimit));
        }

        byte[] query(Name name, int type) {
            Packet packet = Packet.query(name.toString(), type).id(id).flags(rd ? Packet.RD : 0);
            payload.ifPresent(size -> packet.opt(size, 0, dnssecOk ? Packet.DO : 0));
            return packet.bytes();
        }
    }

    @Property(tries = 400)
    void theMessageIsTheAnswer(
            @ForAll("clusters") List<ClusterObject> objects,
            @ForAll("names") List<String> names,
            @ForAll("types") List<Integer> types,
            @ForAll("reverseZones") List<ReverseZone> reverseZones,
            @ForAll("clients") TestClient testClient) {
        ZoneSettings settings =
                ZoneSettings.builder().zones(ZONES).reverseZones(reverseZones).build();
        ResolverChain chain = ResolverChain.of(
                ClusterZone.of(ClusterSnapshot.of(objects), new RecordRules(settings), Visibility.ALL));
        DnsResponder responder =
                DnsResponder.builder(chain).udpLimit(testClient.udpLimit()).build();
        DnsResponder onSlowPath = DnsResponder.builder(chain)
                .udpLimit(testClient.udpLimit())
                .slowPathOnly()
                .build();
        DnsResponder ofWholeAnswers = DnsResponder.builder(
                        (question, client) -> chain.resolve(question, Client.IN_PROCESS))
                .udpLimit(testClient.udpLimit())
                .build();
        for (String text : names) {
            Name name = Name.fromConstantString(text);
            for (int type : types) {
                Resolution.Ready plain =
                        (Resolution.Ready) chain.resolve(Question.of(name, RecordType.of(type)), Client.IN_PROCESS);
                byte[] query = testClient.query(name, type);
                Exchange exchange = Exchange.of(responder, testClient.client(), query);

                check(plain.answer(), testClient, exchange);
                assertThat(exchange.hex())
                        .as("the slow path")
                        .isEqualTo(Exchange.of(onSlowPath, testClient.client(), query)
                                .hex());
                assertThat(exchange.hex())
                        .as("no record is omitted that the response could hold")
                        .isEqualTo(Exchange.of(ofWholeAnswers, testClient.client(), query)
                                .hex());
                assertSpelledAsInTheQuestion(name, exchange.message());
                byte[] whole = Exchange.of(responder, Exchange.TCP, query).bytes();
                if (whole.length <= testClient.limit()) {
                    assertThat(exchange.bytes()).isEqualTo(whole);
                }
                // dnsjava compresses every name that may be compressed.
                assertThat(exchange.bytes().length)
                        .isLessThanOrEqualTo(exchange.message().toWire().length);
            }
        }
    }

    private static void check(Answer plain, TestClient testClient, Exchange exchange) {
        Message message = exchange.message();
        assertThat(exchange.bytes().length).isLessThanOrEqualTo(testClient.limit());
        assertThat(message.getHeader().getID()).isEqualTo(testClient.id());
        assertThat(message.getRcode()).isEqualTo(plain.rcode());
        assertThat(message.getHeader().getFlag(Flags.AA)).isEqualTo(plain.authoritative());
        assertThat(message.getHeader().getFlag(Flags.RD)).isEqualTo(testClient.rd());
        assertThat(message.getOPT() != null).isEqualTo(testClient.payload().isPresent());

        List<Record> answer = inOrder(plain.answer(), testClient.id());
        List<Record> written = message.getSection(Section.ANSWER);
        same(written, answer.subList(0, written.size()));
        boolean cut = written.size() < answer.size();
        assertThat(message.getHeader().getFlag(Flags.TC)).isEqualTo(cut);
        same(message.getSection(Section.AUTHORITY), cut ? List.of() : records(plain.authority()));

        List<Record> additional = message.getSection(Section.ADDITIONAL).stream()
                .filter(one -> one.getType() != Type.OPT)
                .toList();
        List<List<Record>> prefixes = new ArrayList<>();
        for (int sets = 0; sets <= (cut ? 0 : plain.additional().size()); sets++) {
            prefixes.add(records(plain.additional().subList(0, sets)));
        }
        List<Record> expected = prefixes.stream()
                .filter(prefix -> prefix.size() == additional.size())
                .findFirst()
                .orElseThrow(() -> new AssertionError("a set was cut: " + message));
        same(additional, expected);
    }

    /** Checks that the question, and every owner equal to it, has the letter case of the query (0x20). */
    private static void assertSpelledAsInTheQuestion(Name asked, Message message) {
        assertThat(message.getQuestion().getName().toString()).isEqualTo(asked.toString());
        assertThat(message.getSection(Section.ANSWER))
                .filteredOn(one -> one.getName().equals(asked))
                .allSatisfy(one -> assertThat(one.getName().toString()).isEqualTo(asked.toString()));
    }

    private static void same(List<Record> written, List<Record> expected) {
        assertThat(written).isEqualTo(expected);
        assertThat(written.stream().map(Record::getTTL))
                .isEqualTo(expected.stream().map(Record::getTTL).toList());
    }

    private static List<Record> records(List<RecordSet> sets) {
        return sets.stream().flatMap(set -> set.records().stream()).toList();
    }

    private static List<Record> inOrder(List<RecordSet> sets, int id) {
        List<Record> records = new ArrayList<>();
        for (int i = 0; i < sets.size(); i++) {
            RecordSet set = sets.get(i);
            List<Record> own = new ArrayList<>(set.records());
            if (i == sets.size() - 1 && (set.typeNumber() == Type.A || set.typeNumber() == Type.AAAA)) {
                Collections.rotate(own, -id % own.size());
            }
            records.addAll(own);
        }
        return records;
    }

    // ---- clusters, questions, clients

    @Provide
    Arbitrary<List<ClusterObject>> clusters() {
        List<Arbitrary<List<ClusterObject>>> services =
                SERVICES.stream().map(DnsResponderLaws::service).toList();
        return Combinators.combine(services)
                .as(all -> Stream.concat(
                                Stream.of(Namespace.of("n")), all.stream().flatMap(List::stream))
                        .toList());
    }

    private static Arbitrary<List<ClusterObject>> service(String name) {
        Arbitrary<List<ClusterObject>> nothing = Arbitraries.just(List.of());
        return Arbitraries.frequencyOf(
                Tuple.of(2, clusterIp(name)),
                Tuple.of(4, headless(name)),
                Tuple.of(2, external(name)),
                Tuple.of(1, nothing));
    }

    private static Arbitrary<List<ClusterObject>> clusterIp(String name) {
        return Combinators.combine(
                        Arbitraries.subsetOf("10.96.0.1", "fd00::1").map(List::copyOf),
                        Arbitraries.subsetOf("p", "q").map(List::copyOf))
                .as((addresses, ports) -> List.of(ClusterIpService.of(
                        "n",
                        name,
                        addresses.stream().map(IpAddress::parse).toList(),
                        ports.stream()
                                .map(port -> ServicePort.of(port, Protocol.TCP, 80 + port.charAt(0)))
                                .toList())));
    }

    private static Arbitrary<List<ClusterObject>> headless(String name) {
        return Combinators.combine(
                        Arbitraries.oneOf(
                                Arbitraries.integers().between(0, 3),
                                Arbitraries.integers().between(4, 25),
                                Arbitraries.integers().between(26, 120)),
                        Arbitraries.of(AddressType.IPV4, AddressType.IPV6),
                        Arbitraries.of(0, 1, 3, 1000))
                .as((count, family, hostnames) -> List.of(
                        HeadlessService.of("n", name, ServicePort.of("p", Protocol.TCP, 1)),
                        EndpointSlice.builder("n", name + "-1")
                                .service(name)
                                .addressType(family)
                                .endpoints(IntStream.range(0, count)
                                        .mapToObj(i -> endpoint(family, i, hostnames))
                                        .toList())
                                .ports(EndpointPort.of("p", Protocol.TCP, 1))
                                .build()));
    }

    /** Returns an endpoint with one of the hostnames, which endpoints share; without a hostname if there are none. */
    private static Endpoint endpoint(AddressType family, int number, int hostnames) {
        Endpoint endpoint = Endpoint.of((family == AddressType.IPV4 ? "10.244.0." : "fd00:10::") + number);
        return hostnames == 0 ? endpoint : endpoint.withHostname("h" + number % hostnames);
    }

    private static Arbitrary<List<ClusterObject>> external(String name) {
        return Arbitraries.of(
                        "a.n.svc.cluster.local",
                        "B.N.svc.Cluster.Local",
                        "c.n.svc.corp.example.test",
                        "nobody.n.svc.cluster.local",
                        "www.example.com",
                        "1.0.96.10.in-addr.arpa")
                .map(target -> List.of(ExternalNameService.of("n", name, target)));
    }

    @Provide
    Arbitrary<List<String>> names() {
        Arbitrary<String> below = Arbitraries.frequency(
                Tuple.of(4, ""),
                Tuple.of(4, "_p._tcp."),
                Tuple.of(1, "_q._tcp."),
                Tuple.of(1, "_tcp."),
                Tuple.of(1, "h0."),
                Tuple.of(1, "10-244-0-1."),
                Tuple.of(1, "x.y."),
                Tuple.of(1, "\\.."));
        Arbitrary<String> service = Combinators.combine(
                        below, Arbitraries.of(SERVICES), Arbitraries.of("cluster.local.", "corp.example.test."))
                .as((prefix, name, zone) -> prefix + name + ".n.svc." + zone);
        Arbitrary<String> other = Arbitraries.of(
                "cluster.local.",
                "svc.cluster.local.",
                "nobody.n.svc.cluster.local.",
                "dns-version.corp.example.test.",
                "10-244-0-1.n.pod.cluster.local.",
                "1.0.96.10.in-addr.arpa.",
                "0.244.10.in-addr.arpa.",
                "1.0.244.10.in-addr.arpa.",
                "in-addr.arpa.",
                "www.example.com.",
                ".");
        Arbitrary<String> reverse = ReverseNames.near(
                        Arbitraries.of("10.96.0.1", "10.96.0.2", "10.244.0.1", "10.244.0.40", "fd00::1", "fd00:10::3")
                                .map(IpAddress::parse))
                .map(name -> name + ".");
        return Arbitraries.frequencyOf(Tuple.of(6, service), Tuple.of(2, other), Tuple.of(1, reverse))
                .flatMap(name -> Arbitraries.of(name, name.toUpperCase(Locale.ROOT), mixed(name)))
                .list()
                .ofMinSize(1)
                .ofMaxSize(6);
    }

    private static String mixed(String name) {
        StringBuilder mixed = new StringBuilder(name);
        for (int i = 0; i < name.length(); i += 3) {
            mixed.setCharAt(i, Character.toUpperCase(name.charAt(i)));
        }
        return mixed.toString();
    }

    /** All reverse zones, and some partial ones. */
    @Provide
    Arbitrary<List<ReverseZone>> reverseZones() {
        return Arbitraries.of(
                        List.of("in-addr.arpa", "ip6.arpa"),
                        List.of("10.96.0.0/31", "10.244.0.0/27", "fd00::1/128", "fd00:10::/126"),
                        List.of("in-addr.arpa", "10.96.0.1/32", "fd00::/8"))
                .map(texts -> texts.stream()
                        .flatMap(text -> ReverseZone.parse(text).stream())
                        .toList());
    }

    @Provide
    Arbitrary<List<Integer>> types() {
        return Arbitraries.frequency(
                        Tuple.of(4, Type.A),
                        Tuple.of(4, Type.AAAA),
                        Tuple.of(4, Type.SRV),
                        Tuple.of(1, Type.PTR),
                        Tuple.of(1, Type.CNAME),
                        Tuple.of(1, Type.TXT),
                        Tuple.of(1, Type.SOA),
                        Tuple.of(1, Type.NS),
                        Tuple.of(1, Type.ANY),
                        Tuple.of(1, Type.HTTPS),
                        Tuple.of(1, 65280))
                .set()
                .ofMinSize(1)
                .ofMaxSize(4)
                .map(List::copyOf);
    }

    @Provide
    Arbitrary<TestClient> clients() {
        return Combinators.combine(
                        Arbitraries.frequency(Tuple.of(1, true), Tuple.of(5, false)),
                        Arbitraries.integers().between(0, 65535),
                        Arbitraries.of(true, false),
                        Arbitraries.of(true, false),
                        Arbitraries.oneOf(
                                        Arbitraries.integers().between(0, 2000),
                                        Arbitraries.integers().between(0, 65535))
                                .optional(0.8),
                        Arbitraries.integers().between(512, 2000))
                .as(TestClient::new);
    }
}
