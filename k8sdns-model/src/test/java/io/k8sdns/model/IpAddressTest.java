package io.k8sdns.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IpAddressTest {
    @ParameterizedTest
    @CsvSource({
        "10.0.0.1, 10.0.0.1",
        "010.000.0.01, 10.0.0.1",
        "::ffff:10.0.0.1, 10.0.0.1",
        "::ffff:a00:1, 10.0.0.1",
        "2001:DB8::0:1, 2001:db8::1",
        "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
        "::, ::",
        "::1, ::1",
        "1::, 1::",
        "64:ff9b::192.0.2.1, 64:ff9b::c000:201",
    })
    void legacyTextIsReadAndPrintedCanonically(String text, String canonical) {
        assertThat(IpAddress.parse(text)).hasToString(canonical);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "1.2.3",
                "1.2.3.4.5",
                "1.2.3.256",
                "1.2.3.4 ",
                "a.b.c.d",
                "1..2.3",
                ":",
                ":::",
                "1:2",
                "1::2::3",
                "12345::",
                "fe80::1%eth0",
                "1:2:3:4:5:6:7:8:9",
                "::1.2.3",
                "1:2:3:4:5:6:7::8",
                "1:2:3:4:5:6:7:1.2.3.4",
                "1:",
                ":1:2:3:4:5:6:7"
            })
    void textThatIsNotAnAddressIsEmpty(String text) {
        assertThat(IpAddress.tryParse(text)).isEmpty();
    }
}
