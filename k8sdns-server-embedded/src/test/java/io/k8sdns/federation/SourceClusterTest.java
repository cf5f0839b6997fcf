package io.k8sdns.federation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.GenericEDNSOption;

class SourceClusterTest {
    private static EDNSOption option(int code, String text) {
        return new GenericEDNSOption(code, text.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Test
    void theDataOfTheOptionIsTheNameInAscii() {
        byte[] wire =
                new SourceCluster("foo").toOption(SourceCluster.OPTION_CODE).toWire();
        assertThat(HexFormat.of().formatHex(wire)).isEqualTo("ff980003666f6f");
    }

    @ParameterizedTest
    @ValueSource(strings = {"foo", "FOO", "foo.eu-west", "0", "a-b"})
    void namesAreConvertedToLowerCase(String name) {
        assertThat(SourceCluster.find(List.of(option(65_432, name)), 65_432))
                .contains(new SourceCluster(name.toLowerCase(java.util.Locale.ROOT)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "foo.",
                ".foo",
                "foo..bar",
                "-foo",
                "foo-",
                "foo_bar",
                "foo bar",
                "foo\0",
                "f\u00f6o",
                "\u212a"
            })
    void aMalformedOptionIsIgnored(String payload) {
        assertThat(SourceCluster.parse(payload.getBytes(StandardCharsets.UTF_8)))
                .isEmpty();
        assertThat(SourceCluster.find(List.of(option(65_432, payload)), 65_432)).isEmpty();
    }

    @Test
    void namesHaveAtMost253Characters() {
        String label = "a".repeat(63);
        String longest = label + "." + label + "." + label + "." + "a".repeat(61);
        assertThat(new SourceCluster(longest).name()).hasSize(253);
        assertThatThrownBy(() -> new SourceCluster(longest + "a")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new SourceCluster("a".repeat(64)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a DNS-1123 label");
    }

    @Test
    void onlyTheFirstOptionIsUsed() {
        List<EDNSOption> options = List.of(option(65_433, "no"), option(65_432, "foo"), option(65_432, "bar"));
        assertThat(SourceCluster.find(options, 65_432)).contains(new SourceCluster("foo"));
        List<EDNSOption> malformedFirst = List.of(option(65_432, "-"), option(65_432, "bar"));
        assertThat(SourceCluster.find(malformedFirst, 65_432)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 65_536})
    void anOptionCodeIsBetween1And65535(int code) {
        assertThatThrownBy(() -> new SourceCluster("foo").toOption(code))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("not an option code (1 to 65535): " + code);
    }
}
