package io.k8sdns.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Files and names that nobody should have. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HostileInputTest {
    private static final int TEN_MEGABYTES = 10 << 20;

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = "JDK_.*")
    void aFileOfOneEndlessLineIsRead(Dialect dialect) {
        assertThat(read(dialect, "x".repeat(TEN_MEGABYTES)).searches()).isEmpty();
        assertThat(read(dialect, " ".repeat(TEN_MEGABYTES)).searches()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = "JDK_.*")
    void aDomainOfTenMegabytesIsNeverAskedFor(Dialect dialect) {
        ResolverSettings settings = read(dialect, "search " + "x".repeat(TEN_MEGABYTES) + " a.example\n");

        assertThat(QueryPlan.of(settings, LookupRequest.of("db")).candidates())
                .allSatisfy(candidate -> assertThat(candidate.name().length()).isLessThan(2_000));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = "JDK_.*")
    void aFileOfNewlinesIsRead(Dialect dialect) {
        assertThat(read(dialect, "\n".repeat(TEN_MEGABYTES)).nameservers()).isNotEmpty();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = "JDK_.*")
    void serversWithoutEndAreReadAsFarAsTheyMatter(Dialect dialect) {
        ResolverSettings settings = read(dialect, "nameserver 192.0.2.1\nnameserver 192.0.2.2\n".repeat(25_000));

        assertThat(settings.nameservers()).hasSizeBetween(2, ResolverSettings.MAX_NAMESERVERS);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = "JDK_.*")
    void noiseIsRead(Dialect dialect) {
        Random random = new Random(1);
        StringBuilder noise = new StringBuilder();
        String[] words = {
            "search", "options", "nameserver", "domain", "ndots:", "9", ":", ".", "\0", "\n", " ", "\t", "\r", "\u00ff"
        };
        while (noise.length() < TEN_MEGABYTES) {
            noise.append(words[random.nextInt(words.length)]);
        }

        assertThat(read(dialect, noise.toString()).nameservers()).isNotEmpty();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = "JDK_.*")
    void aLongSearchListIsReadOrRefusedWithItsLine(Dialect dialect) {
        String file = "nameserver 192.0.2.1\nsearch" + " d.e".repeat(TEN_MEGABYTES / 4) + "\n";
        if (dialect == Dialect.MUSL_1_2_3 || dialect == Dialect.MUSL_1_2_5 || dialect == Dialect.JDK_MUSL) {
            assertThat(read(dialect, file).searches()).isEmpty();
        } else {
            assertThatThrownBy(() -> read(dialect, file))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("line 2: more than 100000 words; no more are read of a list");
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = "JDK_.*")
    void aLookupWithoutEndIsFollowedSoFar(Dialect dialect) {
        StringBuilder search = new StringBuilder("options ndots:5\nsearch");
        for (int i = 0; i < 30_000; i++) {
            search.append(" d").append(i).append(".example");
        }
        QueryTrace trace = QueryPlan.of(read(dialect, search.append('\n').toString()), LookupRequest.of("db"))
                .run(AnswerScript.of(Map.of("*", "SERVFAIL")));

        assertThat(trace.queries()).hasSizeLessThanOrEqualTo(QueryPlan.MAX_QUERIES);
        assertThat(trace.outcome() == Outcome.UNFINISHED)
                .isEqualTo(trace.queries().size() == QueryPlan.MAX_QUERIES);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = "JDK_.*")
    void aNameOfTenMegabytesIsNotAskedFor(Dialect dialect) {
        String file = "search" + " a.example".repeat(1_000) + "\n";
        for (String name : new String[] {"a".repeat(TEN_MEGABYTES), "a.".repeat(TEN_MEGABYTES / 2)}) {
            assertThat(QueryPlan.of(read(dialect, file), LookupRequest.of(name))
                            .run(AnswerScript.nothing())
                            .queries())
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = "JDK_.*")
    void numbersWithoutEndAreRead(Dialect dialect) {
        String number = "9".repeat(1_000_000);
        ResolverSettings settings = read(
                dialect,
                "options ndots:" + number + " timeout:" + number + " attempts:" + number + " retrans:" + number + "\n");

        assertThat(QueryPlan.of(settings, LookupRequest.of("db"))
                        .run(AnswerScript.of(Map.of("*", "DROP")))
                        .queries())
                .hasSizeLessThanOrEqualTo(QueryPlan.MAX_QUERIES);
    }

    private static ResolverSettings read(Dialect dialect, String file) {
        return ResolverSettings.read(dialect, file, Map.of());
    }
}
