package io.k8sdns.zone;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.rules.Fact;
import io.k8sdns.rules.NameData;
import io.k8sdns.rules.OwnerName;
import io.k8sdns.rules.PtrRank;
import io.k8sdns.rules.RecordRules;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;

/** Compares both tables with maps of the JDK. The tables are large enough to grow, split and shrink many times. */
class TableLaws {
    private static final RecordRules RULES = new RecordRules(ZoneSettings.DEFAULTS);
    private static final Publisher PUBLISHER = new Publisher.FixedNames();

    /** Returns the packed form of a name with an address; a new array each time. */
    private static byte[] packed(DnsLabels name) {
        OwnerName owner = new OwnerName.Forward(name);
        return RULES.assemble(owner, List.of(new Fact.Address(owner, IpAddress.parse("192.0.2.1"))))
                .packed();
    }

    private static byte[] packed(IpAddress address, boolean hasReverseName) {
        OwnerName.Reverse owner = new OwnerName.Reverse(address);
        Fact fact = new Fact.PtrCandidate(owner, PtrRank.HOSTNAME, DnsLabels.of("web-0", "web", "shop", "svc"));
        return RULES.assemble(owner, hasReverseName ? List.of(fact) : List.of()).packed();
    }

    private static boolean hasReverseName(byte[] packed) {
        return NameData.ofPacked(packed).hasPtrTargets();
    }

    /** Returns a factor for the size of a table; one table in eight may have several pages, or three levels. */
    private static int times(Random random) {
        return random.nextInt(8) == 0 ? 20 : 1;
    }

    private static byte @Nullable [] packed(@Nullable NameEntry entry) {
        return entry == null ? null : entry.packed();
    }

