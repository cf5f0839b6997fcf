package io.k8sdns.forward;

import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The address and transport of a DNS server that questions are forwarded to. An immutable value.
 *
 * <pre>{@code
 * UpstreamServer.parse("192.0.2.53");                       // UDP, and TCP for truncated answers
 * UpstreamServer.parse("[2001:db8::53]:5353").overTcp();    // only TCP
 * UpstreamServer.parse("tls://192.0.2.53#dns.example");     // DNS over TLS (RFC 7858), port 853
 * }</pre>
 */
public final class UpstreamServer {
    private static final String TLS_SCHEME = "tls://";
    private static final int DNS_PORT = 53;
    private static final int TLS_PORT = 853;
    private static final int MAX_PORT = 65_535;

    private final InetSocketAddress address;
    private final Transport transport;
    private final @Nullable String tlsName;

    private UpstreamServer(InetSocketAddress address, Transport transport, @Nullable String tlsName) {
        this.address = address;
        this.transport = transport;
        this.tlsName = tlsName;
    }

    /** Returns a server that is asked over UDP, and over TCP after a truncated answer. */
    public static UpstreamServer udp(InetSocketAddress address) {
        return new UpstreamServer(Objects.requireNonNull(address, "address"), Transport.UDP, null);
    }

    /**
     * Returns a server that is asked over TLS.
     *
     * @param address the address
     * @param name the name in the server's certificate, also sent as SNI
     */
    public static UpstreamServer tls(InetSocketAddress address, String name) {
        Objects.requireNonNull(address, "address");
        return new UpstreamServer(address, Transport.TLS, Objects.requireNonNull(name, "name"));
    }

    /**
     * Parses {@code HOST[:PORT]} or {@code tls://HOST[:PORT][#NAME]}; IPv6 addresses need brackets before a port. HOST is an address or
     * a host name. NAME is the name in the certificate, HOST by default. The port is 53 by default, 853 for TLS.
     *
     * <p>Does not look up host names; {@link UpstreamForwarder.Builder#start} does.
     *
     * @throws IllegalArgumentException if the text has another form; the message contains the text and the reason
     */
    public static UpstreamServer parse(String text) {
        Objects.requireNonNull(text, "text");
        boolean tls = text.startsWith(TLS_SCHEME);
        String rest = tls ? text.substring(TLS_SCHEME.length()) : text;
        int hash = rest.indexOf('#');
        if (hash >= 0 && !tls) {
            throw invalid(text, "a name after # requires tls://");
        }
        String name = hash < 0 ? "" : rest.substring(hash + 1);
        if (hash >= 0 && name.isEmpty()) {
            throw invalid(text, "no name after #");
        }
        if (hash >= 0 && !HostPort.isHost(name)) {
            throw invalid(text, "after # is neither an address nor a host name");
        }
        HostPort where = HostPort.of(text, hash < 0 ? rest : rest.substring(0, hash), tls ? TLS_PORT : DNS_PORT);
        InetSocketAddress address = where.address();
        return tls ? tls(address, name.isEmpty() ? where.host : name) : udp(address);
    }

    private static IllegalArgumentException invalid(String text, String why) {
        return new IllegalArgumentException(
                "not a DNS server (HOST[:PORT] or tls://HOST[:PORT][#NAME]): \"" + text + "\": " + why);
    }

    /** Host and port as written in a text. */
    private record HostPort(String host, int port) {
        static HostPort of(String text, String hostPort, int defaultPort) {
            String host = hostPort;
            String port = "";
            int colon = hostPort.lastIndexOf(':');
            if (hostPort.startsWith("[")) {
                int end = hostPort.indexOf(']');
                if (end < 0) {
                    throw invalid(text, "no ] after [");
                }
                host = hostPort.substring(1, end);
                if (!hostPort.endsWith("]")) {
                    if (hostPort.charAt(end + 1) != ':') {
                        throw invalid(text, "a port follows ] after a colon");
                    }
                    port = portAfter(text, hostPort, end + 1);
                }
                if (IpAddress.tryParse(host).filter(one -> !one.isIpv4()).isEmpty()) {
                    throw invalid(text, "not an IPv6 address in brackets");
                }
            } else if (colon >= 0 && hostPort.indexOf(':') == colon) {
                host = hostPort.substring(0, colon);
                port = portAfter(text, hostPort, colon);
            }
            if (host.isEmpty()) {
                throw invalid(text, "no host");
            }
            if (!isHost(host)) {
                throw invalid(text, "neither an address nor a host name");
            }
            return new HostPort(host, port.isEmpty() ? defaultPort : number(text, port));
        }

