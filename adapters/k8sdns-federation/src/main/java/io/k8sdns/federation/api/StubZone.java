package io.k8sdns.federation.api;

import io.k8sdns.arguments.Copies;
import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.model.IpAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The name servers of one federation.
 *
 * @param federation the name of the federation, a DNS-1123 label
 * @param nameServers the addresses of its name servers in the order of the queries, 1 to 15, without duplicates
 */
public record StubZone(String federation, List<InetSocketAddress> nameServers) {
    /** The largest number of name servers. */
    public static final int MAX_NAME_SERVERS = 15;

    private static final int DNS_PORT = 53;
    private static final int MAX_PORT = 65_535;

    /** The maximum length of an invalid value in an error message, in code points. */
    private static final int MAX_QUOTED = 100;

    /**
     * Checks the values, and removes duplicate name servers.
     *
     * @throws InvalidStubZoneException if the federation is not a DNS-1123 label, there are no name servers or more than 15, or one
     *     has no address, an unspecified or a multicast address, or port 0
     */
    public StubZone {
        requireName(federation);
        nameServers = Copies.list("nameServers", nameServers);
        requireCount(nameServers.size());
        nameServers.forEach(StubZone::requireUsable);
        nameServers = nameServers.stream().distinct().toList();
    }

    /**
     * Returns the stub zone of a federation.
     *
     * @param federation the name of the federation
     * @param nameServers addresses with or without a port, {@code 192.0.2.53}, {@code 192.0.2.53:5353}, {@code 2001:db8::53} or
     *     {@code [2001:db8::53]:5353}; the default port is 53
     * @throws InvalidStubZoneException if the federation is not a DNS-1123 label, there are no name servers or more than 15, or a
     *     text is not such an address
     */
    public static StubZone parse(String federation, List<String> nameServers) {
        requireName(federation);
        List<String> texts = Copies.list("nameServers", nameServers);
        requireCount(texts.size());
        return new StubZone(federation, texts.stream().map(StubZone::address).toList());
    }

    static void requireName(String federation) {
        if (!KubernetesNames.isDnsLabel(Objects.requireNonNull(federation, "federation"))) {
            throw new InvalidStubZoneException(
                    "not the name of a federation (a DNS-1123 label: lower-case letters, digits and '-', "
                            + "at most 63 characters): " + quoted(federation));
        }
    }

    private static void requireCount(int nameServers) {
        if (nameServers < 1 || nameServers > MAX_NAME_SERVERS) {
            throw new InvalidStubZoneException(
                    "nameservers has " + nameServers + " entries, 1 to " + MAX_NAME_SERVERS + " are allowed");
        }
    }

    private static void requireUsable(InetSocketAddress server) {
        InetAddress address = server.getAddress();
        if (address == null) {
            throw new InvalidStubZoneException("not an IP address: " + quoted(server.getHostString()));
        }
        if (address.isAnyLocalAddress() || address.isMulticastAddress() || server.getPort() == 0) {
            throw new InvalidStubZoneException("not the address of a name server: " + quoted(text(server)));
        }
    }

    private static InetSocketAddress address(String text) {
        String host = text;
        String port = "";
        int colon = text.lastIndexOf(':');
        boolean isBracketed = text.startsWith("[");
        if (isBracketed) {
            int end = text.indexOf(']');
            String rest = end < 0 ? "" : text.substring(end + 1);
            if (end < 0 || !rest.isEmpty() && !rest.startsWith(":")) {
                throw invalid(text);
            }
            host = text.substring(1, end);
            port = rest.isEmpty() ? "" : requirePort(text, rest.substring(1));
        } else if (colon >= 0 && colon == text.indexOf(':')) {
            host = text.substring(0, colon);
            port = requirePort(text, text.substring(colon + 1));
        }
        Optional<IpAddress> ip = IpAddress.tryParse(host);
        boolean isIpv4 = host.indexOf(':') < 0;
        if (ip.isEmpty() || isIpv4 && (isBracketed || hasLeadingZero(host))) {
            throw invalid(text);
        }
        try {
            return new InetSocketAddress(
                    InetAddress.getByAddress(ip.get().bytes()), port.isEmpty() ? DNS_PORT : Integer.parseInt(port));
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Returns whether an octet has a leading zero, which some programs read as octal. */
    private static boolean hasLeadingZero(String ipv4) {
        return ipv4.matches("(.*\\.)?0[0-9].*");
    }

    private static String requirePort(String text, String port) {
        boolean isNumber = !port.isEmpty() && port.length() <= 5 && port.chars().allMatch(c -> c >= '0' && c <= '9');
        if (!isNumber || Integer.parseInt(port) < 1 || Integer.parseInt(port) > MAX_PORT) {
            throw new InvalidStubZoneException("not a port (1 to 65535): " + quoted(port) + " in " + quoted(text));
        }
        return port;
    }

    private static InvalidStubZoneException invalid(String text) {
        return new InvalidStubZoneException(
                "not the IP address of a name server, with or without a port: " + quoted(text));
    }

    /** Returns a text in quotes, shortened and without control characters, because a client may send any text. */
    static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        int end = text.offsetByCodePoints(0, Math.min(MAX_QUOTED, text.codePointCount(0, text.length())));
        text.substring(0, end)
                .codePoints()
                .forEach(c -> quoted.appendCodePoint(Character.isISOControl(c) ? '\uFFFD' : c));
        return quoted.append(end < text.length() ? "...\"" : "\"").toString();
    }

    /** Returns the name servers in the form of {@link #parse}; without the port if it is 53. */
    public List<String> nameServerTexts() {
        return nameServers.stream().map(StubZone::text).toList();
    }

    private static String text(InetSocketAddress server) {
        String host = IpAddress.ofBytes(server.getAddress().getAddress()).toString();
        if (server.getPort() == DNS_PORT) {
            return host;
        }
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + server.getPort();
    }

    /** Returns the federation and its name servers, for logs. */
    @Override
    public String toString() {
        return federation + " -> " + nameServerTexts();
    }
}
