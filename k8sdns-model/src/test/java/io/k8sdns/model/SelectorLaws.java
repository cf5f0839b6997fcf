package io.k8sdns.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class SelectorLaws {
    /** A requirement as text, and the equivalent predicate. */
    record Written(String text, Predicate<Map<String, String>> meaning) {}

    @Property
    void formattedSelectorsParseToEqualSelectors(@ForAll("selectors") List<Written> parts) {
        Selector selector = Selector.parse(text(parts));
        assertThat(Selector.parse(selector.toString())).isEqualTo(selector);
        assertThat(Selector.parse(selector.toString())).hasToString(selector.toString());
    }

    @Property
    void aSelectorMatchesIfAllItsRequirementsHold(
            @ForAll("selectors") List<Written> parts, @ForAll("labels") Map<String, String> labels) {
        boolean expected = parts.stream().allMatch(part -> part.meaning().test(labels));
        assertThat(Selector.parse(text(parts)).test(new Labels(labels))).isEqualTo(expected);
    }

    @Property
    void theOrderOfRequirementsDoesNotMatter(@ForAll("selectors") List<Written> parts) {
        List<Written> reversed = new ArrayList<>(parts);
        Collections.reverse(reversed);
        assertThat(Selector.parse(text(reversed))).isEqualTo(Selector.parse(text(parts)));
    }

    @Property
    void anyTextIsASelectorOrRejected(@ForAll("noise") String text) {
        try {
            assertThat(Selector.parse(Selector.parse(text).toString())).isEqualTo(Selector.parse(text));
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageStartingWith("label selector \"" + text + "\", character ");
        }
    }

    private static String text(List<Written> parts) {
        return String.join(",", parts.stream().map(Written::text).toList());
    }

    @Provide
    Arbitrary<List<Written>> selectors() {
        Arbitrary<String> keys = Arbitraries.of("a", "b", "in", "example.com/c");
        Arbitrary<String> values = Arbitraries.of("", "x", "notin", "7", "10", "1.0");
        Arbitrary<Set<String>> sets = values.set().ofMinSize(1).ofMaxSize(3).map(TreeSet::new);
        Arbitrary<Written> requirement = Arbitraries.oneOf(
                keys.map(key -> new Written(key, labels -> labels.containsKey(key))),
                keys.map(key -> new Written(" ! " + key, labels -> !labels.containsKey(key))),
                Combinators.combine(keys, values)
                        .as((key, value) -> new Written(key + " = " + value, labels -> value.equals(labels.get(key)))),
                Combinators.combine(keys, values)
                        .as((key, value) -> new Written(key + "!=" + value, labels -> !value.equals(labels.get(key)))),
                Combinators.combine(keys, sets)
                        .as((key, set) -> new Written(
                                key + " in (" + String.join(", ", set) + ")",
                                labels -> labels.containsKey(key) && set.contains(labels.get(key)))),
                Combinators.combine(keys, sets)
                        .as((key, set) -> new Written(
                                key + " notin(" + String.join(",", set) + ")",
                                labels -> !labels.containsKey(key) || !set.contains(labels.get(key)))),
                keys.map(key -> new Written(
                        key + ">8", labels -> labels.getOrDefault(key, "").equals("10"))),
                keys.map(key -> new Written(
                        key + "<8", labels -> labels.getOrDefault(key, "").equals("7"))));
        return requirement.list().ofMaxSize(4);
    }

    @Provide
    Arbitrary<Map<String, String>> labels() {
        return Arbitraries.maps(
                Arbitraries.of("a", "b", "in", "example.com/c"), Arbitraries.of("", "x", "notin", "7", "10", "1.0"));
    }

    @Provide
    Arbitrary<String> noise() {
        return Arbitraries.of(
                        "a", "b", "in", "notin", "=", "==", "!=", "!", ",", "(", ")", ">", "<", "7", " ", "-", "/")
                .list()
                .ofMaxSize(10)
                .map(tokens -> String.join("", tokens));
    }
}
