package io.k8sdns.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IpNetworkTest {
    @ParameterizedTest
    @ValueSource(strings = {"10.96.0.0/12", "0.0.0.0/0", "192.0.2.1/32", "fd00:10:96::/112", "::/0", "2001:db8::1/128"})
    void parsingAndFormattingReturnsTheText(String text) {
        assertThat(IpNetwork.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "10.96.0.0",
                "/12",
                "10.96.0.0/",
                "10.96.0.0/33",
                "10.96.0.0/-1",
                "10.96.0.1/12",
                "a/8",
                "10.96.0.0/1 2",
                "2001:db8::/129",
                "2001:db8::1/64"
            })
    void textThatIsNotANetworkIsRejected(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> IpNetwork.parse(text));
    }

    @Test
    void addressesAreNumbered() {
        IpNetwork small = IpNetwork.parse("192.0.2.224/27");
        assertThat(small.address(0)).hasToString("192.0.2.224");
        assertThat(small.address(31)).hasToString("192.0.2.255");
        assertThatThrownBy(() -> small.address(32)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> small.address(-1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(IpNetwork.parse("2001:db8::/32").address(0x1_0002)).hasToString("2001:db8::1:2");
        assertThat(IpNetwork.parse("0.0.0.0/0").address(0xFFFF_FFFFL)).hasToString("255.255.255.255");
    }
}
