package io.k8sdns.cli;

import io.k8sdns.model.IpAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.ParameterException;

/** The addresses of {@code --listen} and of other options for a server's own addresses. */
final class ListenAddresses {
    /** Converts the value of such an option. */
    static final ITypeConverter<HostAndPort> CONVERTER = Main.parsed(ListenAddresses::parse);

    private ListenAddresses() {}

    /**
     * Parses an address. Without a host, as in {@code :53}, it is every address of the machine, as in Go.
     *
     * @throws IllegalArgumentException if the text has another form
     */
    static HostAndPort parse(String text) {
        if (text.matches("[0-9]+")) {
            throw new IllegalArgumentException("'" + text + "' is not HOST:PORT, such as 127.0.0.1:" + text + ", or :"
                    + text + " for all addresses");
        }
        return HostAndPort.parse(text.startsWith(":") && text.lastIndexOf(':') == 0 ? wildcard() + text : text);
    }

    /** Returns the wildcard of IPv6, which includes IPv4, or of IPv4 if the system has no IPv6. */
    private static String wildcard() {
        try {
            DatagramChannel.open(StandardProtocolFamily.INET6).close();
            return "[::]";
        } catch (UnsupportedOperationException | IOException withoutIpv6) {
            return "0.0.0.0";
        }
    }

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
