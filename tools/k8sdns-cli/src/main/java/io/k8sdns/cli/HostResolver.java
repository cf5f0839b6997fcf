package io.k8sdns.cli;

import io.k8sdns.forward.UpstreamServer;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import io.k8sdns.resolvconf.MalformedResolvConfException;
import io.k8sdns.resolvconf.ResolvConf;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Reads the DNS servers and search domains of this host from its resolv.conf. */
final class HostResolver {
    private HostResolver() {}

    /**
     * Returns the servers in their order, at least one. A line whose server cannot be used, as one with a scoped address like
     * {@code fe80::1%eth0}, is skipped, because the C library also uses the other ones.
     *
     * @param skipped receives a warning for each skipped line, with path, line and reason, if there is another server
     * @throws IOException if the file cannot be read, or has no usable nameserver; the message contains the path
     */
    static List<UpstreamServer> servers(String resolvConf, Consumer<String> skipped) throws IOException {
        List<UpstreamServer> servers = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        List<String> lines = text(resolvConf).lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            String[] words = lines.get(i).strip().split("\\s+", 3);
            if (words[0].equals("nameserver")) {
                try {
                    servers.add(server(words.length < 2 ? "" : words[1]));
                } catch (IllegalArgumentException unusable) {
                    problems.add(resolvConf + ":" + (i + 1) + ": " + unusable.getMessage());
                }
            }
        }
        if (servers.isEmpty()) {
            throw new IOException(problems.isEmpty() ? resolvConf + ": no nameserver" : String.join("; ", problems));
        }
        problems.forEach(problem -> skipped.accept("warning: " + problem + "; the line is skipped"));
        return servers;
    }

    /** Parses an address. Unlike the C library, a port may follow, for servers that cannot have port 53. */
    private static UpstreamServer server(String word) {
        if (word.isEmpty()) {
            throw new IllegalArgumentException("nameserver without an address");
        }
        int scope = word.indexOf('%');
        if (scope > 0 && IpAddress.tryParse(word.substring(0, scope)).isPresent()) {
            throw new IllegalArgumentException(
                    "nameserver " + word + ": addresses with an interface are not supported");
        }
        try {
            UpstreamServer server = UpstreamServer.parse(word);
            if (!server.address().isUnresolved() && server.transport() == UpstreamServer.Transport.UDP) {
                return server;
            }
        } catch (IllegalArgumentException invalid) {
            // Reported in the words of a resolv.conf, where a server is an address.
        }
        throw new IllegalArgumentException("nameserver " + word + ": not an IP address, with or without a port");
    }

    /**
     * Returns the distinct search domains in order. Words that are not host names, such as {@code .}, are ignored, and so is every
     * other line, because a {@code nameserver} that cannot be used does not change them.
     *
     * @throws IOException if the file cannot be read; the message contains the path
     */
    static List<DnsLabels> searches(String resolvConf) throws IOException {
        String lines = text(resolvConf)
                .lines()
                .filter(line -> line.strip().startsWith("search"))
                .collect(Collectors.joining("\n"));
        try {
            return ResolvConf.parse(lines).searches().stream()
                    .flatMap(word -> hostName(word).stream())
                    .distinct()
                    .toList();
        } catch (MalformedResolvConfException tooLarge) {
            throw new IOException(resolvConf + ": " + tooLarge.getMessage(), tooLarge);
        }
    }

    /** Returns the warning that servers, which were read before, could not be read or used again. */
    static String unusable(Object resolvConf, Exception cause) {
        return "warning: the name servers of " + resolvConf + " are not read again, the last ones stay: "
                + cause.getMessage();
    }

    private static String text(String resolvConf) throws IOException {
        try {
            return InputFile.nodeFile(resolvConf);
        } catch (MalformedResolvConfException malformed) {
            throw new IOException(resolvConf + ": " + malformed.getMessage(), malformed);
        }
    }

    private static Optional<DnsLabels> hostName(String word) {
        try {
            return Optional.of(DnsLabels.parseHostName(word));
        } catch (InvalidNameException noName) {
            return Optional.empty();
        }
    }
}
