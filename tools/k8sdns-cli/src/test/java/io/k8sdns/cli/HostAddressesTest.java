package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HostAddressesTest {
    private static final DnsLabels ONE = DnsLabels.parse("one.example");
    private static final DnsLabels OTHER = DnsLabels.parse("other.example");

    private final Map<DnsLabels, Collection<IpAddress>> hosts = new HashMap<>();
    private final List<DnsLabels> asked = new ArrayList<>();
    private final HostAddresses addresses = new HostAddresses(host -> {
        asked.add(host);
        return hosts.getOrDefault(host, List.of());
    });

    private static List<IpAddress> ip(String text) {
        return List.of(IpAddress.parse(text));
    }

    private Collection<IpAddress> look(DnsLabels host) {
        return addresses.during(() -> addresses.apply(host));
    }

    @Test
    void aHostIsLookedUpOnceAndAtEachRefresh() {
        hosts.put(ONE, ip("192.0.2.1"));
        assertThat(look(ONE)).containsExactlyElementsOf(ip("192.0.2.1"));
        assertThat(look(ONE)).containsExactlyElementsOf(ip("192.0.2.1"));
        assertThat(asked).hasSize(1);
        assertThat(addresses.refresh()).isFalse();
        hosts.put(ONE, ip("192.0.2.2"));
        assertThat(addresses.refresh()).isTrue();
        assertThat(look(ONE)).containsExactlyElementsOf(ip("192.0.2.2"));
        assertThat(addresses.unknown()).isEmpty();
    }

    @Test
    void aResolverThatFailsRemovesNothing() {
        hosts.put(ONE, ip("192.0.2.1"));
        assertThat(look(ONE)).hasSize(1);
        hosts.clear();
        assertThat(addresses.refresh()).isFalse();
        assertThat(look(ONE)).containsExactlyElementsOf(ip("192.0.2.1"));
    }

    @Test
    void aHostWithoutAnAddressIsKnownAsSuchUntilItIsUsedNoMore() {
        assertThat(look(ONE)).isEmpty();
        assertThat(addresses.unknown()).containsExactly(ONE);
        hosts.put(OTHER, ip("192.0.2.3"));
        assertThat(look(OTHER)).hasSize(1);
        assertThat(addresses.unknown()).isEmpty();
        asked.clear();
        assertThat(addresses.refresh()).isFalse();
        assertThat(asked).containsExactly(OTHER);
    }
}
