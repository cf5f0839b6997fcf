package io.k8sdns.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.Protocol;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/** Tests that a packed array returns all facts that were put into it, for any number of each kind. */
class NameDataLaws {
    private static final RecordRules RULES = new RecordRules(ZoneSettings.DEFAULTS);
    private static final DnsLabels SERVICE = DnsLabels.of("web", "shop", "svc");
    private static final List<DnsLabels> NAMES = List.of(
            DnsLabels.EMPTY,
            SERVICE,
            SERVICE.prepend("web-0"),
            SERVICE.prepend("_tcp").prepend("_http"));

    private static final DnsLabels ROOMY = DnsLabels.of("cluster", "local");

    /** A zone below which some targets are too long. */
    private static final DnsLabels TIGHT = DnsLabels.of("z".repeat(63), "y".repeat(63), "x".repeat(63), "w".repeat(20));

    /** Many facts of all kinds at one name, more than objects define, and the expected data. */
    private static final class Many {
        final List<Fact> facts = new ArrayList<>();
        final TreeSet<IpAddress> addresses = new TreeSet<>();
        final TreeSet<NameData.Srv> srvs = new TreeSet<>();
        final TreeSet<DnsLabels> ptrTargets = new TreeSet<>();
        final TreeSet<DnsLabels> services = new TreeSet<>();
        final TreeSet<String> namespaces = new TreeSet<>();
        Optional<DnsLabels> alias = Optional.empty();
        Optional<NameData.Text> text = Optional.empty();
        int pairs;

        Many(OwnerName owner, Random random, int most) {
            OwnerName.Reverse reverse = new OwnerName.Reverse(IpAddress.parse("192.0.2.1"));
            for (int i = upTo(random, most); i > 0; i--) {
                IpAddress address = random.nextBoolean()
                        ? IpAddress.ofIpv4(random.nextInt())
                        : IpAddress.ofIpv6(i, random.nextLong());
                addresses.add(address);
                facts.add(new Fact.Address(owner, address));
            }
            for (int i = upTo(random, most); i > 0; i--) {
                DnsLabels target = target(random);
                int port = 1 + random.nextInt(65_535);
                srvs.add(new NameData.Srv(port, target));
                pairs++;
                facts.add(
                        new Fact.Srv(owner, EndpointPort.of("http", Protocol.TCP, port), target, IpAddress.ofIpv4(i)));
            }
            for (int i = upTo(random, most); i > 0; i--) {
                DnsLabels target = target(random);
                ptrTargets.add(target);
                facts.add(new Fact.PtrCandidate(reverse, PtrRank.ENDPOINT, target));
            }
            for (int i = upTo(random, most); i > 0; i--) {
                DnsLabels service = target(random);
                services.add(service);
                facts.add(new Fact.EndpointAddress(reverse, service));
                String namespace = "ns-" + random.nextInt(most + 1);
                namespaces.add(namespace);
                facts.add(new Fact.PodAddress(reverse, namespace));
            }
            if (random.nextInt(3) == 0) {
                alias = Optional.of(target(random));
                facts.add(new Fact.Alias(owner, alias.get()));
            }
            if (random.nextInt(3) == 0) {
                text = Optional.of(
                        new NameData.Text("t".repeat(random.nextInt(256)), random.nextInt(Integer.MAX_VALUE)));
                facts.add(new Fact.Text(owner, text.get().text(), text.get().ttlSeconds()));
            }
        }

        private static int upTo(Random random, int most) {
            return random.nextBoolean() ? 0 : random.nextInt(most + 1);
        }

        private static DnsLabels target(Random random) {
            return switch (random.nextInt(8)) {
                case 0 -> NAMES.get(1 + random.nextInt(NAMES.size() - 1));
                case 1 -> DnsLabels.of("Web", "shop", "svc");
                case 2 -> DnsLabels.of("x" + random.nextInt(9));
                case 3 -> longName(random.nextInt(100));
                case 4 -> longerName(random.nextInt(100));
                default -> SERVICE.prepend("pod-" + random.nextInt(10_000));
            };
        }
    }

