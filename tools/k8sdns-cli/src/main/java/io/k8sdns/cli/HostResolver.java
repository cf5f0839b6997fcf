package io.k8sdns.cli;

import io.k8sdns.forward.UpstreamServer;
import io.k8sdns.resolvconf.ResolvConf;
import java.io.IOException;
import java.util.List;

/** The DNS servers of the host, from its resolv.conf. */
final class HostResolver {
    private HostResolver() {}

    /**
     * Returns the servers in their order, at least one.
     *
     * @throws IOException if the file cannot be read, or has no valid nameserver; the message names it
     */
    static List<UpstreamServer> servers(String resolvConf) throws IOException {
        try {
            List<UpstreamServer> servers = ResolvConf.parse(InputFile.nodeFile(resolvConf)).nameservers().stream()
                    .map(UpstreamServer::parse)
                    .toList();
            if (servers.isEmpty()) {
                throw new IOException(resolvConf + ": no nameserver");
            }
            return servers;
        } catch (IllegalArgumentException malformed) {
            throw new IOException(resolvConf + ": " + malformed.getMessage(), malformed);
        }
    }
}
