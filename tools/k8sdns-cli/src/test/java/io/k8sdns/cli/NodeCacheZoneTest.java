package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeCacheZoneTest {
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
                ".=10.96.0.10#name"
            })
    void invalidTextsAreRefused(String text) {
        assertThatThrownBy(() -> NodeCacheZone.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
