package io.k8sdns.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The relevant cases of {@code k8s.io/apimachinery/pkg/labels}, and its error cases. */
class SelectorTest {
    private static final Labels LABELS =
            new Labels(Map.of("app", "shop", "tier", "front", "size", "10", "empty", "", "example.com/in", "in"));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "  ",
                "app",
                "!other",
                "! other",
                "app=shop",
                "app==shop",
                " app = shop ",
                "app!=bar",
                "other!=bar",
                "app in (shop)",
                "app in(bar,shop)",
                "app notin (bar)",
                "other notin (bar)",
                "tier in (front, back),app=shop,!other",
                "size>9",
                "size<11",
                "empty",
                "empty=",
                "empty=,app",
                "empty in ()",
                "empty in (,a)",
                "empty in (a,)",
                "empty in (a,,b)",
                "app!=",
                "example.com/in in (in,notin)",
                "example.com/in=in",
            })
    void matches(String selector) {
        assertThat(Selector.parse(selector).test(LABELS)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "other",
                "!app",
                "app=bar",
                "other=bar",
                "other=",
                "app!=shop",
                "empty!=",
                "app in (bar,baz)",
                "other in (bar)",
                "app notin (shop,bar)",
                "app=shop,tier=back",
                "size>10",
                "size<10",
                "other<10",
                "app>1",
                "app<1",
                "App",
                "app=Shop",
            })
    void doesNotMatch(String selector) {
        assertThat(Selector.parse(selector).test(LABELS)).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "a,          | 3 | expected a label key, found the end",
                ",a          | 1 | expected a label key, found \",\"",
                "a,,b        | 3 | expected a label key, found \",\"",
                "=a          | 1 | expected a label key, found \"=\"",
                "!           | 2 | expected a label key, found the end",
                "!!a         | 2 | expected a label key, found \"!\"",
                "!a=b        | 3 | expected \",\" or the end, found \"=\"",
                "a b         | 3 | expected an operator (= == != in notin > <), \",\" or the end, found \"b\"",
                "a=b c       | 5 | expected \",\" or the end, found \"c\"",
                "a==b,c=!d   | 8 | expected a label value, found \"!\"",
                "a===b       | 4 | expected a label value, found \"=\"",
                "a in b      | 6 | expected \"(\", found \"b\"",
                "a in        | 5 | expected \"(\", found the end",
                "a in (b     | 8 | expected \",\" or \")\", found the end",
                "a in (b c)  | 9 | expected \",\" or \")\", found \"c\"",
                "a in (b,(c) | 9 | expected a label value, found \"(\"",
                "a)          | 2 | expected an operator (= == != in notin > <), \",\" or the end, found \")\"",
                "a>b         | 3 | not a whole number: \"b\"",
                "a>          | 3 | not a whole number: \"\"",
                "a>99999999999999999999 | 3 | not a whole number: \"99999999999999999999\"",
                "-a=b        | 1 | not a label key: \"-a\"",
                "x/y/z       | 1 | not a label key: \"x/y/z\"",
                "a=-b        | 3 | not a label value: \"-b\"",
                "a in (b,c*) | 9 | not a label value: \"c*\"",
            })
    void invalidSelectorsAreRejectedWithThePositionOfTheError(String selector, int character, String problem) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Selector.parse(selector))
                .withMessage("label selector \"" + selector + "\", character " + character + ": " + problem);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tier==x , app | app,tier=x",
                "a notin ( c,b ) | a notin (b,c)",
                "b!=, !a | !a,b!=",
                "a in () | a in ()",
                "a in (,b) | a in (,b)",
                "a>1,a<07 | a<07,a>1",
            })
    void isPrintedInOneWay(String text, String printed) {
        assertThat(Selector.parse(text)).hasToString(printed);
        assertThat(Selector.parse(printed)).isEqualTo(Selector.parse(text)).hasSameHashCodeAs(Selector.parse(text));
    }

    @Test
    void ofLabelsRequiresEachLabel() {
        Selector selector = Selector.ofLabels(Map.of("app", "shop", "empty", ""));
        assertThat(selector).isEqualTo(Selector.parse("app=shop,empty="));
        assertThat(selector.test(LABELS)).isTrue();
        assertThat(selector.test(new Labels(Map.of("app", "shop")))).isFalse();
        assertThat(Selector.ofLabels(Map.of())).isEqualTo(Selector.EVERYTHING);
    }
}
