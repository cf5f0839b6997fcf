package io.k8sdns.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.search.ResolverSettings.UnreadLine;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ResolverSettingsTest {
    private static List<Integer> unread(Dialect dialect, String file) {
        return unread(dialect, file, Map.of());
    }

    private static List<Integer> unread(Dialect dialect, String file, Map<String, String> environment) {
        return ResolverSettings.read(dialect, file, environment).unreadLines().stream()
                .map(UnreadLine::number)
                .toList();
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void lineThatMeansNothingIsToldWithItsNumber(Dialect dialect) {
        String file = """
                # generated

                nameserver 10.96.0.10
                nameserver nowhere
                ; another comment
                nameservers 10.96.0.11""";

        assertThat(ResolverSettings.read(dialect, file, Map.of()).unreadLines())
                .containsExactly(new UnreadLine(4, "nameserver nowhere"), new UnreadLine(6, "nameservers 10.96.0.11"));
    }

    /** What separates the lines here is a semicolon. */
    @ParameterizedTest
    @CsvSource(nullValues = "none", delimiter = '|', textBlock = """
            GLIBC            | search a;search b;search c                              | 1 2
            GLIBC            | domain a;search b                                       | 1
            GLIBC            | search a;domain                                         | 2
            MUSL_1_2_5       | search a;search b                                       | 1
            GO               | search a;search                                         | 1
            C_ARES_1_18      | search a;search b                                       | 1
            NETTY            | search a;search b                                       | none
            SYSTEMD_RESOLVED | search a;search b                                       | none
            DNSJAVA_SESSION  | nameserver 10.0.0.1;search a                            | 2
            DNSJAVA_LOOKUP   | nameserver 10.0.0.1;nameserver 10.0.0.1                 | 2
            GLIBC            | nameserver 10.0.0.1;nameserver 10.0.0.2;nameserver ::1;nameserver 10.0.0.4 | 4
            C_ARES_1_18      | nameserver 10.0.0.1;nameserver 10.0.0.2;nameserver ::1;nameserver 10.0.0.4 | none
            GLIBC            | options edns0;options                                   | 2
            NETTY            | options ndots:2;options ndots:3                         | 2
            SYSTEMD_RESOLVED | options ndots:2                                         | 1
            GLIBC            | sortlist 10.0.0.0/8                                     | 1
            """)
    void lineThatChangesNothingIsUnread(Dialect dialect, String lines, String unread) {
        List<Integer> numbers = unread(dialect, lines.replace(';', '\n'));

        assertThat(String.join(" ", numbers.stream().map(String::valueOf).toList()))
                .isEqualTo(unread == null ? "" : unread);
    }

    @Test
    void lineThatMuslCannotHoldIsUnread() {
        String file = "search " + "a.example ".repeat(30) + "\nnameserver 10.0.0.1\n";

        assertThat(unread(Dialect.MUSL_1_2_5, file)).containsExactly(1);
        assertThat(unread(Dialect.GLIBC, file)).isEmpty();
    }

    @Test
    void searchLineThatTheEnvironmentReplacesIsUnread() {
        Map<String, String> environment = Map.of("LOCALDOMAIN", "example");

        assertThat(unread(Dialect.GLIBC, "search a\nsearch b\n", environment)).containsExactly(1, 2);
        assertThat(unread(Dialect.DNSJAVA_LOOKUP, "search a\nsearch b\n", environment))
                .containsExactly(1, 2);
        assertThat(unread(Dialect.GO, "search a\nsearch b\n", environment)).containsExactly(1);
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void ofUnreadLinesWithoutEndTheFirstAreTold(Dialect dialect) {
        assertThat(unread(dialect, "nonsense\n".repeat(100_000)))
                .hasSize(ResolverSettings.MAX_UNREAD)
                .startsWith(1, 2, 3)
                .endsWith(ResolverSettings.MAX_UNREAD);
    }

    @ParameterizedTest
    @CsvSource({"-1, 999", "0, 1000", "1, 1000"})
    void unreadLinesAreKeptUpToTheLimit(int above, int kept) {
        String file = "nonsense\n".repeat(ResolverSettings.MAX_UNREAD + above);

        assertThat(unread(Dialect.GLIBC, file)).hasSize(kept).endsWith(kept);
    }

    @Test
    void textOfAnUnreadLineIsThatOfTheFile() {
        assertThat(ResolverSettings.read(Dialect.GLIBC, "sérch a", Map.of()).unreadLines())
                .containsExactly(new UnreadLine(1, "sérch a"));
    }
}
