package io.k8sdns.name;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class DnsLabelsLaws {
    @Property
    void labelsComeBackFromTextAndWire(@ForAll("labels") DnsLabels labels) {
        assertThat(DnsLabels.parse(labels.toString())).hasToString(labels.toString());
        assertThat(DnsLabels.parse(labels + ".")).isEqualTo(labels);
        assertThat(DnsLabels.ofWire(labels.toWire(), 0, labels.wireLength())).isEqualTo(labels);
    }

    @Property
    void theOrderIsTheCanonicalOneOfNames(@ForAll("labels") DnsLabels one, @ForAll("labels") DnsLabels other) {
        assertThat(Integer.signum(one.compareTo(other))).isEqualTo(Integer.signum(plainOrder(one, other)));
        assertThat(one.compareTo(other) == 0).isEqualTo(one.equals(other));
        if (one.equals(other)) {
            assertThat(one).hasSameHashCodeAs(other);
        }
    }

    /** RFC 4034, 6.1 as it is written: labels from the right, lower-cased, as left-justified octet strings. */
    private static int plainOrder(DnsLabels one, DnsLabels other) {
        for (int i = 1; i <= Math.min(one.count(), other.count()); i++) {
            int difference = lowerCase(one.label(one.count() - i)).compareTo(lowerCase(other.label(other.count() - i)));
            if (difference != 0) {
                return difference;
            }
        }
        return one.count() - other.count();
    }

    private static String lowerCase(String label) {
        StringBuilder text = new StringBuilder();
        label.chars()
                .forEach(c -> text.append(c < 128 ? String.valueOf((char) c).toLowerCase(Locale.ROOT) : (char) c));
        return text.toString();
    }

    @Property
    void aNameIsBelowEveryZoneThatItEndsWith(@ForAll("labels") DnsLabels name, @ForAll("labels") DnsLabels zone) {
        assertThat(name.append(zone).below(zone)).contains(name);
        assertThat(name.append(zone).endsWith(zone)).isTrue();
        assertThat(name.below(zone).isPresent()).isEqualTo(name.endsWith(zone));
        name.below(zone).ifPresent(labels -> assertThat(labels.append(zone)).isEqualTo(name));
    }

    @Provide
    Arbitrary<DnsLabels> labels() {
        Arbitrary<String> label = Arbitraries.oneOf(
                Arbitraries.of("a", "A", "b", "ab", "web", "WEB", "svc", "\u0001a", ".", "\u00e4"),
                Arbitraries.strings()
                        .withCharRange('\0', '\u00FF')
                        .ofMinLength(1)
                        .ofMaxLength(20));
        return label.list().ofMaxSize(5).map(list -> of(list));
    }

    private static DnsLabels of(List<String> labels) {
        return DnsLabels.of(Arrays.copyOf(labels.toArray(), labels.size(), String[].class));
    }
}
