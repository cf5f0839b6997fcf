package io.k8sdns.cli;

import io.k8sdns.forward.UpstreamPolicy;
import io.k8sdns.forward.UpstreamServer;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.name.DnsLabels;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A zone of a node cache and its servers, the value of {@code ZONE=SERVER[,SERVER]...[,tcp|udp|tls]}.
 *
 * @param name the zone; empty labels are the root
 * @param servers the servers, at least one
 * @param transport the last word; empty if it is missing
 */
record NodeCacheZone(DnsLabels name, List<UpstreamServer> servers, Optional<String> transport) {
    private static final String TCP = "tcp";
    private static final String UDP = "udp";
    private static final String TLS = "tls";
    private static final List<String> TRANSPORTS = List.of(TCP, UDP, TLS);
    private static final String TLS_SCHEME = "tls://";

    NodeCacheZone {
        servers = List.copyOf(servers);
    }

    /**
     * Parses the text form. A server with {@code tls://} is always queried over TLS.
     *
     * @throws IllegalArgumentException if the text is invalid; the message contains the reason
     */
    static NodeCacheZone parse(String text) {
        int equals = text.indexOf('=');
        if (equals < 1 || equals == text.length() - 1) {
            throw new IllegalArgumentException("not ZONE=SERVER[,SERVER]...[,tcp|udp|tls]: '" + text + "'");
        }
        DnsLabels name = DnsLabels.parse(text.substring(0, equals));
        List<String> parts = Arrays.asList(text.substring(equals + 1).split(",", -1));
        String last = parts.get(parts.size() - 1);
        Optional<String> transport = Optional.of(last).filter(TRANSPORTS::contains);
        List<String> servers = transport.isPresent() ? parts.subList(0, parts.size() - 1) : parts;
        if (servers.isEmpty()) {
            throw new IllegalArgumentException("no server before '" + last + "': '" + text + "'");
        }
        for (String server : servers) {
            if (TRANSPORTS.contains(server)) {
                throw new IllegalArgumentException(
                        "'" + server + "' is not a server; one transport comes last: '" + text + "'");
            }
        }
        return new NodeCacheZone(
                name, servers.stream().map(server -> server(server, transport)).toList(), transport);
    }

    private static UpstreamServer server(String text, Optional<String> transport) {
        boolean addsTls = transport.equals(Optional.of(TLS)) && !text.startsWith(TLS_SCHEME);
        UpstreamServer server = UpstreamServer.parse(addsTls ? TLS_SCHEME + text : text);
        return transport.equals(Optional.of(TCP)) ? server.overTcp() : server;
    }

    /** Returns the zone with TCP as the transport if the text has none. */
    NodeCacheZone overTcpByDefault() {
        return transport.isPresent()
                ? this
                : new NodeCacheZone(
                        name, servers.stream().map(UpstreamServer::overTcp).toList(), transport);
    }

    /** Returns the zone for a forwarder, with a random choice of the server. */
    UpstreamZone toUpstream() {
        UpstreamZone.Builder zone = UpstreamZone.builder(name).policy(UpstreamPolicy.RANDOM);
        servers.forEach(zone::server);
        return zone.build();
    }
}
