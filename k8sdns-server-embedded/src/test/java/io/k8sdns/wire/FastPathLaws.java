package io.k8sdns.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.AddressType;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.Namespace;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import io.k8sdns.name.NameSchema;
import io.k8sdns.records.RecordRules;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.Resolver;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.SmallClusters;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.statistics.Statistics;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Type;

/** The fast path is no second resolver: what it writes, the plain road writes, octet by octet. */
class FastPathLaws {
    private static final List<Integer> TYPES = List.of(
            Type.A,
            Type.A,
            Type.A,
            Type.AAAA,
            Type.AAAA,
            Type.PTR,
            Type.TXT,
            Type.SRV,
            Type.CNAME,
            Type.SOA,
            Type.NS,
            Type.ANY,
            Type.HTTPS,
            Type.MX,
            Type.AXFR,
            Type.IXFR,
            Type.OPT,
            0,
            65280);

    private static final List<Integer> COMMON_TYPES = List.of(Type.A, Type.AAAA, Type.PTR, Type.TXT);

    private static final List<DnsLabels> FIXED = Stream.of(
                    "",
                    "svc",
                    "pod",
                    "dns",
                    "x.dns",
                    "ns.dns",
                    "x.ns.dns",
                    "dns-version",
                    "x.dns-version",
                    "hostmaster",
                    "a.hostmaster",
                    "b.a",
                    "a",
                    "cafe",
                    "a-b.web.shop.svc",
                    "www.example.com.shop.svc",
                    "0.10")
            .map(DnsLabels::parse)
            .toList();

    private static final List<DnsLabels> REVERSE = Stream.of(
                    "192.0.2.1",
                    "192.0.2.2",
                    "192.0.2.130",
                    "198.51.100.7",
                    "192.0.2.77",
                    "2001:db8::1",
                    "2001:db8::2",
                    "2001:db8::",
                    "2001:db8:1::1",
                    "2001:db8:9::9",
                    "0.0.0.0",
                    "::")
            .map(IpAddress::parse)
            .map(one -> NameSchema.formatReverse(new IpNetwork(one, one.isIpv4() ? 32 : 128)))
            .toList();

    /** Of a random number: everything about a query that random bits can decide. */
    private static final class Dice {
        private final Random random;
        private boolean odd;

        Dice(long seed) {
            random = new Random(seed);
        }

        <T> T of(List<T> some) {
            return some.get(random.nextInt(some.size()));
        }

        boolean once(int in) {
            return random.nextInt(in) == 0;
        }

        /** Whether something odd is to happen, as it does in every other query only. */
        boolean odd(int in) {
            return odd && once(in);
        }

        void roll() {
            odd = random.nextBoolean();
        }

        int bits(int count) {
            return random.nextInt(1 << count);
        }
    }

    /** The zone changes between questions; the plain road's responder is always one that knows no other revision. */
    @Property(tries = 1500)
    void theFastPathWritesWhatThePlainRoadWrites(
            @ForAll("snapshots") ClusterSnapshot snapshot,
            @ForAll("histories") List<ClusterChange> history,
            @ForAll("settings") ZoneSettings settings,
            @ForAll @Size(8) List<@From("names") DnsLabels> names,
            @ForAll long seed) {
        Dice dice = new Dice(seed);
        Optional<Resolver> elsewhere = dice.once(3)
                ? Optional.of((question, client) -> new Resolution.Ready(Answer.failure(3, Optional.empty())))
                : Optional.empty();
        SyncState state = dice.once(20) ? SyncState.SYNCING : SyncState.SYNCED;
        ClusterZone zone = ClusterZone.of(snapshot, new RecordRules(settings), Visibility.ALL, dice.bits(30));
        Supplier<DnsResponder.Builder> responder = limited(() -> ResolverChain.of(zone, () -> state, elsewhere), dice);
        Told.Listener fastListener = new Told.Listener();
        DnsResponder fast = responder.get().observer(fastListener).build();
        Told.Listener plainListener = new Told.Listener();
        Iterator<ClusterChange> changes = history.iterator();
        Scratch scratch = new Scratch();
        for (DnsLabels name : names) {
            byte[] query = query(absolute(name, settings, dice), dice);
            boolean tcp = dice.once(4);
            while (changes.hasNext() && dice.once(2)) {
                zone.apply(List.of(changes.next()));
            }
            DnsResponder plain =
                    responder.get().observer(plainListener).plainRoad().build();
            Exchange expected = Exchange.of(plain, tcp ? Exchange.TCP : Exchange.UDP, query);
            long before = fast.plainCount();
            Exchange exchange = new Exchange();
            fast.respond(buffer(query, dice), tcp ? Exchange.TCP : Exchange.UDP, scratch, exchange);
            Statistics.label("fast").collect(fast.plainCount() == before);
            String asked = HexFormat.ofDelimiter(" ").formatHex(query);
            assertThat(exchange.silent()).as(asked).isEqualTo(expected.silent());
            if (!expected.silent()) {
                assertThat(exchange.hex()).as(asked).isEqualTo(expected.hex());
            }
        }
        assertThat(fastListener.told).hasSameSizeAs(names).isEqualTo(plainListener.told);
        Statistics.label("fast").coverage(coverage -> coverage.check(true).percentage(share -> share > 20));
    }

