package io.k8sdns.cli;

import io.k8sdns.forward.UpstreamPolicy;
import io.k8sdns.forward.UpstreamServer;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.name.DnsLabels;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A zone of a node cache and its servers, the value of {@code ZONE=SERVER[,SERVER]...[,tcp|udp|tls]}.
 *
 * @param name the zone; empty labels are the root
 * @param servers the servers, at least one; empty if they are in a file that was not read yet
 * @param transport the last word; empty if it is missing
 * @param file the resolv.conf with the servers; empty if they were given
 */
record NodeCacheZone(DnsLabels name, List<UpstreamServer> servers, Optional<String> transport, Optional<String> file) {
    private static final String TCP = "tcp";
    private static final String UDP = "udp";
    private static final String TLS = "tls";
    private static final List<String> TRANSPORTS = List.of(TCP, UDP, TLS);
    private static final String TLS_SCHEME = "tls://";

    NodeCacheZone {
        servers = List.copyOf(servers);
    }

    /**
     * Parses the text form. A server with {@code tls://} is always queried over TLS. A path in place of the servers, with a slash first,
     * is a resolv.conf, which {@link #read} reads.
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
        if (servers.stream().anyMatch(server -> server.startsWith("/"))) {
            return ofFile(text, name, servers, transport);
        }
        requireServerOf(text, servers, transport);
        return new NodeCacheZone(
                name, servers.stream().map(server -> server(server, transport)).toList(), transport, Optional.empty());
    }

    /** Checks that a transport other than TLS applies to at least one server, one without {@code tls://}. */
    private static void requireServerOf(String text, List<String> servers, Optional<String> transport) {
        boolean isPlain = transport.isPresent() && !transport.get().equals(TLS);
        if (isPlain && servers.stream().allMatch(server -> server.startsWith(TLS_SCHEME))) {
            String written = text.substring(0, text.length() - transport.get().length() - 1);
            throw new IllegalArgumentException("a server with " + TLS_SCHEME + " is queried over TLS, not over "
                    + transport.get() + "; write '" + written + "': '" + text + "'");
        }
    }

    private static NodeCacheZone ofFile(String text, DnsLabels name, List<String> files, Optional<String> transport) {
        if (files.size() > 1) {
            throw new IllegalArgumentException("a file replaces all servers; write it alone: '" + text + "'");
        }
        if (transport.equals(Optional.of(TLS))) {
            throw new IllegalArgumentException("name servers of a file are not queried over TLS: '" + text + "'");
        }
        return new NodeCacheZone(name, List.of(), transport, Optional.of(files.get(0)));
    }

    /**
     * Returns the zone with the name servers of its file; without a file, returns this zone.
     *
     * @param skipped receives warnings about lines that are skipped
     * @throws IOException if the file cannot be read, or has no usable name server; the message contains the path
     */
    NodeCacheZone read(Consumer<String> skipped) throws IOException {
        if (file.isEmpty()) {
            return this;
        }
        List<UpstreamServer> named = HostResolver.servers(file.get(), skipped);
        List<UpstreamServer> all = transport.equals(Optional.of(TCP))
                ? named.stream().map(UpstreamServer::overTcp).toList()
                : named;
        return new NodeCacheZone(name, all, transport, file);
    }

    private static UpstreamServer server(String text, Optional<String> transport) {
        boolean addsTls = transport.equals(Optional.of(TLS)) && !text.startsWith(TLS_SCHEME);
        UpstreamServer server = UpstreamOptions.server(addsTls ? TLS_SCHEME + text : text);
        return transport.equals(Optional.of(TCP)) ? server.overTcp() : server;
    }

    /** Returns the zone with TCP as the transport if the text has none. */
    NodeCacheZone overTcpByDefault() {
        return transport.isPresent()
                ? this
                : new NodeCacheZone(
                        name, servers.stream().map(UpstreamServer::overTcp).toList(), transport, file);
    }

    /** Returns the zone for a forwarder, with a random choice of the server. */
    UpstreamZone toUpstream() {
        UpstreamZone.Builder zone = UpstreamZone.builder(name).policy(UpstreamPolicy.RANDOM);
        servers.forEach(zone::server);
        return zone.build();
    }
}