    @Property(tries = 100)
    void everyFactIsDecoded(
            @ForAll long seed,
            @ForAll @IntRange(min = 0, max = 400) int most,
            @ForAll @IntRange(min = 0, max = 4) int at) {
        Random random = new Random(seed);
        OwnerName owner = at < NAMES.size()
                ? new OwnerName.Forward(NAMES.get(at))
                : new OwnerName.Reverse(IpAddress.parse("192.0.2.1"));
        Many many = new Many(owner, random, most);
        NameData data = NameData.ofPacked(RULES.assemble(owner, many.facts).packed());

        assertThat(data.addresses()).containsExactlyElementsOf(many.addresses);
        assertThat(data.addressCount(IpFamily.IPV4) + data.addressCount(IpFamily.IPV6))
                .isEqualTo(many.addresses.size());
        assertThat(data.srvs()).containsExactlyElementsOf(many.srvs);
        assertThat(data.srvCount()).isEqualTo(many.srvs.size());
        assertThat(data.srvWeight()).isEqualTo(many.pairs == 0 ? 0 : Math.max(1, 100 / many.pairs));
        assertThat(spelled(data.ptrTargets())).isEqualTo(spelled(many.ptrTargets));
        assertThat(data.hasPtrTargets()).isEqualTo(!many.ptrTargets.isEmpty());
        assertThat(data.publishedBy()).containsExactlyElementsOf(many.services);
        assertThat(data.podNamespaces()).containsExactlyElementsOf(many.namespaces);
        assertThat(data.alias()).isEqualTo(many.alias);
        assertThat(data.text()).isEqualTo(many.text);
        for (int type : List.of(Type.A, Type.AAAA, Type.SRV, Type.PTR, Type.CNAME, Type.TXT, Type.MX)) {
            StoredName stored = new StoredName();
            stored.moveTo(data.packed());
            assertThat(stored.has(type)).isEqualTo(data.has(type));
        }
        if (owner instanceof OwnerName.Forward forward) {
            assertThat(data.firstName()).isEqualTo(forward.labels());
        }
    }

    @Property(tries = 100)
    void addressesBecomeTheRecordsThatTheyAreOneByOne(@ForAll long seed, @ForAll @IntRange(min = 1, max = 40) int most)
            throws UnknownHostException {
        Random random = new Random(seed);
        TreeSet<IpAddress> addresses = new TreeSet<>();
        for (int i = random.nextInt(most); i >= 0; i--) {
            addresses.add(address(random, most));
        }
        NameData data = made(SERVICE, addresses, List.of());
        for (IpFamily family : IpFamily.values()) {
            int type = family == IpFamily.IPV4 ? Type.A : Type.AAAA;
            List<Record> records = new ArrayList<>();
            for (IpAddress address : addresses) {
                if (address.family() == family) {
                    InetAddress inet = InetAddress.getByAddress(address.bytes());
                    records.add(
                            type == Type.A
                                    ? new ARecord(Name.root, DClass.IN, 5, inet)
                                    : new AAAARecord(Name.root, DClass.IN, 5, inet));
                }
            }
            Collections.shuffle(records, random);
            assertThat(data.in(SERVICE).recordSet(type, Name.root, 5))
                    .isEqualTo(
                            records.isEmpty()
                                    ? Optional.empty()
                                    : Optional.of(new RecordSet(Name.root, RecordType.of(type), 5, records)));
        }
    }

    @Property(tries = 600)
    void editedDataEqualTheSameDataMadeAtOnce(@ForAll long seed, @ForAll @IntRange(min = 1, max = 1_000) int most) {
        Random random = new Random(seed);
        boolean siblings = random.nextBoolean();
        DnsLabels name = NAMES.get(random.nextInt(NAMES.size()));
        TreeSet<IpAddress> addresses = new TreeSet<>();
        TreeSet<NameData.Srv> srvs = new TreeSet<>();
        for (int i = random.nextInt(most); i > 0; i--) {
            addresses.add(address(random, most));
            srvs.add(siblings ? sibling(random, most) : srv(random, most));
        }
        NameData data = made(name, addresses, srvs);
        for (int step = 0; step < 8; step++) {
            TreeMap<IpAddress, Boolean> addressEdits = new TreeMap<>();
            TreeMap<NameData.Srv, Boolean> srvEdits = new TreeMap<>();
            for (int i = random.nextInt(random.nextBoolean() ? 4 : most); i > 0; i--) {
                addressEdits.put(address(random, most), random.nextBoolean());
                NameData.Srv srv = !srvs.isEmpty() && random.nextInt(4) == 0
                        ? random.nextBoolean() ? srvs.first() : srvs.last()
                        : siblings ? sibling(random, most) : srv(random, most);
                srvEdits.put(srv, random.nextBoolean());
            }
            edit(addresses, addressEdits);
            edit(srvs, srvEdits);
            data = new NameDataEditor(data).edit(addressEdits, srvEdits, srvs.size());
            assertThat(data).isEqualTo(made(name, addresses, srvs));
            assertThat(data.addresses()).containsExactlyElementsOf(addresses);
            assertThat(data.srvs()).containsExactlyElementsOf(srvs);
            assertThat(data.srvWeight()).isEqualTo(srvs.isEmpty() ? 0 : Math.max(1, 100 / srvs.size()));
        }
    }

