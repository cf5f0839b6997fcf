package io.k8sdns.wire;

import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.schema.NameSchema;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/**
 * Names below {@code in-addr.arpa} and {@code ip6.arpa}: those of addresses, and malformed ones that differ from such a name
 * in a label or two, in the number of labels, or in the family.
 */
final class ReverseNames {
    /** Labels that are not an octet or not a nibble, and some that are either or both. */
    private static final List<String> ODD_LABELS = List.of(
            "0",
            "1",
            "9",
            "10",
            "99",
            "255",
            "256",
            "257",
            "260",
            "300",
            "999",
            "1000",
            "0256",
            "65537",
            "00",
            "000",
            "01",
            "001",
            "a",
            "F",
            "f",
            "g",
            "G",
            "x",
            "fe",
            "0x1",
            "+1",
            "-1",
            "1-",
            "/",
            ":",
            "@",
            "`",
            "0/25",
            "\u0000",
            "\u00b2",
            "\u00e9",
            "4294967297");

    private ReverseNames() {}

    /** Returns the reverse name of an address. */
    static DnsLabels of(IpAddress address) {
        return NameSchema.reverseName(address);
    }

    /** Returns names of these addresses: unchanged, changed, and below the other family's zone. */
    static Arbitrary<DnsLabels> near(Arbitrary<IpAddress> addresses) {
        Arbitrary<Integer> otherFamily = Arbitraries.frequency(Tuple.of(4, 0), Tuple.of(1, 1));
        return Combinators.combine(addresses, changes().list().ofMaxSize(2), otherFamily)
                .as((address, changes, other) -> {
                    DnsLabels name = of(address);
                    List<String> labels = new ArrayList<>();
                    for (int i = 0; i < name.count() - 2; i++) {
                        labels.add(name.label(i));
                    }
                    changes.forEach(change -> change.apply(labels));
                    boolean ipv4 = address.isIpv4() == (other == 0);
                    return DnsLabels.of(labels.toArray(String[]::new))
                            .append(DnsLabels.of(ipv4 ? "in-addr" : "ip6", "arpa"));
                });
    }

    private interface Change {
        void apply(List<String> labels);
    }

    private static Arbitrary<Change> changes() {
        Arbitrary<String> odd = Arbitraries.of(ODD_LABELS);
        Arbitrary<Integer> places = Arbitraries.oneOf(
                Arbitraries.of(0, 1, 3, 15, 16, 31), Arbitraries.integers().between(0, 31));
        Arbitrary<Change> replaced = Combinators.combine(places, odd).as((place, label) -> labels -> {
            if (!labels.isEmpty()) {
                labels.set(place % labels.size(), label);
            }
        });
        Arbitrary<Change> longer = Combinators.combine(
                        places, Arbitraries.of("0", "1", "a", "-"), Arbitraries.of(true, false))
                .as((place, more, before) -> labels -> {
                    if (!labels.isEmpty()) {
                        String label = labels.get(place % labels.size());
                        labels.set(place % labels.size(), before ? more + label : label + more);
                    }
                });
        Arbitrary<Change> added = Combinators.combine(places, odd)
                .as((place, label) -> labels -> labels.add(Math.min(place, labels.size()), label));
        Arbitrary<Change> removed = places.map(place -> labels -> {
            if (!labels.isEmpty()) {
                labels.remove(place % labels.size());
            }
        });
        Arbitrary<Change> cut = places.map(count ->
                labels -> labels.subList(0, Math.min(count, labels.size())).clear());
        return Arbitraries.oneOf(replaced, longer, added, removed, cut);
    }
}
