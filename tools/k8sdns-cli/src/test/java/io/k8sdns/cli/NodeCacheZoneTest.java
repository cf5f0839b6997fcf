package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeCacheZoneTest {
    private final List<String> skipped = new ArrayList<>();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                ".=192.0.2.53                                | .            | 192.0.2.53:53 (udp)",
                "cluster.local=10.96.0.10,10.96.0.11:5353    | cluster.local. | 10.96.0.10:53 (udp), 10.96.0.11:5353 (udp)",
                "cluster.local.=10.96.0.10,tcp               | cluster.local. | 10.96.0.10:53 (tcp)",
                "acme.example=[2001:db8::1]:5353,udp         | acme.example. | [2001:db8::1]:5353 (udp)",
                ".=192.0.2.53,tls                            | .            | 192.0.2.53:853 (tls, 192.0.2.53)",
                ".=tls://192.0.2.53#dns.example              | .            | 192.0.2.53:853 (tls, dns.example)",
                ".=tls://192.0.2.53#dns.example,192.0.2.54,tcp | .          | 192.0.2.53:853 (tls, dns.example), 192.0.2.54:53 (tcp)"
            })
    void textForms(String text, String name, String servers) {
        NodeCacheZone zone = NodeCacheZone.parse(text);
        assertThat(zone.name() + ".").isEqualTo(name);
        assertThat(zone.servers()).hasToString("[" + servers + "]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "cluster.local",
                "=10.96.0.10",
                "cluster.local=",
                "cluster.local=,",
                "cluster.local=tcp",
                "cluster.local=10.96.0.10,",
                "a..b=10.96.0.10",
                ".=10.96.0.10,udp,tcp",
                ".=10.96.0.256",
                ".=10.96.0.10:0",
                ".=10.96.0.10#name",
                ".=tls://10.96.0.10,udp",
                ".=tls://10.96.0.10,tls://10.96.0.11,tcp"
            })
    void invalidTextsAreRefused(String text) {
        assertThatThrownBy(() -> NodeCacheZone.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    /** The last group of {@code ::1:53} looks like a port. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "x=::1:53             | '::1:53'; write [::1:53], or [::1]:53 with a port",
                "x=10.0.0.1,2001:db8::a,tcp | '2001:db8::a'; write [2001:db8::a]",
                "x=::1,tls            | 'tls://::1'; write tls://[::1]",
                "x=tls://::1#dns.example | 'tls://::1#dns.example'; write tls://[::1]#dns.example"
            },
            quoteCharacter = '"')
    void ipv6AddressesNeedBrackets(String text, String rest) {
        assertThatThrownBy(() -> NodeCacheZone.parse(text)).hasMessage("an IPv6 address needs brackets: " + rest);
    }

    @Test
    void aTransportThatNoServerHasIsRefusedWithTheRightText() {
        assertThatThrownBy(() -> NodeCacheZone.parse(".=tls://192.0.2.53#dns.example,udp"))
                .hasMessage("a server with tls:// is queried over TLS, not over udp; write "
                        + "'.=tls://192.0.2.53#dns.example': '.=tls://192.0.2.53#dns.example,udp'");
        assertThat(NodeCacheZone.parse(".=tls://192.0.2.53#dns.example,tls").servers())
                .hasToString("[192.0.2.53:853 (tls, dns.example)]");
    }

    @Test
    void nameServersOfAFile(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(
                folder.resolve("resolv.conf"),
                "search corp.example\nnameserver 192.0.2.53\nnameserver 2001:db8::53\noptions ndots:2\n");
        assertThat(read(".=" + file).servers()).hasToString("[192.0.2.53:53 (udp), [2001:db8::53]:53 (udp)]");
        assertThat(read(".=" + file + ",tcp").servers()).hasToString("[192.0.2.53:53 (tcp), [2001:db8::53]:53 (tcp)]");
        for (String text : List.of(".=" + file + ",192.0.2.54", ".=192.0.2.54," + file, ".=" + file + ",tls")) {
            assertThatThrownBy(() -> NodeCacheZone.parse(text))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(text);
        }
        NodeCacheZone zone = NodeCacheZone.parse(".=" + file);
        Files.writeString(file, "search corp.example\n");
        assertThatThrownBy(() -> zone.read(skipped::add))
                .isInstanceOf(IOException.class)
                .hasMessage(file + ": no nameserver");
        Files.delete(file);
        assertThatThrownBy(() -> zone.read(skipped::add))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString());
        assertThat(skipped).isEmpty();
    }

    /** The C library uses the other lines, too. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nameserver fe80::1%lo    | nameserver fe80::1%lo: addresses with an interface are not supported",
                "  nameserver not-an-ip   | nameserver not-an-ip: not an IP address, with or without a port",
                "nameserver 192.0.2.256   | nameserver 192.0.2.256: not an IP address, with or without a port",
                "nameserver tls://192.0.2.1 | nameserver tls://192.0.2.1: not an IP address, with or without a port",
                "nameserver               | nameserver without an address"
            })
    void anUnusableLineOfAFileIsSkipped(String line, String reason, @TempDir Path folder) throws Exception {
        Path file =
                Files.writeString(folder.resolve("resolv.conf"), "# A comment.\n" + line + "\nnameserver 127.0.0.9\n");
        assertThat(read(".=" + file).servers()).hasToString("[127.0.0.9:53 (udp)]");
        assertThat(skipped).containsExactly("warning: " + file + ":2: " + reason + "; the line is skipped");

        Files.writeString(file, line + "\n");
        assertThatThrownBy(() -> read(".=" + file))
                .isInstanceOf(IOException.class)
                .hasMessage(file + ":1: " + reason);
    }

    private NodeCacheZone read(String text) throws IOException {
        return NodeCacheZone.parse(text).read(skipped::add);
    }
}
