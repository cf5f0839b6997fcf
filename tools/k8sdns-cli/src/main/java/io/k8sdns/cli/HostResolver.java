package io.k8sdns.cli;

import io.k8sdns.forward.UpstreamServer;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import io.k8sdns.resolvconf.MalformedResolvConfException;
import io.k8sdns.resolvconf.ResolvConf;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Reads the DNS servers and search domains of this host from its resolv.conf. */
final class HostResolver {
    private HostResolver() {}

    /**
     * Returns the servers in their order, at least one.
     *
     * @throws IOException if the file cannot be read, or has no valid nameserver; the message contains the path
     */
    static List<UpstreamServer> servers(String resolvConf) throws IOException {
        try {
            List<UpstreamServer> servers = read(resolvConf).nameservers().stream()
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

    /**
     * Returns the distinct search domains in order. Words that are not host names, such as {@code .}, are ignored.
     *
     * @throws IOException if the file cannot be read; the message contains the path
     */
    static List<DnsLabels> searches(String resolvConf) throws IOException {
        try {
            return read(resolvConf).searches().stream()
                    .flatMap(word -> hostName(word).stream())
                    .distinct()
                    .toList();
        } catch (MalformedResolvConfException malformed) {
            throw new IOException(resolvConf + ": " + malformed.getMessage(), malformed);
        }
    }

    /** Returns the warning that servers, which were read before, could not be read or used again. */
    static String unusable(Object resolvConf, Exception cause) {
        return "warning: the name servers of " + resolvConf + " are not read again, the last ones stay: "
                + cause.getMessage();
    }

    private static ResolvConf read(String resolvConf) throws IOException {
        return ResolvConf.parse(InputFile.nodeFile(resolvConf));
    }

    private static Optional<DnsLabels> hostName(String word) {
        try {
            return Optional.of(DnsLabels.parseHostName(word));
        } catch (InvalidNameException noName) {
            return Optional.empty();
        }
    }
}
