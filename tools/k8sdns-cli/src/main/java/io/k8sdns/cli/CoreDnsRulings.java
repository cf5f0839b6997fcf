package io.k8sdns.cli;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.ClusterName.EndpointAddressName;
import io.k8sdns.schema.ClusterName.EndpointName;
import io.k8sdns.schema.ClusterName.ProtocolName;
import io.k8sdns.schema.ClusterName.ServiceName;
import io.k8sdns.schema.NameSchema;
import io.k8sdns.sockets.ServerCheck.Difference;
import io.k8sdns.verify.Expectation;
import io.k8sdns.verify.Verdict;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Explains the differences between k8sdns and a healthy CoreDNS that exist because k8sdns follows the specification or an RFC where
 * CoreDNS does not. Each rule is as narrow as possible: it does not explain any other answer at the same name.
 */
final class CoreDnsRulings {
    static final String PROTOCOL_NAME =
            "_tcp and _udp below a Service exist if a port name is below them (RFC 8020); CoreDNS "
                    + "takes them for endpoints: NXDOMAIN";
    static final String DASHED_NAME =
            "an endpoint with a hostname has its address with dashes as a name, too (DNS for Services and "
                    + "Pods); CoreDNS has the hostname alone: NXDOMAIN";

    private static final String NXDOMAIN = "got NXDOMAIN";

    private final List<DnsLabels> zones;

    /** The addresses of the endpoints with a hostname. */
    private final Map<ServiceName, Set<IpAddress>> withHostname = new HashMap<>();

    /**
     * Creates the rules for a check.
     *
     * @param expectations the questions of the check
     * @param zones the forward zones
     */
    CoreDnsRulings(List<Expectation> expectations, List<DnsLabels> zones) {
        this.zones = List.copyOf(zones);
        for (Expectation expectation : expectations) {
            if (expectation.outcome() instanceof Verdict.Records records
                    && meaning(expectation) instanceof EndpointName endpoint) {
                records.data()
                        .forEach(data -> IpAddress.tryParse(data)
                                .ifPresent(address -> withHostname
                                        .computeIfAbsent(endpoint.service(), any -> new HashSet<>())
                                        .add(address)));
            }
        }
    }

    /** Returns the reason why CoreDNS answers differently; empty if no rule applies. */
    Optional<String> explanation(Difference difference) {
        Expectation expectation = difference.expectation();
        ClusterName meaning = meaning(expectation);
        boolean isDenied = difference.text().endsWith(NXDOMAIN);
        if (meaning instanceof ProtocolName && expectation.outcome() instanceof Verdict.NoData && isDenied) {
            return Optional.of(PROTOCOL_NAME);
        }
        if (meaning instanceof EndpointAddressName dashed
                && isDenied
                && withHostname.getOrDefault(dashed.service(), Set.of()).contains(dashed.address())) {
            return Optional.of(DASHED_NAME);
        }
        return Optional.empty();
    }

    /** Returns the meaning of a name in its zone; for a name outside all forward zones that of an unknown name. */
    private ClusterName meaning(Expectation expectation) {
        DnsLabels labels = DnsNames.labels(expectation.name());
        return zones.stream()
                .flatMap(zone -> labels.below(zone).stream())
                .findFirst()
                .map(NameSchema::parse)
                .orElseGet(() -> new ClusterName.UnknownName(labels));
    }
}