    /** The endpoints of one Service, some of which get another address and keep their SRV record. */
    @Property(tries = 300)
    void anEditEqualsAllFactsAssembled(@ForAll long seed, @ForAll @IntRange(min = 1, max = 400) int most) {
        Random random = new Random(seed);
        OwnerName owner = new OwnerName.Forward(SERVICE);
        TreeMap<Integer, List<Fact>> endpoints = new TreeMap<>();
        int addresses = 0;
        NameData data = RULES.assemble(owner, List.of());
        for (int step = 0; step < 8; step++) {
            List<Fact> added = new ArrayList<>();
            List<Fact> removed = new ArrayList<>();
            Set<Integer> changed = new TreeSet<>();
            for (int i = random.nextInt(random.nextBoolean() ? 4 : most); i >= 0; i--) {
                changed.add(random.nextInt(most + 1));
            }
            for (int number : changed) {
                List<Fact> before = endpoints.remove(number);
                removed.addAll(before == null ? List.of() : before);
                if (before == null || random.nextBoolean()) {
                    IpAddress address = IpAddress.ofIpv4(addresses++);
                    List<Fact> now = List.of(
                            new Fact.Address(owner, address),
                            new Fact.Srv(
                                    owner,
                                    EndpointPort.of("http", Protocol.TCP, 80),
                                    SERVICE.prepend("web-" + number),
                                    address));
                    endpoints.put(number, now);
                    added.addAll(now);
                }
            }
            data = RULES.edit(data, added, removed);
            List<Fact> all = endpoints.values().stream().flatMap(List::stream).toList();
            assertThat(owned(data)).isEqualTo(owned(RULES.assemble(owner, all)));
            assertThat(data.addressCount(IpFamily.IPV4)).isEqualTo(endpoints.size());
            assertThat(data.srvCount()).isEqualTo(endpoints.size());
        }
    }

    /** The runs of records that edits make short are joined. */
    @Example
    void aNameDoesNotGrowByEdits() {
        TreeSet<NameData.Srv> srvs = new TreeSet<>();
        for (int i = 0; i < 2_000; i++) {
            srvs.add(new NameData.Srv(80, SERVICE.prepend("web-" + i)));
        }
        NameData data = made(SERVICE, List.of(), srvs);
        for (NameData.Srv srv : List.copyOf(srvs)) {
            boolean stays = srv.target().label(0).endsWith("7");
            if (!stays) {
                srvs.remove(srv);
                data = new NameDataEditor(data).edit(new TreeMap<>(), new TreeMap<>(Map.of(srv, false)), srvs.size());
            }
        }
        assertThat(srvs).hasSize(200);
        byte[] atOnce = made(SERVICE, List.of(), srvs).packed();
        assertThat(data.packed()).hasSizeLessThan(atOnce.length * 3 / 2);
    }

    private static <T> void edit(Set<T> all, Map<T, Boolean> edits) {
        edits.forEach((one, isThere) -> {
            if (isThere) {
                all.add(one);
            } else {
                all.remove(one);
            }
        });
    }

    /** An SRV record of the endpoints of one Service. */
    private static NameData.Srv sibling(Random random, int most) {
        int number = random.nextInt(most + 1);
        String label = random.nextInt(50) == 0 ? "pod" : "web-" + (random.nextInt(9) == 0 ? "" : "7-") + number;
        return new NameData.Srv(random.nextInt(8) == 0 ? 443 : 80, SERVICE.prepend(label));
    }

