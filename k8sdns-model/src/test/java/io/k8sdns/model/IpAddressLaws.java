package io.k8sdns.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;

class IpAddressLaws {
    @Property
    void parsingTheTextOfAnIpv4AddressGivesTheAddress(@ForAll @Size(4) byte[] bytes) throws UnknownHostException {
        IpAddress address = IpAddress.ofBytes(bytes);
        assertThat(address.toString()).isEqualTo(InetAddress.getByAddress(bytes).getHostAddress());
        assertThat(IpAddress.parse(address.toString())).isEqualTo(address);
        assertThat(address.bytes()).isEqualTo(bytes);
    }

    @Property
    void parsingTheTextOfAnIpv6AddressGivesTheAddress(@ForAll @Size(16) byte[] bytes, @ForAll long zeros) {
        for (int i = 0; i < 16; i++) {
            if ((zeros >>> i & 1) != 0) {
                bytes[i] = 0;
            }
        }
        IpAddress address = IpAddress.ofBytes(bytes);
        assertThat(IpAddress.parse(address.toString())).isEqualTo(address);
        if (!address.isIpv4()) {
            assertThat(address.bytes()).isEqualTo(bytes);
        }
    }
}
