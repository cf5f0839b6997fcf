package io.k8sdns.records;

import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.name.DnsLabels;
import java.util.Objects;

/**
 * A reverse zone: a name below {@code in-addr.arpa} or {@code ip6.arpa}, and the addresses that are ours in it.
 *
 * @param name the zone's name, absolute
 * @param network the addresses that are ours; all that the name covers, or fewer where the network is longer than the
 *     last label boundary (/24, /124)
 */
public record ReverseZone(DnsLabels name, IpNetwork network) {
    /** All of {@code in-addr.arpa}. */
    public static final ReverseZone IPV4 =
            new ReverseZone(DnsLabels.of("in-addr", "arpa"), IpNetwork.parse("0.0.0.0/0"));

    /** All of {@code ip6.arpa}. */
    public static final ReverseZone IPV6 = new ReverseZone(DnsLabels.of("ip6", "arpa"), IpNetwork.parse("::/0"));

    /** Checks that nothing is null. */
    public ReverseZone {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(network, "network");
    }

    /** Returns whether the reverse name of this address is ours in this zone. */
    public boolean contains(IpAddress address) {
        return network.contains(address);
    }
}
