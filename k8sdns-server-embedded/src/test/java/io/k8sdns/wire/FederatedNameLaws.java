package io.k8sdns.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.autopath.AutopathResolver;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.federation.KubeDnsFederations;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.SmallClusters;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.statistics.Statistics;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/** With the federations of kube-dns only missing names below a federation leave the fast path, and both paths answer alike. */
class FederatedNameLaws {
    private static final String LONGEST_LABEL = "f".repeat(63);
    private static final DnsLabels OUTSIDE = DnsLabels.parse("fed.example.com");

    /** Successive settings: federations named like a namespace or a Service, and federations without names. */
    private static final List<Map<String, DnsLabels>> FEDERATIONS = List.of(
            Map.of(),
            Map.of("myfed", OUTSIDE),
            Map.of("shop", OUTSIDE, "prod", DnsLabels.of(LONGEST_LABEL, LONGEST_LABEL, LONGEST_LABEL)),
            Map.of("myfed", OUTSIDE, "svc", OUTSIDE, "web", OUTSIDE),
            Map.of("", OUTSIDE, "my.fed", OUTSIDE, LONGEST_LABEL, OUTSIDE, LONGEST_LABEL + "f", OUTSIDE));

    /** The label with the control character ends in the bytes of the label {@code myfed}. */
    private static final List<String> LABELS = List.of(
            "web",
            "web",
            "shop",
            "shop",
            "myfed",
            "svc",
            "prod",
            "web-0",
            "_http",
            "_tcp",
            "other",
            "192-0-2-1",
            "my.fed",
            "x\5myfed",
            "\0",
            LONGEST_LABEL);

    /** The labels between a random label and the zone. */
    private static final List<List<String>> ENDS = List.of(
            List.of("myfed", "svc"),
            List.of("myfed", "svc"),
            List.of("shop", "svc"),
            List.of("svc", "svc"),
            List.of(LONGEST_LABEL, "svc"),
            List.of("x\5myfed", "svc"),
            List.of("myfed", "pod"),
            List.of("svc"),
            List.of());

    private static final List<Integer> TYPES = List.of(
            Type.A, Type.A, Type.AAAA, Type.SRV, Type.TXT, Type.CNAME, Type.PTR, Type.ANY, Type.SOA, Type.HTTPS, 65280);

    private static final List<Client> CLIENTS = List.of(Exchange.UDP, Exchange.UDP, Exchange.TCP);

    private final Random random = new Random();
    private Map<String, DnsLabels> federations = Map.of();

    @Property(tries = 1000)
    void onlyMissingNamesBelowAFederationLeaveTheFastPath(
            @ForAll("snapshots") ClusterSnapshot snapshot, @ForAll("zones") List<DnsLabels> zones, @ForAll long seed) {
        random.setSeed(seed);
        ZoneSettings settings = ZoneSettings.builder().zones(zones).build();
        ResolverChain chain = ResolverChain.of(ClusterZone.of(snapshot, new RecordRules(settings), Visibility.ALL))
                .withUpstream((question, client) -> new Resolution.Ready(Answer.failure(Rcode.NXDOMAIN)));
        boolean autopath = once(4);
        DnsResolver federated = federated(chain, zones.get(0));
        DnsResolver resolver = autopath ? autopath(federated, zones) : federated;
        DnsResponder fast = DnsResponder.builder(resolver).build();
        DnsResponder slow = DnsResponder.builder(resolver).slowPathOnly().build();
        DnsResponder without =
                DnsResponder.builder(autopath ? autopath(chain, zones) : chain).build();
        for (int i = 0; i < 12; i++) {
            federations = once(3) ? of(FEDERATIONS) : federations;
            byte[] query = query(name(once(4) ? of(zones) : zones.get(0)));
            Client client = of(CLIENTS);
            long fastBefore = fast.slowPathCount();
            long withoutBefore = without.slowPathCount();

            String answer = Exchange.of(fast, client, query).hex();

            String asked = HexFormat.ofDelimiter(" ").formatHex(query);
            assertThat(answer)
                    .as(asked)
                    .isEqualTo(Exchange.of(slow, client, query).hex());
            Message message = Exchange.of(without, client, query).message();
            boolean left = fast.slowPathCount() > fastBefore && without.slowPathCount() == withoutBefore;
            if (left) {
                assertThat(message.getRcode())
                        .as("a name that exists left the fast path: %s", asked)
                        .isEqualTo(Rcode.NXDOMAIN);
                assertThat(isBelowAFederation(message, zones.get(0)))
                        .as("an ordinary missing name left the fast path: %s", asked)
                        .isTrue();
            }
            boolean kept = fast.slowPathCount() == fastBefore && message.getRcode() == Rcode.NXDOMAIN;
            Statistics.label("kind").collect(left ? "left" : kept ? "kept" : "other");
        }
        Statistics.label("kind")
                .coverage(coverage -> Stream.of("left", "kept", "other")
                        .forEach(kind -> coverage.check(kind).percentage(share -> share > 4)));
    }

