package io.k8sdns.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.search.AnswerScript;
import io.k8sdns.search.Dialect;
import io.k8sdns.search.LookupOutcome;
import io.k8sdns.search.LookupRequest;
import io.k8sdns.search.ResolverSettings;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests with very large or malformed files and names. Every dialect reads each kind of file; one dialect reads the largest
 * one, ten megabytes. A slow algorithm makes the build hang, even with the smaller size.
 */
class HostileFilesTest {
    private static final int TEN_MEGABYTES = 10 << 20;
    private static final int SMALLER = 1 << 18;
    private static final String TOO_MANY = domains(ResolverSettings.MAX_SEARCHES + 1);

    /** All dialects with their own parsing rules. */
    static Stream<Dialect> dialects() {
        return Dialect.all().stream().filter(dialect -> dialect != Dialect.JDK_GLIBC && dialect != Dialect.JDK_MUSL);
    }

    static Stream<Arguments> sizes() {
        return Stream.concat(
                Stream.of(Arguments.of(Dialect.GLIBC, TEN_MEGABYTES)),
                dialects().map(dialect -> Arguments.of(dialect, SMALLER)));
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void aFileOfOneEndlessWordIsRead(Dialect dialect, int length) {
        assertThat(read(dialect, "x".repeat(length)).searches()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void aFileOfOneEndlessLineOfBlanksIsRead(Dialect dialect, int length) {
        assertThat(read(dialect, " ".repeat(length)).searches()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void noQueryIsSentForAnEndlessDomain(Dialect dialect, int length) {
        ResolverSettings settings = read(dialect, "search " + "x".repeat(length) + " a.example\n");

        assertThat(QueryPlan.of(settings, LookupRequest.of("db")).candidates())
                .allSatisfy(candidate -> assertThat(candidate.name().length()).isLessThan(2_000));
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void aFileOfNewlinesIsRead(Dialect dialect, int length) {
        assertThat(read(dialect, "\n".repeat(length)).nameservers()).isNotEmpty();
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void endlessServersAreReadUpToTheLimit(Dialect dialect) {
        String two = "nameserver 192.0.2.1\nnameserver 192.0.2.2\n";

        assertThat(read(dialect, two.repeat(ResolverSettings.MAX_NAMESERVERS)).nameservers())
                .hasSizeBetween(2, ResolverSettings.MAX_NAMESERVERS);
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void randomTextIsRead(Dialect dialect, int length) {
        Random random = new Random(1);
        StringBuilder noise = new StringBuilder();
        String[] words = {
            "search", "options", "nameserver", "domain", "ndots:", "9", ":", ".", "\0", "\n", " ", "\t", "\r", "\u00ff"
        };
        while (noise.length() < SMALLER) {
            noise.append(words[random.nextInt(words.length)]);
        }

        assertThat(read(dialect, noise.toString().repeat(length / SMALLER)).nameservers())
                .isNotEmpty();
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void veryLongOptionsAreRead(Dialect dialect) {
        String file = "options" + " ndots:3".repeat(SMALLER / 8) + "\nsearch a.example\n";

        assertThat(read(dialect, file).searches()).isSubsetOf("a.example");
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void veryLongNumbersAreRead(Dialect dialect) {
        String number = "9".repeat(SMALLER / 4);
        ResolverSettings settings = read(
                dialect,
                "options ndots:" + number + " timeout:" + number + " attempts:" + number + " retrans:" + number + "\n");

        assertThat(QueryPlan.of(settings, LookupRequest.of("db"))
                        .run(AnswerScript.of(Map.of("*", "DROP")))
                        .queries())
                .hasSizeLessThanOrEqualTo(QueryPlan.MAX_QUERIES);
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void noQueryIsSentForAnEndlessName(Dialect dialect) {
        ResolverSettings settings = read(dialect, "search" + " a.example".repeat(10) + "\n");
        for (String name : new String[] {"a".repeat(SMALLER), "a.".repeat(SMALLER / 2)}) {
            assertThat(QueryPlan.of(settings, LookupRequest.of(name))
                            .run(AnswerScript.nothing())
                            .queries())
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void aVeryLongNameAndAThousandDomainsAreNotMultiplied(Dialect dialect) {
        String file = "search " + domains(1_000) + "\n";

        assertThat(QueryPlan.of(read(dialect, file), LookupRequest.of("a".repeat(SMALLER)))
                        .run(AnswerScript.nothing())
                        .queries())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"glibc", "c-ares-1.18", "netty"})
    void aSearchListThatIsTooLongIsRejectedWithItsLine(Dialect dialect) {
        String file = "nameserver 192.0.2.1\nsearch " + TOO_MANY + "\n";
        assertThatThrownBy(() -> read(dialect, file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("line 2: a search list of more than 100000 domains; " + dialect.word()
                        + " tries all of them, but this simulation does not");
    }

    @Test
    void tenMegabytesOfDomainsAreRejected() {
        String file = "search" + " d.e".repeat(TEN_MEGABYTES / 4) + "\n";

        assertThatThrownBy(() -> read(Dialect.GLIBC, file)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aSearchListThatALaterLineReplacesMayHaveAnyLength() {
        String file = "search " + TOO_MANY + "\nsearch a.example\n";

        assertThat(read(Dialect.GLIBC, file).searches()).containsExactly("a.example");
    }

    @Test
    void aSearchListWhoseRepetitionsAreIgnoredMayHaveAnyLength() {
        String file = "search" + " a.example".repeat(ResolverSettings.MAX_SEARCHES + 1) + "\n";

        assertThat(read(Dialect.C_ARES_1_18, file).searches()).containsExactly("a.example");
    }

    @Test
    void muslIgnoresALineThatIsTooLong() {
        String file = "search " + TOO_MANY + "\n";

        assertThat(read(Dialect.MUSL_1_2_5, file).searches()).isEmpty();
    }

    @Test
    void anEndlessLookupIsSimulatedUpToTheLimit() {
        QueryTrace trace = QueryPlan.of(
                        read(Dialect.GLIBC, "options ndots:5\nsearch " + domains(30_000) + "\n"),
                        LookupRequest.of("db"))
                .run(AnswerScript.of(Map.of("*", "SERVFAIL")));

        assertThat(trace.queries()).hasSize(QueryPlan.MAX_QUERIES);
        assertThat(trace.outcome()).isEqualTo(LookupOutcome.UNFINISHED);
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void aLookupWithALongListTerminates(Dialect dialect) {
        QueryTrace trace = QueryPlan.of(
                        read(dialect, "options ndots:5\nsearch " + domains(500) + "\n"), LookupRequest.of("db"))
                .run(AnswerScript.of(Map.of("*", "SERVFAIL")));

        assertThat(trace.outcome()).isNotIn(LookupOutcome.UNFINISHED, LookupOutcome.OK);
    }

    private static String domains(int number) {
        return IntStream.range(0, number).mapToObj(i -> "d" + i + ".example").collect(Collectors.joining(" "));
    }

    private static ResolverSettings read(Dialect dialect, String file) {
        return SettingsReader.read(dialect, file, Map.of());
    }
}
