package io.k8sdns.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UpstreamServerTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "192.0.2.53 | 192.0.2.53:53 (udp)",
                "192.0.2.53:5353 | 192.0.2.53:5353 (udp)",
                "2001:db8::53 | [2001:db8::53]:53 (udp)",
                "[2001:db8::53] | [2001:db8::53]:53 (udp)",
                "[2001:db8::53]:5353 | [2001:db8::53]:5353 (udp)",
                "dns.example | dns.example:53 (udp)",
                "dns.example:54 | dns.example:54 (udp)",
                "tls://192.0.2.53 | 192.0.2.53:853 (tls, 192.0.2.53)",
                "tls://192.0.2.53#dns.example | 192.0.2.53:853 (tls, dns.example)",
                "tls://[2001:db8::53]:8853#dns.example | [2001:db8::53]:8853 (tls, dns.example)",
                "tls://dns.example | dns.example:853 (tls, dns.example)",
                "tls://192.0.2.53#2001:db8::53 | 192.0.2.53:853 (tls, 2001:db8::53)",
            })
    void textsAreParsedToServers(String text, String server) {
        assertThat(UpstreamServer.parse(text)).hasToString(server).isEqualTo(UpstreamServer.parse(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                ":53",
                "192.0.2.53:",
                "192.0.2.53:0",
                "192.0.2.53:65536",
                "192.0.2.53:x",
                "192.0.2.256",
                "[::1",
                "[::1]53",
                "[192.0.2.1]:53",
                "192.0.2.53#name",
                "tls://",
                "tls://192.0.2.53#",
                "tls://192.0.2.53#bad..name",
                "tls://192.0.2.53#-a.example",
                "tls://192.0.2.53#a b",
                "tls://192.0.2.53#192.0.2.256",
                "tls://192.0.2.53#a.example:853",
                "bad..name",
                "a-.example",
                "a.example..",
                "udp://192.0.2.53",
                "a b",
                "-a.example",
                "192.0.2.53/24",
                "[fe80::1%eth0]:53:53"
            })
    void otherTextsAreRefused(String text) {
        assertThatThrownBy(() -> UpstreamServer.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(
                        "not a DNS server (HOST[:PORT] or tls://HOST[:PORT][#NAME]): \"" + text + "\": ");
    }
}
