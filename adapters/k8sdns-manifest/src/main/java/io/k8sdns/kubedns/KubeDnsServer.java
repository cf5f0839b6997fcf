package io.k8sdns.kubedns;

import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.model.IpAddress;
import java.util.Objects;
import java.util.Optional;

/**
 * A name server of the ConfigMap, with an address or an unresolved host name.
 *
 * @param host an IP address in its canonical text, or a host name without final dot
 * @param port 1 to 65535
 * @param tls whether queries use DNS over TLS, which only the node cache's ConfigMap can request
 */
public record KubeDnsServer(String host, int port, boolean tls) {
    /** The port of DNS over UDP and TCP. */
    static final int DNS_PORT = 53;

    /** The port of DNS over TLS. */
    static final int TLS_PORT = 853;

    /**
     * Checks the values; an address is converted to its canonical text.
     *
     * @throws IllegalArgumentException if the host is neither an address nor a host name, or the port is out of range
     */
    public KubeDnsServer {
        Objects.requireNonNull(host, "host");
        Optional<IpAddress> address = IpAddress.tryParse(host);
        if (address.isEmpty() && !isHostName(host)) {
            throw new IllegalArgumentException("host: neither an IP address nor a host name: \"" + host + "\"");
        }
        if (port < 1 || port > 65535) {
            throw new IllegalArgumentException("port: not a port number (1 to 65535): " + port);
        }
        host = address.map(IpAddress::toString).orElse(host);
    }

    /**
     * Makes a server for queries over UDP and TCP.
     *
     * @throws IllegalArgumentException if the host is neither an address nor a host name, or the port is out of range
     */
    public KubeDnsServer(String host, int port) {
        this(host, port, false);
    }

    /**
     * Returns whether a text is a host name: a DNS-1123 subdomain whose last label is not a number. {@code 10.0.0.256} is a
     * misspelt address, which no resolver would find.
     */
    static boolean isHostName(String text) {
        String last = text.substring(text.lastIndexOf('.') + 1);
        return KubernetesNames.isDnsSubdomain(text) && !last.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    /** Returns the address if the host is one, otherwise empty. */
    public Optional<IpAddress> address() {
        return IpAddress.tryParse(host);
    }

    /** Returns the text form, with the port unless it is the default: {@code 10.0.0.1}, {@code [2001:db8::1]:5353}. */
    @Override
    public String toString() {
        boolean usual = port == (tls ? TLS_PORT : DNS_PORT);
        String bracketed = host.indexOf(':') >= 0 && !usual ? "[" + host + "]" : host;
        return (tls ? "tls://" : "") + bracketed + (usual ? "" : ":" + port);
    }
}