    @Property(tries = 60)
    void namesAreStoredLikeInAMap(
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 40) int batches,
            @ForAll @IntRange(min = 1, max = 2000) int some) {
        Random random = new Random(seed);
        int times = times(random);
        int universe = some * times;
        NameTable table = NameTable.EMPTY;
        NameTable.Editor edit = table.edit();
        Map<DnsLabels, byte[]> model = new HashMap<>();
        List<NameTable> tables = new ArrayList<>();
        List<Map<DnsLabels, byte[]>> models = new ArrayList<>();
        for (int batch = 0; batch < batches; batch++) {
            tables.add(table);
            models.add(Map.copyOf(model));
            if (random.nextInt(3) > 0) {
                edit = table.edit();
            }
            boolean shrinking = random.nextInt(3) == 0;
            for (int i = 0; i < 100 * times; i++) {
                DnsLabels name = DnsLabels.of("n" + random.nextInt(universe), "svc");
                if (random.nextInt(10) < (shrinking ? 8 : 2)) {
                    edit.remove(name);
                    model.remove(name);
                } else {
                    byte[] packed = packed(name);
                    edit.put(name, packed, PUBLISHER);
                    model.put(name, packed);
                }
                assertThat(packed(edit.get(name))).isSameAs(model.get(name));
            }
            table = edit.build();
        }
        tables.add(table);
        models.add(model);
        for (int i = 0; i < tables.size(); i++) {
            assertThat(contents(tables.get(i))).isEqualTo(models.get(i));
            assertThat(tables.get(i).size()).isEqualTo(models.get(i).size());
            for (int n = 0; n < universe; n++) {
                DnsLabels name = DnsLabels.of("N" + n, "SVC");
                byte[] wire = name.toWire();
                byte[] stored = models.get(i).get(name);
                assertThat(tables.get(i).get(name)).isSameAs(stored);
                assertThat(tables.get(i).get(wire, 0, wire.length)).isSameAs(stored);
            }
        }
    }

    private static Map<DnsLabels, byte[]> contents(NameTable table) {
        Map<DnsLabels, byte[]> contents = new HashMap<>();
        table.forEach(
                packed -> assertThat(contents.put(NameData.ofPacked(packed).firstName(), packed))
                        .isNull());
        return contents;
    }

    @Property(tries = 60)
    void addressesAreStoredLikeInASortedMap(
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 40) int batches,
            @ForAll @IntRange(min = 1, max = 3000) int some) {
        Random random = new Random(seed);
        int times = times(random);
        int universe = some * times;
        AddressTable table = AddressTable.EMPTY;
        AddressTable.Editor edit = table.edit();
        TreeMap<IpAddress, byte[]> model = new TreeMap<>();
        List<AddressTable> tables = new ArrayList<>();
        List<TreeMap<IpAddress, byte[]>> models = new ArrayList<>();
        int reverseNamesIn10 = random.nextInt(11);
        for (int batch = 0; batch < batches; batch++) {
            tables.add(table);
            models.add(new TreeMap<>(model));
            if (random.nextInt(3) > 0) {
                edit = table.edit();
            }
            boolean shrinking = random.nextInt(3) == 0;
            // Consecutive addresses, so that whole nodes are added and removed.
            boolean inOrder = random.nextInt(3) == 0;
            int start = random.nextInt(universe);
            int removed = inOrder ? shrinking ? 10 : 0 : shrinking ? 8 : 2;
            for (int i = 0; i < 100 * times; i++) {
                IpAddress address = address((inOrder ? start + i : random.nextInt(universe)) % universe);
                if (random.nextInt(10) < removed) {
                    edit.remove(address);
                    model.remove(address);
                } else {
                    byte[] packed = packed(address, random.nextInt(10) < reverseNamesIn10);
                    edit.put(address, packed, PUBLISHER);
                    model.put(address, packed);
                }
                assertThat(packed(edit.get(address))).isSameAs(model.get(address));
            }
            table = edit.build();
        }
        tables.add(table);
        models.add(model);
        for (int i = 0; i < tables.size(); i++) {
            TreeMap<IpAddress, byte[]> expected = models.get(i);
            List<IpAddress> keys = new ArrayList<>();
            tables.get(i).forEach((address, packed) -> {
                keys.add(address);
                assertThat(packed).isSameAs(expected.get(address));
            });
            assertThat(keys).isEqualTo(List.copyOf(expected.keySet()));
            assertThat(tables.get(i).size()).isEqualTo(expected.size());
            for (int n = 0; n < universe; n++) {
                assertThat(tables.get(i).get(address(n))).isSameAs(expected.get(address(n)));
            }
            for (String text : List.of(
                    "0.0.0.0/0",
                    "192.0.0.0/16",
                    "192.0.0.0/24",
                    "192.0.3.0/24",
                    "192.0.9.0/24",
                    "193.0.0.0/8",
                    "::/0",
                    "64.0.3.0/24",
                    "64.0.64.0/18",
                    "2001:db8:0:0:4000::/124",
                    "2001:db8:0:1:4000::20/124",
                    "2001:db8:0:2:c000::200/120",
                    "2001:db8:0:3::/64",
                    "2001:db9::/32")) {
                IpNetwork network = IpNetwork.parse(text);
                boolean has = expected.entrySet().stream()
                        .anyMatch(entry -> network.contains(entry.getKey()) && hasReverseName(entry.getValue()));
                assertThat(tables.get(i).hasReverseNameIn(network)).as(text).isEqualTo(has);
            }
        }
    }

    /** Random changes rarely empty the first leaf of a node, use its range again, and then merge it with the previous node. */
    @Example
    void nodesWithAChangedFirstAddressMerge() {
        AddressTable.Editor edit = AddressTable.EMPTY.edit();
        TreeMap<IpAddress, byte[]> model = new TreeMap<>();
        int leaf = 64;
        int node = 64 * leaf;
        put(edit, model, 0, 4 * node);
        remove(edit, model, node, node + leaf);
        put(edit, model, node + leaf / 2, node + leaf / 2 + 1);
        remove(edit, model, node + node / 2, 2 * node);
        remove(edit, model, 0, node - node / 4);
        List<IpAddress> keys = new ArrayList<>();
        edit.build().forEach((address, packed) -> {
            keys.add(address);
            assertThat(packed(edit.get(address))).isSameAs(packed);
        });
        assertThat(keys).isEqualTo(List.copyOf(model.keySet()));
        model.forEach((address, packed) -> assertThat(packed(edit.get(address))).isSameAs(packed));
    }

    private static void put(AddressTable.Editor edit, Map<IpAddress, byte[]> model, int from, int end) {
        for (int i = from; i < end; i++) {
            IpAddress address = IpAddress.ofIpv4(i);
            byte[] packed = packed(address, true);
            edit.put(address, packed, PUBLISHER);
            model.put(address, packed);
        }
    }

    private static void remove(AddressTable.Editor edit, Map<IpAddress, byte[]> model, int from, int end) {
        for (int i = from; i < end; i++) {
            IpAddress address = IpAddress.ofIpv4(i);
            edit.remove(address);
            model.remove(address);
        }
    }

    private static IpAddress address(int number) {
        // Half of the addresses have the sign bit; IPv6 addresses differ in one or both halves.
        int network = (number >> 1 & 1) == 0 ? 64 : 192;
        byte[] bytes = number % 2 == 0
                ? new byte[] {(byte) network, 0, (byte) (number >> 8), (byte) number}
                : new byte[] {
                    0x20,
                    1,
                    0x0D,
                    (byte) 0xB8,
                    0,
                    0,
                    0,
                    (byte) (number >> 2 & 3),
                    (byte) network,
                    0,
                    0,
                    0,
                    0,
                    0,
                    (byte) (number >> 8),
                    (byte) number
                };
        return IpAddress.ofBytes(bytes);
    }
}
