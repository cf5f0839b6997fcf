package io.k8sdns.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.search.Dialect;
import io.k8sdns.search.ResolverSettings;
import io.k8sdns.search.ResolverSettings.IgnoredLine;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ResolverSettingsTest {
    private static List<Integer> ignored(Dialect dialect, String file) {
        return ignored(dialect, file, Map.of());
    }

    private static List<Integer> ignored(Dialect dialect, String file, Map<String, String> environment) {
        return SettingsReader.read(dialect, file, environment).ignoredLines().stream()
                .map(IgnoredLine::number)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("io.k8sdns.search.Dialect#all")
    void anUnknownLineIsReportedWithItsNumber(Dialect dialect) {
        String file = """
                # generated

                nameserver 10.96.0.10
                nameserver nowhere
                ; another comment
                nameservers 10.96.0.11""";

        assertThat(SettingsReader.read(dialect, file, Map.of()).ignoredLines())
                .containsExactly(
                        new IgnoredLine(4, "nameserver nowhere"), new IgnoredLine(6, "nameservers 10.96.0.11"));
    }

    /** A file as text; semicolons separate the lines. */
    @ParameterizedTest
    @CsvSource(nullValues = "none", delimiter = '|', textBlock = """
            glibc            | search a;search b;search c                              | 1 2
            glibc            | domain a;search b                                       | 1
            glibc            | search a;domain                                         | 2
            musl-1.2.5       | search a;search b                                       | 1
            go               | search a;search                                         | 1
            c-ares-1.18      | search a;search b                                       | 1
            netty            | search a;search b                                       | none
            systemd-resolved | search a;search b                                       | none
            dnsjava-session  | nameserver 10.0.0.1;search a                            | 2
            dnsjava-lookup   | nameserver 10.0.0.1;nameserver 10.0.0.1                 | 2
            glibc            | nameserver 10.0.0.1;nameserver 10.0.0.2;nameserver ::1;nameserver 10.0.0.4 | 4
            c-ares-1.18      | nameserver 10.0.0.1;nameserver 10.0.0.2;nameserver ::1;nameserver 10.0.0.4 | none
            glibc            | options edns0;options                                   | 2
            netty            | options ndots:2;options ndots:3                         | 2
            systemd-resolved | options ndots:2                                         | 1
            glibc            | sortlist 10.0.0.0/8                                     | 1
            """)
    void lineThatChangesNothingIsIgnored(Dialect dialect, String lines, String ignored) {
        List<Integer> numbers = ignored(dialect, lines.replace(';', '\n'));

        assertThat(String.join(" ", numbers.stream().map(String::valueOf).toList()))
                .isEqualTo(ignored == null ? "" : ignored);
    }

    @Test
    void lineThatMuslCannotHoldIsIgnored() {
        String file = "search " + "a.example ".repeat(30) + "\nnameserver 10.0.0.1\n";

        assertThat(ignored(Dialect.MUSL_1_2_5, file)).containsExactly(1);
        assertThat(ignored(Dialect.GLIBC, file)).isEmpty();
    }

    @Test
    void searchLineThatTheEnvironmentReplacesIsIgnored() {
        Map<String, String> environment = Map.of("LOCALDOMAIN", "example");

        assertThat(ignored(Dialect.GLIBC, "search a\nsearch b\n", environment)).containsExactly(1, 2);
        assertThat(ignored(Dialect.DNSJAVA_LOOKUP, "search a\nsearch b\n", environment))
                .containsExactly(1, 2);
        assertThat(ignored(Dialect.GO, "search a\nsearch b\n", environment)).containsExactly(1);
    }

    @ParameterizedTest
    @MethodSource("io.k8sdns.search.Dialect#all")
    void onlyTheFirstOfMillionsOfIgnoredLinesAreReported(Dialect dialect) {
        assertThat(ignored(dialect, "nonsense\n".repeat(100_000)))
                .hasSize(ResolverSettings.MAX_IGNORED)
                .startsWith(1, 2, 3)
                .endsWith(ResolverSettings.MAX_IGNORED);
    }

    @ParameterizedTest
    @CsvSource({"-1, 999", "0, 1000", "1, 1000"})
    void ignoredLinesAreKeptUpToTheLimit(int above, int kept) {
        String file = "nonsense\n".repeat(ResolverSettings.MAX_IGNORED + above);

        assertThat(ignored(Dialect.GLIBC, file)).hasSize(kept).endsWith(kept);
    }

    @Test
    void anIgnoredLineIsReportedWithItsText() {
        assertThat(SettingsReader.read(Dialect.GLIBC, "sérch a", Map.of()).ignoredLines())
                .containsExactly(new IgnoredLine(1, "sérch a"));
    }
}
