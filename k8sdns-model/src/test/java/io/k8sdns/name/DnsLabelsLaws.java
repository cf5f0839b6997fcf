package io.k8sdns.name;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class DnsLabelsLaws {
    private static final Pattern HOST_NAME =
            Pattern.compile("LABEL(\\.LABEL)*\\.?".replace("LABEL", "[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?"));

    @Property
    void formattedLabelsParseToEqualLabels(@ForAll("labels") DnsLabels labels) {
        assertThat(DnsLabels.parse(labels.toString())).hasToString(labels.toString());
        assertThat(DnsLabels.parse(labels + ".")).isEqualTo(labels);
        assertThat(DnsLabels.ofWire(labels.toWire(), 0, labels.wireLength())).isEqualTo(labels);
    }

    @Property
    void labelsHaveTheCanonicalOrderOfDns(@ForAll("labels") DnsLabels one, @ForAll("labels") DnsLabels other) {
        assertThat(Integer.signum(one.compareTo(other))).isEqualTo(Integer.signum(plainOrder(one, other)));
        assertThat(one.compareTo(other) == 0).isEqualTo(one.equals(other));
        if (one.equals(other)) {
            assertThat(one).hasSameHashCodeAs(other);
        }
    }

    /** Compares as in RFC 4034, 6.1: labels from the right, in lower case, as left-justified byte strings. */
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

    @Property
    void textOfValidLabelsIsAHostName(@ForAll("hostLikeTexts") String text) {
        if (HOST_NAME.matcher(text).matches()) {
            assertThat(DnsLabels.parseHostName(text)).isEqualTo(DnsLabels.parse(text));
        } else {
            assertThatExceptionOfType(InvalidNameException.class)
                    .isThrownBy(() -> DnsLabels.parseHostName(text))
                    .withMessageContaining(text);
        }
    }

    @Property
    void labelsAreAHostNameIfTheirTextIsAHostName(@ForAll("labels") DnsLabels labels) {
        if (HOST_NAME.matcher(labels.toString()).matches()) {
            assertThat(labels.requireHostName()).isSameAs(labels);
        } else {
            assertThatExceptionOfType(InvalidNameException.class).isThrownBy(labels::requireHostName);
        }
    }

    @Provide
    Arbitrary<String> hostLikeTexts() {
        return Arbitraries.oneOf(
                Arbitraries.strings().withChars("aZ9-.").ofMaxLength(6),
                Arbitraries.strings().withChars("aZ9-._ /\\\t\u0131\u00e9").ofMaxLength(8),
                Arbitraries.of(
                        "cluster local/x", "cluster.local", "k8s.example.", "\\097", "a".repeat(63), "a".repeat(64)));
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
