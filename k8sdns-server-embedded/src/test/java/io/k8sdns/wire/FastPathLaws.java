package io.k8sdns.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.autopath.AutopathResolver;
import io.k8sdns.autopath.SearchPaths;
import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.schema.NameSchema;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.SmallClusters;
import io.k8sdns.zone.ZoneFeed;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.statistics.Statistics;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.SRVRecord;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** The fast path writes the same bytes as the slow path. */
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

    /** Without reverse zones, so that every name is below cluster.local. */
    private static final ZoneSettings ONE_ZONE =
            ZoneSettings.builder().reverseZones(List.of()).build();

    private static final Visibility SHOP_ONLY = Visibility.ofNamespaces(Set.of("shop"));

    private static final List<Integer> COMMON_TYPES = List.of(Type.A, Type.AAAA, Type.PTR, Type.TXT, Type.SRV);

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
            .map(NameSchema::reverseName)
            .toList();

    /** The random decisions for a query. */
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

        /** Decides whether to use an unusual value; half of the queries have none. */
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

    /** The zone changes between questions; each question has a new slow-path responder, which has seen no earlier revision. */
    @Property(tries = 1500)
    void theFastPathWritesWhatTheSlowPathWrites(
            @ForAll("snapshots") ClusterSnapshot snapshot,
            @ForAll("histories") List<ClusterChange> history,
            @ForAll("settings") ZoneSettings settings,
            @ForAll @Size(8) List<@From("names") DnsLabels> names,
            @ForAll long seed) {
        Dice dice = new Dice(seed);
        Optional<DnsResolver> upstream = dice.once(3)
                ? Optional.of((question, client) -> new Resolution.Ready(Answer.failure(3)))
                : Optional.empty();
        SyncState state = dice.once(20) ? SyncState.SYNCING : SyncState.SYNCED;
        ClusterZone zone = ClusterZone.of(snapshot, new RecordRules(settings), Visibility.ALL, dice.bits(30));
        ZoneFeed.builder(zone, InstantSource.system()).build().stateChanged(state);
        Set<DnsLabels> fallthrough = dice.once(3) ? someZones(settings, dice) : Set.of();
        boolean autopath = dice.once(6);
        boolean hidden = dice.once(4);
        Supplier<DnsResponder.Builder> responder = limited(
                () -> {
                    ResolverChain all = hidden ? ResolverChain.of(zone.view(SHOP_ONLY)) : ResolverChain.of(zone);
                    ResolverChain chain = all.withFallthrough(fallthrough);
                    ResolverChain whole = upstream.map(chain::withUpstream).orElse(chain);
                    return autopath ? autopath(whole) : whole;
                },
                dice);
        ObservedMessage.Recorder fastRecorder = new ObservedMessage.Recorder();
        DnsResponder fast = responder.get().observer(fastRecorder).build();
        ObservedMessage.Recorder slowRecorder = new ObservedMessage.Recorder();
        Iterator<ClusterChange> changes = history.iterator();
        DnsSession session = fast.session();
        for (DnsLabels name : names) {
            byte[] query = dice.once(3) ? queryOfARecord(zone, dice) : query(absolute(name, settings, dice), dice);
            boolean tcp = dice.once(4);
            while (changes.hasNext() && dice.once(2)) {
                zone.apply(List.of(changes.next()));
            }
            DnsResponder slow =
                    responder.get().observer(slowRecorder).slowPathOnly().build();
            Exchange expected = Exchange.of(slow, tcp ? Exchange.TCP : Exchange.UDP, query);
            long before = fast.slowPathCount();
            Exchange exchange = new Exchange();
            session.respond(buffer(query, dice), tcp ? Exchange.TCP : Exchange.UDP, exchange);
            boolean isFast = fast.slowPathCount() == before;
            Statistics.label("fast").collect(isFast);
            Statistics.label("fast SRV").collect(isFast && hasSrv(exchange));
            String asked = HexFormat.ofDelimiter(" ").formatHex(query);
            assertThat(exchange.isDropped()).as(asked).isEqualTo(expected.isDropped());
            if (!expected.isDropped()) {
                assertThat(exchange.hex()).as(asked).isEqualTo(expected.hex());
            }
        }
        assertThat(fastRecorder.messages).hasSameSizeAs(names).isEqualTo(slowRecorder.messages);
        Statistics.label("fast").coverage(coverage -> coverage.check(true).percentage(share -> share > 15));
        Statistics.label("fast SRV").coverage(coverage -> coverage.check(true).count(count -> count > 20));
    }

    private static boolean hasSrv(Exchange exchange) {
        return !exchange.isDropped()
                && exchange.message().getSection(Section.ANSWER).stream().anyMatch(SRVRecord.class::isInstance);
    }

    /**
     * Which questions take the fast path: those about our names in well-formed queries, unless the answer is an alias or
     * SRV records of endpoints, comes from the zone's own SOA and NS records, does not fit, or may be expanded.
     */
    @Property(tries = 400)
    void ordinaryQuestionsTakeTheFastPath(
            @ForAll("snapshots") ClusterSnapshot snapshot,
            @ForAll("settings") ZoneSettings settings,
            @ForAll @Size(16) List<@From("names") DnsLabels> names,
            @ForAll long seed) {
        Dice dice = new Dice(seed);
        ClusterZone zone = ClusterZone.of(snapshot, new RecordRules(settings), Visibility.ALL);
        ResolverChain chain = ResolverChain.of(zone);
        boolean autopath = dice.once(2);
        DnsResponder responder = DnsResponder.builder(autopath ? autopath(chain) : chain)
                .order(dice.of(List.of(AnswerOrder.values())))
                .random(random(dice))
                .build();
        for (DnsLabels below : names) {
            byte[] name = dice.once(16) ? longest(below, settings, dice) : absolute(below, settings, dice);
            int type = dice.of(dice.once(4) ? TYPES : COMMON_TYPES);
            if (dice.once(2)) {
                RecordSet there = anyRecordSet(zone, dice);
                name = there.owner().toWire();
                type = dice.once(4) ? type : there.typeNumber();
            }
            Client client = dice.once(2) ? Exchange.TCP : Exchange.UDP;
            byte[] query = wellFormedQuery(name, type, dice);

            long before = responder.slowPathCount();
            Exchange exchange = Exchange.of(responder, client, query);

            Question question =
                    new Question(DnsLabels.ofWire(name, 0, name.length - 1), RecordType.of(type), DClass.IN);
            Resolution.Ready resolved = (Resolution.Ready) chain.resolve(question, Client.IN_PROCESS);
            boolean expanded = autopath
                    && resolved.answer().rcode() == Rcode.NXDOMAIN
                    && zoneOf(question.labels(), settings.zones()).isPresent();
            Optional<String> kind = expanded
                    ? Optional.empty()
                    : ordinary(question, settings, resolved.answer(), exchange.message(), client);
            if (kind.isPresent()) {
                assertThat(responder.slowPathCount())
                        .as(
                                "%s took the slow path: %s",
                                kind.get(), HexFormat.ofDelimiter(" ").formatHex(query))
                        .isEqualTo(before);
            }
            Statistics.label("ordinary").collect(kind.orElse("no"));
        }
        Statistics.label("ordinary")
                .coverage(coverage -> Stream.of("A", "AAAA", "TXT", "PTR", "SRV", "NXDOMAIN", "NOERROR")
                        .forEach(kind -> coverage.check(kind).count(count -> count > 0)));
    }

    /** Returns the kind of an ordinary answer; empty if the answer is not ordinary or does not fit. */
    private static Optional<String> ordinary(
            Question question, ZoneSettings settings, Answer answer, Message message, Client client) {
        if (List.of(Type.SOA, Type.NS, Type.ANY, Type.AXFR, Type.IXFR)
                        .contains(question.type().number())
                || !isInAnOrdinaryZone(question.labels(), settings)) {
            return Optional.empty();
        }
        if (answer.answer().isEmpty()) {
            boolean whole = !message.getSection(Section.AUTHORITY).isEmpty();
            return sharesLabelsWithSoa(question.labels(), settings) || hasNoRoomForTargets(question, settings) || !whole
                    ? Optional.empty()
                    : Optional.of(Rcode.string(answer.rcode()));
        }
        RecordSet only = answer.answer().get(0);
        boolean cut = message.getHeader().getFlag(Flags.TC);
        boolean ordinary = switch (only.typeNumber()) {
            case Type.A, Type.AAAA -> !cut || client.transport() == Client.Transport.UDP;
            case Type.TXT -> !cut;
            case Type.PTR -> !cut && only.records().size() == 1;
            case Type.SRV -> !cut && isOfService(only) && isWhole(answer, message);
            default -> false;
        };
        return ordinary ? Optional.of(only.type().toString()) : Optional.empty();
    }

    /** Returns whether these are the SRV records of a port of a Service with a cluster IP, whose name does not look like an address. */
    private static boolean isOfService(RecordSet srvs) {
        DnsLabels target = DnsNames.labels(((SRVRecord) srvs.records().get(0)).getTarget());
        return srvs.records().size() == 1
                && DnsNames.labels(srvs.owner()).endsWith(target)
                && !looksLikeAnAddress(target.label(0));
    }

    private static boolean isWhole(Answer answer, Message message) {
        int additional = answer.additional().stream()
                .mapToInt(set -> set.records().size())
                .sum();
        return message.getSection(Section.ADDITIONAL).size() == additional + (message.getOPT() == null ? 0 : 1);
    }

    private static boolean looksLikeAnAddress(String label) {
        return label.matches("[0-9A-Fa-f]*(-[0-9A-Fa-f]*){2,}");
    }

    /**
     * Returns whether a name is in a forward zone and not spelled like an address, or is the reverse name of an address, and
     * no zone is below its zone.
     */
    private static boolean isInAnOrdinaryZone(DnsLabels name, ZoneSettings settings) {
        List<DnsLabels> reverse =
                settings.reverseZones().stream().map(ReverseZone::name).toList();
        List<DnsLabels> all =
                Stream.concat(settings.zones().stream(), reverse.stream()).toList();
        Optional<DnsLabels> longest = zoneOf(name, all);
        if (longest.isEmpty()
                || all.stream().anyMatch(other -> !other.equals(longest.get()) && other.endsWith(longest.get()))) {
            return false;
        }
        if (settings.zones().contains(longest.get())) {
            return name.equals(longest.get()) || !looksLikeAnAddress(name.label(0));
        }
        boolean whole = settings.reverseZones().stream()
                .filter(zone -> zone.name().equals(longest.get()))
                .allMatch(zone -> zone.networks()
                        .equals(List.of(NameSchema.parseReverse(longest.get()).orElseThrow())));
        return whole
                && !settings.zones().get(0).endsWith(DnsLabels.of("arpa"))
                && NameSchema.parseReverse(name)
                        .filter(network -> ReverseNames.of(network.base()).equals(name))
                        .isPresent();
    }

    private static Optional<DnsLabels> zoneOf(DnsLabels name, List<DnsLabels> zones) {
        return zones.stream().filter(name::endsWith).max(Comparator.comparingInt(DnsLabels::wireLength));
    }

    /**
     * Returns whether the names in the SOA, {@code ns.dns} and {@code hostmaster} below the zone, are compressed against this
     * question.
     */
    private static boolean sharesLabelsWithSoa(DnsLabels name, ZoneSettings settings) {
        return zoneOf(name, settings.zones())
                .filter(zone -> name.endsWith(zone.prepend("dns")) || name.endsWith(zone.prepend("hostmaster")))
                .isPresent();
    }

    /**
     * Returns whether the targets of SRV records would be too long: the slow path omits such records below a very long zone.
     */
    private static boolean hasNoRoomForTargets(Question question, ZoneSettings settings) {
        return question.type().number() == Type.SRV
                && zoneOf(question.labels(), settings.zones())
                        .filter(zone -> zone.wireLength() > 127)
                        .isPresent();
    }

    private static byte[] wellFormedQuery(byte[] name, int type, Dice dice) {
        Packet packet = new Packet()
                .id(dice.bits(16))
                .flags(dice.bits(11))
                .count(0, 1)
                .raw(name)
                .number(type)
                .number(DClass.IN);
        if (dice.once(2)) {
            packet.opt(dice.bits(16), 0, dice.bits(16), option(dice.of(List.of(-1, 0, 1, 7, 300)), dice));
            return packet.bytes();
        }
        if (dice.once(4)) {
            // An option that makes the query 511, 512 or 513 bytes long.
            int rest = 511 + dice.of(List.of(0, 1, 2)) - (12 + name.length + 4) - 11 - 4;
            packet.opt(dice.bits(16), 0, dice.bits(16), option(rest, dice));
        }
        return packet.bytes();
    }

    /** Returns an option of this length; empty if the length is negative. */
    private static int[] option(int length, Dice dice) {
        if (length < 0) {
            return new int[0];
        }
        int[] option = new int[4 + length];
        option[0] = dice.bits(8);
        option[1] = dice.bits(8);
        option[2] = length >>> 8;
        option[3] = length & 0xFF;
        return option;
    }

    private static Set<DnsLabels> someZones(ZoneSettings settings, Dice dice) {
        return Stream.concat(
                        settings.zones().stream(),
                        settings.reverseZones().stream().map(ReverseZone::name))
                .filter(zone -> dice.once(2))
                .collect(Collectors.toSet());
    }

    /** All modes of autopath, for clients in the namespace {@code shop}. */
    private static DnsResolver autopath(ResolverChain chain) {
        return AutopathResolver.builder(chain)
                .byName()
                .byOption((Client client) -> true)
                .byPod(client -> Optional.of("shop"))
                .build();
    }

    /** Returns builders of responders with equal settings, each with its own resolver. */
    private static Supplier<DnsResponder.Builder> limited(Supplier<DnsResolver> chains, Dice dice) {
        int udpLimit = dice.once(2) ? 1232 : 512 + dice.bits(10);
        AnswerOrder order = dice.of(List.of(AnswerOrder.values()));
        RandomGenerator random = random(dice);
        return () -> DnsResponder.builder(chains.get())
                .udpLimit(udpLimit)
                .order(order)
                .random(random);
    }

    /** A generator without state, so that both paths shuffle in the same way. */
    private static RandomGenerator random(Dice dice) {
        long number = (long) dice.bits(30) << Integer.SIZE;
        return () -> number;
    }

    /** Both paths cut the addresses of a Service at the same place, for every limit. */
    @Property(tries = 300)
    void largeAnswersAreCutAsOnTheSlowPath(
            @ForAll("endpointCounts") int count, @ForAll boolean six, @ForAll long seed) {
        Dice dice = new Dice(seed);
        ResolverChain chain = addresses(count, six);
        int udpLimit = 512 + dice.bits(11);
        AnswerOrder order = dice.of(List.of(AnswerOrder.values()));
        RandomGenerator random = random(dice);
        List<Question> tooLarge = new ArrayList<>();
        DnsResponder fast = DnsResponder.builder(chain)
                .udpLimit(udpLimit)
                .order(order)
                .random(random)
                .tooLarge(tooLarge::add)
                .build();
        List<Question> tooLargeOnTheSlowPath = new ArrayList<>();
        DnsResponder slow = DnsResponder.builder(chain)
                .udpLimit(udpLimit)
                .order(order)
                .random(random)
                .tooLarge(tooLargeOnTheSlowPath::add)
                .slowPathOnly()
                .build();
        int type = six ? Type.AAAA : Type.A;
        byte[] name = absolute(DnsLabels.parse("web.shop.svc"), ONE_ZONE, dice);
        for (int i = 0; i < 5; i++) {
            byte[] query = query(name, dice);
            Client client = dice.once(3) ? Exchange.TCP : Exchange.UDP;
            Exchange expected = Exchange.of(slow, client, query);
            Exchange exchange = Exchange.of(fast, client, query);
            assertThat(exchange.isDropped()).isEqualTo(expected.isDropped());
            if (!expected.isDropped()) {
                assertThat(exchange.hex()).isEqualTo(expected.hex());
            }
        }
        long before = fast.slowPathCount();
        byte[] query = Packet.query("web.shop.svc.cluster.local.", type)
                .id(dice.bits(16))
                .bytes();
        Exchange exchange = Exchange.of(fast, Exchange.UDP, query);
        assertThat(exchange.hex())
                .isEqualTo(Exchange.of(slow, Exchange.UDP, query).hex());
        // Header and question, and 16 or 28 bytes a record.
        int size = 12 + 32 + count * (six ? 28 : 16);
        assertThat((exchange.flags() & 0x0200) != 0).isEqualTo(size > 512);
        assertThat(fast.slowPathCount()).as("slow paths").isEqualTo(before);

        byte[] withOpt =
                Packet.query("web.shop.svc.cluster.local.", type).opt(512, 0, 0).bytes();
        assertThat(Exchange.of(fast, Exchange.TCP, withOpt).hex())
                .isEqualTo(Exchange.of(slow, Exchange.TCP, withOpt).hex());
        tooLarge.clear();
        tooLargeOnTheSlowPath.clear();
        before = fast.slowPathCount();
        Exchange overTcp = Exchange.of(fast, Exchange.TCP, query);
        assertThat(overTcp.hex())
                .isEqualTo(Exchange.of(slow, Exchange.TCP, query).hex());
        assertThat(overTcp.bytes().length).isEqualTo(Math.min(size, 65535 - (65535 - 44) % (six ? 28 : 16)));
        assertThat(fast.slowPathCount()).isEqualTo(size > 65535 ? before + 1 : before);
        assertThat(tooLarge).isEqualTo(tooLargeOnTheSlowPath);
        assertThat(tooLarge.isEmpty()).isEqualTo(size <= 65535);
    }

    /** A few endpoints, or as many as fit in a message over TCP: 2339 of IPv6, 4093 of IPv4. */
    @Provide
    Arbitrary<Integer> endpointCounts() {
        return Arbitraries.frequencyOf(
                Tuple.of(20, Arbitraries.integers().between(1, 300)),
                // About 2048 bytes, the initial size of the response buffer.
                Tuple.of(4, Arbitraries.of(70, 71, 72, 124, 125, 126)),
                Tuple.of(1, Arbitraries.of(2338, 2339, 2340, 4092, 4093, 4094)));
    }

    /** Returns a chain with web.shop, which has this many endpoints. */
    private static ResolverChain addresses(int count, boolean six) {
        List<Endpoint> endpoints = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            endpoints.add(Endpoint.of(
                    six
                            ? IpAddress.parse("2001:db8::" + Integer.toHexString(i + 1))
                            : IpAddress.ofIpv4(0x0A01_0000L + i)));
        }
        ClusterSnapshot snapshot = ClusterSnapshot.of(List.of(
                Namespace.of("shop"),
                HeadlessService.of("shop", "web"),
                EndpointSlice.builder("shop", "web-1")
                        .service("web")
                        .endpoints(endpoints)
                        .build()));
        return ResolverChain.of(ClusterZone.of(snapshot, new RecordRules(ONE_ZONE), Visibility.ALL));
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
        return inSomeCase(Arrays.copyOf(name.toWire(), name.wireLength() + 1), dice);
    }

    private static byte[] inSomeCase(byte[] name, Dice dice) {
        if (dice.once(2)) {
            for (int i = 0; i < name.length; i++) {
                if (name[i] >= 'a' && name[i] <= 'z' && dice.once(2)) {
                    name[i] = (byte) (name[i] - 32);
                }
            }
        }
        return name;
    }

    private static RecordSet anyRecordSet(ClusterZone zone, Dice dice) {
        return dice.of(zone.current().recordSets(dice.of(zone.current().zones())));
    }

    private static byte[] queryOfARecord(ClusterZone zone, Dice dice) {
        RecordSet set = anyRecordSet(zone, dice);
        return query(inSomeCase(set.owner().toWire(), dice), set.typeNumber(), dice);
    }

    /** A name of 255 bytes. */
    private static byte[] longest(DnsLabels below, ZoneSettings settings, Dice dice) {
        byte[] name = absolute(below, settings, dice);
        while (name.length < 255) {
            int more = Math.min(255 - name.length, 64);
            more -= 255 - name.length - more == 1 ? 1 : 0;
            if (more == 1) {
                return name;
            }
            byte[] longer = new byte[name.length + more];
            Arrays.fill(longer, 0, more, (byte) 'x');
            longer[0] = (byte) (more - 1);
            System.arraycopy(name, 0, longer, more, name.length);
            name = longer;
        }
        return name;
    }

    private static byte[] query(byte[] name, Dice dice) {
        return query(name, dice.of(dice.once(2) ? COMMON_TYPES : TYPES), dice);
    }

    private static byte[] query(byte[] name, int type, Dice dice) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes(name);
        dice.roll();
        number(body, type);
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
        byte[] bytes = message.toByteArray();
        if (dice.odd(15)) {
            bytes[dice.bits(16) % bytes.length] = (byte) dice.bits(8);
        }
        return dice.odd(25) ? Arrays.copyOf(bytes, dice.bits(9)) : bytes;
    }

    private static byte[] options(Dice dice) {
        ByteArrayOutputStream options = new ByteArrayOutputStream();
        while (dice.once(2)) {
            int length = dice.odd(10) ? dice.bits(9) : dice.bits(4);
            number(options, dice.once(10) ? SearchPaths.OPTION_CODE : dice.bits(16));
            number(options, dice.odd(20) ? dice.bits(5) : length);
            options.writeBytes(new byte[length]);
        }
        return options.toByteArray();
    }

    private static void number(ByteArrayOutputStream bytes, int value) {
        bytes.write(value >>> 8);
        bytes.write(value);
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
                Tuple.of(2, Arbitraries.of(REVERSE)),
                Tuple.of(2, ReverseNames.near(SmallClusters.addresses())));
    }
}
