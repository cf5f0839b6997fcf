package io.k8sdns.federation.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StubZoneTest {
    private static StubZone read(String json) {
        return StubZoneJson.read("myfed", json.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.53, 192.0.2.53",
        "192.0.2.53:53, 192.0.2.53",
        "192.0.2.53:5353, 192.0.2.53:5353",
        "2001:DB8:0::53, 2001:db8::53",
        "[2001:db8::53], 2001:db8::53",
        "[2001:db8::53]:5353, [2001:db8::53]:5353",
        "[2001:db8::53]:65535, [2001:db8::53]:65535",
        "::ffff:192.0.2.53, 192.0.2.53"
    })
    void aNameServerIsAnAddress(String text, String canonical) {
        StubZone zone = read("{\"nameservers\": [\"" + text + "\"]}");
        assertThat(zone.nameServerTexts()).containsExactly(canonical);
        assertThat(StubZone.parse("myfed", zone.nameServerTexts())).isEqualTo(zone);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "ns.example.com",
                "localhost",
                "192.0.2.256",
                "192.0.2",
                "192.0.02.53",
                "192.0.2.53:",
                "192.0.2.53:0",
                "192.0.2.53:65536",
                "192.0.2.53:99999999999",
                "192.0.2.53:+53",
                "[192.0.2.53]:53",
                "[2001:db8::53",
                "[2001:db8::53]53",
                "2001:db8::53%eth0",
                "0.0.0.0",
                "::",
                "224.0.0.251",
                "ff02::fb",
                " 192.0.2.53",
                "tls://192.0.2.53",
                "\\u0000"
            })
    void anythingElseIsRefusedByItsValue(String text) {
        assertThatThrownBy(() -> read("{\"nameservers\": [\"192.0.2.1\", \"" + text + "\"]}"))
                .isInstanceOf(InvalidStubZoneException.class)
                .hasMessageContaining(
                        text.startsWith("\\")
                                ? "\uFFFD"
                                : text.isEmpty() ? "\"\"" : text.replaceFirst(":[0-9+]*$", ""));
    }

    @Test
    void duplicatesAreMergedAndTheOrderStays() {
        assertThat(read("{\"nameservers\": [\"192.0.2.2\", \"192.0.2.1\", \"192.0.2.2:53\", \"192.0.2.2:54\"]}")
                        .nameServerTexts())
                .containsExactly("192.0.2.2", "192.0.2.1", "192.0.2.2:54");
    }

    @Test
    void fifteenNameServersAreTheMost() {
        List<String> servers = new ArrayList<>();
        for (int i = 1; i <= 15; i++) {
            servers.add("192.0.2." + i);
        }
        assertThat(StubZone.parse("myfed", servers).nameServers()).hasSize(15);
        servers.add("192.0.2.16");
        assertThatThrownBy(() -> StubZone.parse("myfed", servers)).hasMessageContaining("16 entries, 1 to 15");
        assertThatThrownBy(() -> StubZone.parse("myfed", List.of())).hasMessageContaining("0 entries, 1 to 15");
    }

    /** The example of the design document is not strict JSON. */
    @Test
    void theExampleOfTheDocumentIsRead() {
        assertThat(read("{\n  nameservers: [\"108.45.90.180\", \"108.180.64.128\"]\n}\n")
                        .nameServerTexts())
                .containsExactly("108.45.90.180", "108.180.64.128");
        assertThat(read("{\"nameservers\": [\"108.45.90.180\", \"108.180.64.128\",],}")
                        .nameServerTexts())
                .containsExactly("108.45.90.180", "108.180.64.128");
    }

    @Test
    void strictJsonIsWritten() {
        StubZone zone = StubZone.parse("myfed", List.of("108.45.90.180", "[2001:db8::1]:5353"));
        assertThat(StubZoneJson.write(zone))
                .isEqualTo("{\"nameservers\":[\"108.45.90.180\",\"[2001:db8::1]:5353\"]}\n");
        assertThat(StubZoneJson.write(List.of(zone, StubZone.parse("other", List.of("192.0.2.1")))))
                .isEqualTo("{\"myfed\":{\"nameservers\":[\"108.45.90.180\",\"[2001:db8::1]:5353\"]},"
                        + "\"other\":{\"nameservers\":[\"192.0.2.1\"]}}\n");
        assertThat(StubZoneJson.error("a \"b\" \u00e4\n")).isEqualTo("{\"error\":\"a \\\"b\\\" \\u00E4\\n\"}\n");
    }

    @Test
    void otherMembersAreIgnored() {
        assertThat(read("{\"a\": {\"nameservers\": 1}, \"nameservers\": [\"192.0.2.1\"], \"b\": [[null]]}")
                        .nameServerTexts())
                .containsExactly("192.0.2.1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "null",
                "[]",
                "\"192.0.2.1\"",
                "{",
                "{}",
                "{\"nameservers\": null}",
                "{\"nameservers\": \"192.0.2.1\"}",
                "{\"nameservers\": []}",
                "{\"nameservers\": [1]}",
                "{\"nameservers\": [[\"192.0.2.1\"]]}",
                "{\"nameservers\": [null]}",
                "{\"nameservers\": [\"192.0.2.1\"}",
                "{\"nameservers\": [\"192.0.2.1\"]} x",
                "{\"nameservers\": [\"192.0.2.1\"]}{}",
                "{\"nameservers\": [,]}",
                "{,}",
                "{\"nameservers\": [\"192.0.2.1\",,]}",
                "{'nameservers': ['192.0.2.1']}",
                "{\"nameservers\": [\"192.0.2.1\"], \"nameservers\": [\"192.0.2.2\"]}",
                "{\"nameservers\": [\"192.0.2.1\"], \"a\": ",
                "// comment\n{\"nameservers\": [\"192.0.2.1\"]}",
                "\uFEFF{\"nameservers\": [\"192.0.2.1\"]}"
            })
    void otherTextsAreRefused(String json) {
        assertThatThrownBy(() -> read(json)).isInstanceOf(InvalidStubZoneException.class);
    }

    @Test
    void aTextIsQuotedOnceInMessages() {
        assertThatThrownBy(() -> read("{\"nameservers\": \"192.0.2.1\"}"))
                .hasMessage("nameservers is not a list: \"192.0.2.1\"");
        assertThatThrownBy(() -> read("{\"nameservers\": [7]}"))
                .hasMessage("nameservers has an entry that is not a text: \"7\"");
    }

    @Test
    void hostileTextsAreRefused() {
        assertThatThrownBy(() -> read("[".repeat(60_000))).isInstanceOf(InvalidStubZoneException.class);
        assertThatThrownBy(() -> read("{\"a\":".repeat(10_000))).isInstanceOf(InvalidStubZoneException.class);
        assertThatThrownBy(() -> StubZoneJson.read("myfed", new byte[] {'{', (byte) 0xC3, '}'}))
                .hasMessage("not UTF-8");
        assertThatThrownBy(() -> read("{\"nameservers\": [\"" + "x".repeat(60_000) + "\"]}"))
                .isInstanceOf(InvalidStubZoneException.class)
                .satisfies(failure -> assertThat(failure.getMessage()).hasSizeLessThan(300));
        String many = String.join(",", Collections.nCopies(5_000, "\"192.0.2.1\""));
        assertThatThrownBy(() -> read("{\"nameservers\": [" + many + "]}")).hasMessageContaining("5000 entries");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "A",
                "a.b",
                "-a",
                "a-",
                "a_b",
                "a/b",
                "0123456789012345678901234567890123456789012345678901234567890123"
            })
    void theNameOfAFederationIsALabel(String name) {
        assertThatThrownBy(() -> StubZone.parse(name, List.of("192.0.2.1")))
                .isInstanceOf(InvalidStubZoneException.class)
                .hasMessageContaining("not the name of a federation");
    }
}