    private DnsResolver federated(DnsResolver chain, DnsLabels domain) {
        boolean isReady = once(2);
        boolean isPlaced = !once(5);
        return KubeDnsFederations.builder(chain, domain)
                .federations(() -> federations)
                .readyServices((namespace, service) -> isReady && service.equals("web"))
                .topology(() -> isPlaced ? Optional.of(DnsLabels.of("a", "europe")) : Optional.empty())
                .build();
    }

    /** In the modes that leave missing names on the fast path. */
    private static DnsResolver autopath(DnsResolver inner, List<DnsLabels> zones) {
        return AutopathResolver.builder(inner, zones)
                .byName()
                .byOption((Client client) -> true)
                .build();
    }

    private boolean isBelowAFederation(Message message, DnsLabels domain) {
        byte[] wire = message.getQuestion().getName().toWire();
        DnsLabels head =
                DnsLabels.ofWire(wire, 0, wire.length - 1).below(domain).orElse(DnsLabels.EMPTY);
        return head.count() >= 2
                && head.foldedLabel(head.count() - 1).equals("svc")
                && federations.containsKey(head.foldedLabel(head.count() - 2));
    }

    /** Returns a name in wire format with letters of random case; it may be too long. */
    private byte[] name(DnsLabels zone) {
        ByteArrayOutputStream name = new ByteArrayOutputStream();
        for (int labels = random.nextInt(6); labels > 0; labels--) {
            label(name, of(LABELS));
        }
        of(ENDS).forEach(label -> label(name, label));
        name.writeBytes(zone.toWire());
        name.write(0);
        byte[] wire = name.toByteArray();
        if (once(2)) {
            for (int i = 0; i < wire.length; i++) {
                if (wire[i] >= 'a' && wire[i] <= 'z' && once(2)) {
                    wire[i] = (byte) (wire[i] - 32);
                }
            }
        }
        return wire;
    }

    private static void label(ByteArrayOutputStream name, String label) {
        name.write(label.length());
        name.writeBytes(label.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Returns a query for a name; one in sixteen has a wrong byte after the header. */
    private byte[] query(byte[] name) {
        Packet packet = new Packet()
                .id(random.nextInt(0x10000))
                .flags(Packet.RD)
                .count(0, 1)
                .raw(name)
                .number(of(TYPES))
                .number(once(16) ? DClass.CH : DClass.IN);
        byte[] query = (once(2) ? packet.opt(1232, 0, once(2) ? Packet.DO : 0) : packet).bytes();
        if (once(16)) {
            query[12 + random.nextInt(query.length - 12)] = (byte) random.nextInt(0x100);
        }
        return query;
    }

    private boolean once(int in) {
        return random.nextInt(in) == 0;
    }

    private <T> T of(List<T> some) {
        return some.get(random.nextInt(some.size()));
    }

    @Provide
    Arbitrary<ClusterSnapshot> snapshots() {
        return SmallClusters.snapshots();
    }

    /** Includes zones within the domain of federated names, and a domain too long for some federations. */
    @Provide
    Arbitrary<List<DnsLabels>> zones() {
        return Arbitraries.of(
                        List.of("cluster.local"),
                        List.of("cluster.local", "example"),
                        List.of("cluster.local", "svc.cluster.local"),
                        List.of("cluster.local", "myfed.svc.cluster.local"),
                        List.of("cluster.local", "shop.myfed.svc.cluster.local"),
                        List.of(("x".repeat(63) + ".").repeat(3) + "y".repeat(35)))
                .map(texts -> texts.stream().map(DnsLabels::parse).toList());
    }
}