    /**
     * Data of one name or of two names are equal exactly if all their values are equal; records are equal exactly if all
     * record sets are equal. The second data differ in a few facts, or only in the number of ports that share a weight.
     */
    @Property(tries = 1000)
    void dataAreEqualExactlyIfTheyOwnTheSame(@ForAll long seed, @ForAll @IntRange(min = 1, max = 6) int most) {
        Random random = new Random(seed);
        OwnerName owner = new OwnerName.Forward(NAMES.get(1 + random.nextInt(NAMES.size() - 1)));
        OwnerName other = random.nextBoolean() ? owner : new OwnerName.Forward(NAMES.get(random.nextInt(NAMES.size())));
        List<Fact> facts = inLowerCase(new Many(owner, random, most).facts);
        List<Fact> others = new ArrayList<>(facts);
        for (int i = random.nextInt(3); i > 0 && !others.isEmpty(); i--) {
            others.remove(random.nextInt(others.size()));
        }
        if (random.nextInt(4) == 0) {
            others.addAll(inLowerCase(new Many(owner, random, 2).facts));
        }
        for (int i = random.nextInt(3) * random.nextInt(60); i > 0 && !others.isEmpty(); i--) {
            if (others.get(random.nextInt(others.size())) instanceof Fact.Srv srv) {
                others.add(new Fact.Srv(owner, srv.port(), srv.target(), IpAddress.ofIpv6(2, i)));
            }
        }
        NameData mine = RULES.assemble(owner, facts);
        NameData theirs = RULES.assemble(other, others);
        boolean same = owned(mine).equals(owned(theirs));
        assertThat(mine.equals(theirs)).isEqualTo(same);
        assertThat(theirs.equals(mine)).isEqualTo(same);
        if (same) {
            assertThat(mine).hasSameHashCodeAs(theirs).hasToString(theirs.toString());
        }
        DnsLabels zone = random.nextBoolean() ? ROOMY : TIGHT;
        boolean sameRecords =
                mine.in(zone).recordSets(Name.root, 5).equals(theirs.in(zone).recordSets(Name.root, 5));
        assertThat(mine.in(zone).areSameAs(theirs.in(zone))).isEqualTo(sameRecords);
        assertThat(mine.in(zone).areSameAs(mine.in(zone))).isTrue();
        assertThat(NameData.ABSENT.in(zone).areSameAs(mine.in(zone)))
                .isEqualTo(mine.in(zone).recordSets(Name.root, 5).isEmpty());
    }

    /** Two spellings of a target are the same name, but different bytes. */
    private static List<Fact> inLowerCase(List<Fact> facts) {
        return facts.stream().filter(fact -> !fact.toString().contains("Web")).toList();
    }

    /** Returns all values that a name owns. */
    private static List<Object> owned(NameData data) {
        return List.of(
                data.addresses(),
                data.srvWeight(),
                data.srvs(),
                data.ptrTargets(),
                data.alias(),
                data.text(),
                data.publishedBy(),
                data.podNamespaces());
    }

    /** Names with a common prefix of more than 31 bytes. */
    private static DnsLabels longName(int number) {
        return SERVICE.prepend("web-of-a-deployment-with-a-long-name-" + number);
    }

    /** Names with a common prefix of more than 127 bytes. */
    private static DnsLabels longerName(int number) {
        return DnsLabels.of("a".repeat(63), "b".repeat(63), "c" + number, "svc");
    }

    private static IpAddress address(Random random, int most) {
        int number = random.nextInt(most + 1);
        return random.nextInt(4) == 0 ? IpAddress.ofIpv6(1, number) : IpAddress.ofIpv4(number);
    }

    private static NameData.Srv srv(Random random, int most) {
        int number = random.nextInt(most + 1);
        DnsLabels target = switch (number % 16) {
            case 0 -> NAMES.get(1 + number % (NAMES.size() - 1));
            case 1 -> DnsLabels.of("there-" + number, "svc");
            case 2, 3, 4 -> longName(number);
            case 5, 6, 7 -> longerName(number);
            default -> SERVICE.prepend("web-" + number);
        };
        return new NameData.Srv(random.nextInt(8) == 0 ? 443 : 80, target);
    }

    /** Assembles facts in which each SRV record has its own address. */
    private static NameData made(DnsLabels name, Collection<IpAddress> addresses, Collection<NameData.Srv> srvs) {
        OwnerName owner = new OwnerName.Forward(name);
        List<Fact> facts = new ArrayList<>();
        addresses.forEach(address -> facts.add(new Fact.Address(owner, address)));
        for (NameData.Srv srv : srvs) {
            facts.add(new Fact.Srv(
                    owner,
                    EndpointPort.of("http", Protocol.TCP, srv.port()),
                    srv.target(),
                    IpAddress.ofIpv4(facts.size())));
        }
        return RULES.assemble(owner, facts);
    }

    /** A name may be stored as a suffix of another name; its own spelling must be preserved. */
    private static List<String> spelled(Collection<DnsLabels> names) {
        return names.stream().map(DnsLabels::toString).toList();
    }
}