    /** Responders over a chain of their own each, alike in everything else. */
    private static Supplier<DnsResponder.Builder> limited(Supplier<ResolverChain> chains, Dice dice) {
        int udpLimit = dice.once(2) ? 1232 : 512 + dice.bits(10);
        AnswerOrder order = dice.once(3) ? AnswerOrder.STABLE : AnswerOrder.ROTATE;
        return () -> DnsResponder.builder(chains.get()).udpLimit(udpLimit).order(order);
    }

    /** One Service of some addresses, asked for with every limit: what does not fit is cut at the same place. */
    @Property(tries = 400)
    void whatDoesNotFitIsCutAsThePlainRoadCutsIt(@ForAll @IntRange(min = 1, max = 120) int count, @ForAll long seed) {
        Dice dice = new Dice(seed);
        boolean six = dice.once(2);
        List<Endpoint> endpoints = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            endpoints.add(
                    Endpoint.of(IpAddress.parse(six ? "2001:db8::" + Integer.toHexString(i + 1) : "10.1.0." + i)));
        }
        ClusterSnapshot snapshot = ClusterSnapshot.of(List.of(
                Namespace.of("shop"),
                HeadlessService.of("shop", "web", List.of()),
                new EndpointSlice(
                        Metadata.of("shop", "web-1"),
                        Optional.of("web"),
                        six ? AddressType.IPV6 : AddressType.IPV4,
                        endpoints,
                        List.of())));
        ResolverChain chain =
                ResolverChain.of(ClusterZone.of(snapshot, new RecordRules(ZoneSettings.DEFAULTS), Visibility.ALL));
        int udpLimit = 512 + dice.bits(11);
        DnsResponder fast = DnsResponder.builder(chain).udpLimit(udpLimit).build();
        DnsResponder plain =
                DnsResponder.builder(chain).udpLimit(udpLimit).plainRoad().build();
        byte[] name = absolute(DnsLabels.parse("web.shop.svc"), ZoneSettings.DEFAULTS, dice);
        for (int i = 0; i < 5; i++) {
            byte[] query = query(name, dice);
            Exchange expected = Exchange.of(plain, Exchange.UDP, query);
            Exchange exchange = Exchange.of(fast, Exchange.UDP, query);
            assertThat(exchange.silent()).isEqualTo(expected.silent());
            if (!expected.silent()) {
                assertThat(exchange.hex()).isEqualTo(expected.hex());
            }
        }
        byte[] query = Packet.query("web.shop.svc.cluster.local.", six ? Type.AAAA : Type.A)
                .bytes();
        Exchange exchange = Exchange.of(fast, Exchange.UDP, query);
        assertThat(exchange.hex())
                .isEqualTo(Exchange.of(plain, Exchange.UDP, query).hex());
        // 512 octets without an OPT record: header and question, and 16 or 28 a record.
        assertThat((exchange.flags() & 0x0200) != 0).isEqualTo(12 + 32 + count * (six ? 28 : 16) > 512);
        assertThat(fast.plainCount()).as("the fast path was asked").isLessThan(6);
    }

    /** Heap and direct, at an offset. */
    private static ByteBuffer buffer(byte[] query, Dice dice) {
        ByteBuffer buffer =
                dice.once(2) ? ByteBuffer.allocateDirect(query.length + 9) : ByteBuffer.allocate(query.length + 9);
        int at = dice.bits(3);
        buffer.position(at).limit(at + query.length);
        buffer.duplicate().put(query);
        return dice.once(2) ? buffer.asReadOnlyBuffer() : buffer;
    }

    private static byte[] absolute(DnsLabels below, ZoneSettings settings, Dice dice) {
        List<DnsLabels> zones = new ArrayList<>(settings.zones());
        settings.reverseZones().stream().map(ReverseZone::name).forEach(zones::add);
        zones.add(DnsLabels.EMPTY);
        DnsLabels zone = below.endsWith(DnsLabels.of("arpa"))
                ? DnsLabels.EMPTY
                : dice.of(dice.once(4) ? zones : settings.zones());
        DnsLabels name;
        try {
            name = below.append(zone);
        } catch (InvalidNameException tooLong) {
            name = below;
        }
        byte[] wire = Arrays.copyOf(name.toWire(), name.wireLength() + 1);
        if (dice.once(2)) {
            for (int i = 0; i < wire.length; i++) {
                if (wire[i] >= 'a' && wire[i] <= 'z' && dice.once(2)) {
                    wire[i] = (byte) (wire[i] - 32);
                }
            }
        }
        return wire;
    }

    private static byte[] query(byte[] name, Dice dice) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes(name);
        dice.roll();
        number(body, dice.of(dice.once(2) ? COMMON_TYPES : TYPES));
        number(body, dice.odd(20) ? dice.bits(3) : DClass.IN);
        int additional = dice.once(2) ? 1 : 0;
        if (additional == 1) {
            body.write(dice.odd(50) ? 1 : 0);
            number(body, dice.odd(50) ? Type.A : Type.OPT);
            number(body, dice.once(2) ? dice.bits(11) : dice.bits(16));
            body.write(dice.odd(20) ? dice.bits(8) : 0);
            body.write(dice.odd(20) ? dice.bits(8) : 0);
            number(body, dice.once(2) ? 0x8000 : dice.once(4) ? dice.bits(16) : 0);
            byte[] options = options(dice);
            number(body, dice.odd(20) ? dice.bits(5) : options.length);
            body.writeBytes(options);
        }
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        number(message, dice.bits(16));
        number(message, dice.odd(5) ? dice.bits(16) : dice.bits(1) << 8 | dice.bits(2) << 4);
        number(message, dice.odd(30) ? dice.bits(2) : 1);
        number(message, dice.odd(50) ? dice.bits(1) : 0);
        number(message, dice.odd(50) ? dice.bits(1) : 0);
        number(message, dice.odd(30) ? dice.bits(2) : additional);
        message.writeBytes(body.toByteArray());
        byte[] octets = message.toByteArray();
        if (dice.odd(15)) {
            octets[dice.bits(16) % octets.length] = (byte) dice.bits(8);
        }
        return dice.odd(25) ? Arrays.copyOf(octets, dice.bits(9)) : octets;
    }

    private static byte[] options(Dice dice) {
        ByteArrayOutputStream options = new ByteArrayOutputStream();
        while (dice.once(2)) {
            int length = dice.odd(10) ? dice.bits(9) : dice.bits(4);
            number(options, dice.bits(16));
            number(options, dice.odd(20) ? dice.bits(5) : length);
            options.writeBytes(new byte[length]);
        }
        return options.toByteArray();
    }

    private static void number(ByteArrayOutputStream octets, int value) {
        octets.write(value >>> 8);
        octets.write(value);
    }

    @Provide
    Arbitrary<ClusterSnapshot> snapshots() {
        return SmallClusters.snapshots();
    }

    @Provide
    Arbitrary<List<ClusterChange>> histories() {
        return SmallClusters.histories();
    }

    @Provide
    Arbitrary<ZoneSettings> settings() {
        return SmallClusters.settings();
    }

    @Provide
    Arbitrary<DnsLabels> names() {
        return Arbitraries.frequencyOf(
                Tuple.of(6, SmallClusters.names()),
                Tuple.of(2, Arbitraries.of(FIXED)),
                Tuple.of(2, Arbitraries.of(REVERSE)));
    }
}