        private static String portAfter(String text, String hostPort, int colon) {
            String port = hostPort.substring(colon + 1);
            if (port.isEmpty()) {
                throw invalid(text, "no port after the colon");
            }
            return port;
        }

        private static int number(String text, String port) {
            boolean digits = port.length() <= 5 && port.chars().allMatch(c -> c >= '0' && c <= '9');
            int number = digits ? Integer.parseInt(port) : 0;
            if (number < 1 || number > MAX_PORT) {
                throw invalid(text, "the port must be 1 to 65535");
            }
            return number;
        }

        static boolean isHost(String text) {
            return IpAddress.tryParse(text).isPresent() || isHostName(text);
        }

        /** Returns whether a text is a valid host name. One whose last label is a number is an invalid address. */
        private static boolean isHostName(String text) {
            try {
                DnsLabels unused = DnsLabels.parseHostName(text);
                return text.chars().anyMatch(Character::isLetter);
            } catch (InvalidNameException noName) {
                return false;
            }
        }

        InetSocketAddress address() {
            Optional<IpAddress> ip = IpAddress.tryParse(host);
            if (ip.isEmpty()) {
                return InetSocketAddress.createUnresolved(host, port);
            }
            try {
                return new InetSocketAddress(InetAddress.getByAddress(ip.get().bytes()), port);
            } catch (UnknownHostException impossible) {
                throw new AssertionError(impossible);
            }
        }
    }

    /** Returns the same server, asked only over TCP; a TLS server is returned unchanged. */
    public UpstreamServer overTcp() {
        return transport == Transport.TLS ? this : new UpstreamServer(address, Transport.TCP, null);
    }

    /** Returns the address and port; unresolved if a host name was given. */
    public InetSocketAddress address() {
        return address;
    }

    /** Returns the transport of queries to the server. */
    public Transport transport() {
        return transport;
    }

    /** Returns the name in the server's certificate; empty unless over TLS. */
    public Optional<String> tlsName() {
        return Optional.ofNullable(tlsName);
    }

    /** Returns this server with its host name resolved, which may take seconds. */
    UpstreamServer resolved(HostLookup lookup) throws IOException {
        return address.isUnresolved()
                ? new UpstreamServer(
                        new InetSocketAddress(lookup.address(address.getHostString()), address.getPort()),
                        transport,
                        tlsName)
                : this;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof UpstreamServer that
                && address.equals(that.address)
                && transport == that.transport
                && Objects.equals(tlsName, that.tlsName);
    }

    @Override
    public int hashCode() {
        return Objects.hash(address, transport, tlsName);
    }

    /** Returns host, port and transport, for logs: {@code 192.0.2.53:53 (udp)}. */
    @Override
    public String toString() {
        return text(address)
                + switch (transport) {
                    case UDP -> " (udp)";
                    case TCP -> " (tcp)";
                    case TLS -> " (tls, " + tlsName + ")";
                };
    }

    /** Returns host and port in the form of {@link #parse}. */
    static String text(InetSocketAddress address) {
        InetAddress host = address.getAddress();
        String text = host == null
                ? address.getHostString()
                : IpAddress.ofBytes(host.getAddress()).toString();
        return (text.contains(":") ? "[" + text + "]" : text) + ":" + address.getPort();
    }

    /** The transport of queries to a server. */
    public enum Transport {
        /** UDP, and TCP after a truncated answer. */
        UDP,
        /** Only TCP. */
        TCP,
        /** TLS (RFC 7858). */
        TLS
    }
}
