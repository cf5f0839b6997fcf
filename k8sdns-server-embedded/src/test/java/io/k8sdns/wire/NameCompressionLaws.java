package io.k8sdns.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.name.DnsLabels;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** For all hashes, a suffix is found at its own offset, and never at the offset of another suffix. */
class NameCompressionLaws {
    /** The choice of a suffix's hash: that of {@link NameCompression}, or one that many suffixes share. */
    private enum Hashing {
        ITS_OWN,
        NUMBER_OF_LABELS,
        ALWAYS_0,
        ALWAYS_THE_LAST_SLOT,
        FEW;

        int of(int labels, int hash) {
            return switch (this) {
                case ITS_OWN -> hash;
                case NUMBER_OF_LABELS -> labels;
                case ALWAYS_0 -> 0;
                case ALWAYS_THE_LAST_SLOT -> 0xFFFF;
                case FEW -> hash & 3;
            };
        }
    }

    @Property(tries = 400)
    void everySuffixIsFoundAtItsOffset(
            @ForAll("hashings") Hashing hashing,
            @ForAll("begins") int begin,
            @ForAll @Size(min = 1, max = 40) List<@From("names") DnsLabels> names) {
        NameCompression table = new NameCompression();
        byte[] message = new byte[begin + 40 * 256];
        Map<String, Integer> places = new HashMap<>();
        int end = begin;
        for (DnsLabels name : names) {
            byte[] wire = Arrays.copyOf(name.toWire(), name.wireLength() + 1);
            int[] starts = starts(wire, name.count());
            int first = 0;
            while (first < name.count() && !places.containsKey(suffix(name, first))) {
                assertThat(table.find(message, hash(hashing, wire, starts, first), wire, starts[first]))
                        .as("%s, which the message does not contain", name.skip(first))
                        .isZero();
                first++;
            }
            for (int i = first; i < name.count(); i++) {
                assertThat(table.find(message, hash(hashing, wire, starts, i), wire, starts[i]))
                        .as("%s", name.skip(i))
                        .isEqualTo(places.getOrDefault(suffix(name, i), 0));
            }
            System.arraycopy(wire, 0, message, end, starts[first]);
            for (int i = 0; i < first; i++) {
                table.add(hash(hashing, wire, starts, i), end + starts[i]);
                if (end + starts[i] <= 0x3FFF) {
                    places.put(suffix(name, i), end + starts[i]);
                }
            }
            end += starts[first];
            if (first == name.count()) {
                message[end++] = 0;
            } else {
                int target = Objects.requireNonNull(places.get(suffix(name, first)));
                message[end++] = (byte) (0xC0 | target >>> 8);
                message[end++] = (byte) target;
            }
        }
    }

    @Test
    void onlyOffsetsWithinTheReachOfAPointerAreKept() {
        byte[] message = new byte[0x4100];
        byte[] name = {1, 'a', 0};
        for (int offset : new int[] {0x3FFE, 0x3FFF, 0x4000, 0x4001}) {
            NameCompression table = new NameCompression();
            System.arraycopy(name, 0, message, offset, name.length);
            table.add(7, offset);
            assertThat(table.find(message, 7, name, 0)).isEqualTo(offset <= 0x3FFF ? offset : 0);
        }
    }

    /** Otherwise a message of many names would cost the square of their number. */
    @Test
    void namesOfPodsRarelyShareAHash() {
        long hashes = IntStream.range(0, 4096)
                .map(i -> {
                    byte[] name = new byte[] {6, 'w', '-', 0, 0, 0, 0};
                    byte[] digits = String.format(Locale.ROOT, "%04d", i).getBytes(StandardCharsets.US_ASCII);
                    System.arraycopy(digits, 0, name, 3, 4);
                    return NameCompression.hash(name, 0, 12345);
                })
                .distinct()
                .count();
        assertThat(hashes).isGreaterThan(3500);
    }

    /** The labels from the first to the root, without regard to case. */
    private static String suffix(DnsLabels name, int first) {
        return name.skip(first).toString().toLowerCase(Locale.ROOT);
    }

    /** Returns the offset of each label, and of the root label. */
    private static int[] starts(byte[] wire, int count) {
        int[] starts = new int[count + 1];
        for (int i = 0; i < count; i++) {
            starts[i + 1] = starts[i] + 1 + wire[starts[i]];
        }
        return starts;
    }

    private static int hash(Hashing hashing, byte[] wire, int[] starts, int first) {
        int hash = 0;
        for (int i = starts.length - 2; i >= first; i--) {
            hash = NameCompression.hash(wire, starts[i], hash);
        }
        return hashing.of(starts.length - 1 - first, hash);
    }

    @Provide
    Arbitrary<Hashing> hashings() {
        return Arbitraries.of(Hashing.class);
    }

    /** The offset of the first name: anywhere within the reach of a pointer, and shortly before its end. */
    @Provide
    Arbitrary<Integer> begins() {
        return Arbitraries.oneOf(
                Arbitraries.integers().between(12, 600), Arbitraries.integers().between(0x3F00, 0x3FFF));
    }

    /** Some share their hash: an and c0. Labels of one letter, and of the letters around A and Z. */
    @Provide
    Arbitrary<DnsLabels> names() {
        return Arbitraries.of(
                        "an", "c0", "AN", "C0", "a", "A", "z", "Z", "@", "[", "`", "{", "ab", "abc", "x".repeat(63))
                .list()
                .ofMinSize(1)
                .ofMaxSize(4)
                .filter(labels ->
                        labels.stream().filter(label -> label.length() == 63).count() < 4)
                .map(labels -> DnsLabels.of(labels.toArray(String[]::new)));
    }
}
