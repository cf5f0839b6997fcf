package io.k8sdns.sockets;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.LinkedHashSet;
import java.util.Set;

/** The addresses of this machine that a wildcard stands for. */
@FunctionalInterface
interface LocalAddresses {
    /** The current addresses of all interfaces, also of those that are down. */
    LocalAddresses OF_INTERFACES = wildcard -> {
        Set<InetAddress> addresses = new LinkedHashSet<>();
        for (NetworkInterface one : NetworkInterface.networkInterfaces().toList()) {
            for (InterfaceAddress held : one.getInterfaceAddresses()) {
                addresses.add(held.getAddress());
                if (held.getAddress().isLoopbackAddress() && held.getNetworkPrefixLength() == 8) {
                    addresses.addAll(customaryLoopback());
                }
            }
        }
        addresses.removeIf(address -> wildcard instanceof Inet4Address && !(address instanceof Inet4Address));
        return addresses;
    };

    /**
     * Returns the addresses of this machine.
     *
     * @param wildcard {@code 0.0.0.0}, which stands for all of IPv4, or {@code ::}, which stands for all of IPv6 and IPv4, as for
     *     TCP
     */
    Set<InetAddress> coveredBy(InetAddress wildcard) throws SocketException;

    /**
     * Returns the loopback addresses in use: 127.0.0.1 to 127.0.0.254, and 127.0.1.1, which Debian gives to the machine's own name.
     * Linux accepts all of 127.0.0.0/8, although the interface has only one of these addresses; 16 million sockets would be too
     * many. Addresses that are not local (on macOS) cannot be bound and are skipped.
     */
    private static Set<InetAddress> customaryLoopback() {
        Set<InetAddress> addresses = new LinkedHashSet<>();
        for (int last = 1; last < 255; last++) {
            addresses.add(ipv4(127, 0, 0, last));
        }
        addresses.add(ipv4(127, 0, 1, 1));
        return addresses;
    }

    private static InetAddress ipv4(int... octets) {
        try {
            return InetAddress.getByAddress(
                    new byte[] {(byte) octets[0], (byte) octets[1], (byte) octets[2], (byte) octets[3]});
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
