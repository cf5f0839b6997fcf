package io.k8sdns.cli;

import io.k8sdns.model.IpAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import picocli.CommandLine.ParameterException;

/** Resolves the addresses of {@code --listen}. */
final class ListenAddresses {
    private ListenAddresses() {}

    /**
     * Returns the addresses in their order.
     *
     * @param usage returns the exception for an address that is given twice
     * @throws IOException if a host name cannot be looked up
     * @throws ParameterException if an address is given twice, unless its port is 0
     */
    static List<InetSocketAddress> of(List<HostAndPort> listen, Function<String, ParameterException> usage)
            throws IOException {
        List<InetSocketAddress> addresses = new ArrayList<>();
        Set<HostAndPort> seen = new HashSet<>();
        for (HostAndPort one : listen) {
            if (one.port() != 0 && !seen.add(one)) {
                throw usage.apply("--listen given twice: " + one);
            }
            addresses.add(one.address());
        }
        return addresses;
    }

    /** Returns the addresses of the name server of a zone that is served at these addresses; 127.0.0.1 for a wildcard address. */
    static List<IpAddress> nameServers(List<InetSocketAddress> listening) {
        return listening.stream()
                .map(address -> address.getAddress().isAnyLocalAddress()
                        ? ClusterOptions.LOOPBACK
                        : IpAddress.ofBytes(address.getAddress().getAddress()))
                .distinct()
                .toList();
    }
}
