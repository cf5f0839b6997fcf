package io.k8sdns.cli;

import io.k8sdns.forward.UpstreamServer;
import io.k8sdns.name.DnsLabels;
import java.util.Arrays;
import java.util.List;

/**
 * A domain with its own name servers, the value of {@code DOMAIN=SERVER[,SERVER]...}.
 *
 * @param domain the domain
 * @param servers the name servers, at least one
 */
record StubDomain(DnsLabels domain, List<UpstreamServer> servers) {
    StubDomain {
        servers = List.copyOf(servers);
    }

    /**
     * Parses a stub domain.
     *
     * @throws IllegalArgumentException if the text is invalid; the message contains the reason
     */
    static StubDomain parse(String text) {
        int equals = text.indexOf('=');
        if (equals < 1 || equals == text.length() - 1) {
            throw new IllegalArgumentException("not DOMAIN=SERVER[,SERVER]...: '" + text + "'");
        }
        DnsLabels domain = DnsLabels.parseHostName(text.substring(0, equals));
        if (domain.isEmpty()) {
            throw new IllegalArgumentException(
                    "not the name of a domain: '" + text.substring(0, equals) + "'; --forward is for all other names");
        }
        return new StubDomain(
                domain,
                Arrays.stream(text.substring(equals + 1).split(",", -1))
                        .map(UpstreamOptions::server)
                        .toList());
    }
}
