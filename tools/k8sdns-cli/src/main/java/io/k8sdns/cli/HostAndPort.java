package io.k8sdns.cli;

import io.k8sdns.model.IpAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Objects;

/**
 * A host and a port in text form: {@code 127.0.0.1:1053}, {@code [::1]:53}, {@code dns.example:53}.
 *
 * @param host a name or an address, without brackets
 * @param port the port, 0 to 65535
 */
record HostAndPort(String host, int port) {
    HostAndPort {
        Objects.requireNonNull(host, "host");
    }

    /**
     * Parses the text form.
     *
     * @throws IllegalArgumentException if the text has another form
     */
    static HostAndPort parse(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "" : text.substring(0, colon);
        String port = text.substring(colon + 1);
        boolean bracketed = host.startsWith("[") && host.endsWith("]") && host.length() > 2;
        if (host.isEmpty() || !bracketed && (host.indexOf(':') >= 0 || host.indexOf('[') >= 0)) {
            throw new IllegalArgumentException("'" + text + "' is not HOST:PORT, such as 127.0.0.1:1053 or [::1]:1053");
        }
        if (port.isEmpty()
                || port.length() > 5
                || !port.chars().allMatch(c -> c >= '0' && c <= '9')
                || Integer.parseInt(port) > 65535) {
            throw new IllegalArgumentException("'" + port + "' is not a port (0 to 65535): " + text);
        }
        return new HostAndPort(bracketed ? host.substring(1, host.length() - 1) : host, Integer.parseInt(port));
    }

    /**
     * Parses the text form, whose port may be missing: {@code dns.example}, {@code [::1]}.
     *
     * @throws IllegalArgumentException if the text has another form
     */
    static HostAndPort parse(String text, int defaultPort) {
        boolean hasPort = text.lastIndexOf(':') > text.lastIndexOf(']');
        return parse(hasPort ? text : text + ":" + defaultPort);
    }

    /**
     * Returns the address. Looks up host names.
     *
     * @throws UnknownHostException if the host name has no address
     */
    InetSocketAddress address() throws UnknownHostException {
        try {
            return new InetSocketAddress(InetAddress.getByName(host), port);
        } catch (UnknownHostException unknown) {
            UnknownHostException named = new UnknownHostException("unknown host: " + host);
            named.initCause(unknown);
            throw named;
        }
    }

    /** Returns the text form of an address, IPv6 in brackets. */
    static String text(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        if (host.indexOf(':') < 0) {
            return host + ":" + address.getPort();
        }
        int scope = host.indexOf('%');
        String plain = scope < 0 ? host : host.substring(0, scope);
        return "[" + IpAddress.parse(plain) + (scope < 0 ? "" : host.substring(scope)) + "]:" + address.getPort();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof HostAndPort one && host.equals(one.host) && port == one.port;
    }

    @Override
    public int hashCode() {
        return host.hashCode() * 31 + port;
    }

    /** Returns the text form. */
    @Override
    public String toString() {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }
}
