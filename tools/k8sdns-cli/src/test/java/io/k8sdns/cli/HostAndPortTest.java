package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostAndPortTest {
    @Test
    void hostIsANameOrAnAddress() {
        assertThat(HostAndPort.parse("127.0.0.1:1053")).isEqualTo(new HostAndPort("127.0.0.1", 1053));
        assertThat(HostAndPort.parse("[2001:db8::53]:53")).isEqualTo(new HostAndPort("2001:db8::53", 53));
        assertThat(HostAndPort.parse("dns.example:0")).isEqualTo(new HostAndPort("dns.example", 0));
        assertThat(HostAndPort.parse("[::1]:53")).hasToString("[::1]:53");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "53", "127.0.0.1", "127.0.0.1:", ":53", "::1:53", "[]:53", "[::1]", "a:-1", "a:65536", "a:x"
            })
    void otherTextsAreRejected(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> HostAndPort.parse(text));
    }

    @Test
    void theDefaultPortIsForTextsWithoutOne() {
        assertThat(HostAndPort.parse("dns.example", 53)).isEqualTo(new HostAndPort("dns.example", 53));
        assertThat(HostAndPort.parse("127.0.0.1", 53)).isEqualTo(new HostAndPort("127.0.0.1", 53));
        assertThat(HostAndPort.parse("[::1]", 53)).isEqualTo(new HostAndPort("::1", 53));
        assertThat(HostAndPort.parse("[::1]:1053", 53)).isEqualTo(new HostAndPort("::1", 1053));
        assertThat(HostAndPort.parse("dns.example:0", 53)).isEqualTo(new HostAndPort("dns.example", 0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "::1", "fd00::53", "[::1", "[]", "a:", "a:x", ":53", "[::1]:", "::1:53"})
    void otherTextsWithoutPortAreRejected(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> HostAndPort.parse(text, 53));
    }

    @Test
    void ipv6IsPrintedInBracketsAndInItsShortForm() throws Exception {
        InetAddress address =
                InetAddress.getByAddress(new byte[] {0x20, 1, 0x0d, (byte) 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
        assertThat(HostAndPort.text(new InetSocketAddress(address, 53))).isEqualTo("[2001:db8::1]:53");
        assertThat(HostAndPort.text(new InetSocketAddress(InetAddress.getByAddress(new byte[16]), 53)))
                .isEqualTo("[::]:53");
    }
}
