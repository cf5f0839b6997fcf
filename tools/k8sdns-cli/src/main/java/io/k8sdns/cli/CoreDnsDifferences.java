package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Pod;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.schema.AddressLabels;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.ClusterName.EndpointAddressName;
import io.k8sdns.schema.ClusterName.EndpointName;
import io.k8sdns.schema.ClusterName.PodName;
import io.k8sdns.schema.ClusterName.ProtocolName;
import io.k8sdns.schema.ClusterName.ServiceName;
import io.k8sdns.schema.NameSchema;
import io.k8sdns.sockets.ServerCheck.Difference;
import io.k8sdns.verify.AnswerDifference;
import io.k8sdns.verify.Expectation;
import io.k8sdns.verify.ExpectedOutcome;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/**
 * Explains the differences between k8sdns and a healthy CoreDNS that exist because k8sdns follows the specification or an RFC where
 * CoreDNS does not. Each rule is as narrow as possible: it does not explain any other answer at the same name.
 */
final class CoreDnsDifferences {
    static final String PROTOCOL_NAME =
            "_tcp and _udp below a Service exist if a port name is below them (RFC 8020); CoreDNS "
                    + "takes them for endpoints: NXDOMAIN";
    static final String DASHED_NAME =
            "an endpoint with a hostname has its address with dashes as a name, too (DNS for Services and "
                    + "Pods); CoreDNS has the hostname alone: NXDOMAIN";

    static final String POD_ADDRESS =
            "each address of a Pod has a name; CoreDNS with 'pods verified' knows status.podIP alone: NXDOMAIN";
    static final String TERMINATING_POD =
            "a Pod has its name until it is deleted; CoreDNS with 'pods verified' does not read Pods that were being deleted "
                    + "when it started: NXDOMAIN";
    static final String SPELLING =
            "a label does not begin or end with a dash, so '::1' is '0--1' and '2001:db8::' is '2001-db8--0'; CoreDNS has "
                    + "'--1' and '2001-db8--'";
    static final String UNUSED_ADDRESS =
            "no Service has this address; CoreDNS asks its upstream servers, if its Corefile has 'fallthrough'";

    private final List<DnsLabels> zones;

    private final List<Pod> pods;

    /** The addresses of the endpoints with a hostname. */
    private final Map<ServiceName, Set<IpAddress>> withHostname = new HashMap<>();

    /**
     * Creates the rules for a check.
     *
     * @param expectations the questions of the check
     * @param objects the objects of the cluster
     * @param zones the forward zones
     */
    CoreDnsDifferences(List<Expectation> expectations, ClusterSnapshot objects, List<DnsLabels> zones) {
        this.zones = List.copyOf(zones);
        this.pods = objects.objects(Pod.class).toList();
        for (Expectation expectation : expectations) {
            if (expectation.outcome() instanceof ExpectedOutcome.Records records
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
        boolean isDenied = difference.answer().isOnly(Rcode.NXDOMAIN);
        if (meaning instanceof ProtocolName && expectation.outcome() instanceof ExpectedOutcome.NoData && isDenied) {
            return Optional.of(PROTOCOL_NAME);
        }
        if (meaning instanceof EndpointAddressName dashed
                && isDenied
                && withHostname.getOrDefault(dashed.service(), Set.of()).contains(dashed.address())) {
            return Optional.of(DASHED_NAME);
        }
        if (isDenied && isSpelledOtherwise(meaning)) {
            return Optional.of(SPELLING);
        }
        if (meaning instanceof PodName pod && isDenied) {
            return ofPod(pod);
        }
        return isUnusedAddress(expectation) && isOfOthers(difference.answer())
                ? Optional.of(UNUSED_ADDRESS)
                : Optional.empty();
    }

    /** Returns whether the label of an address is not its text with dashes in place of dots and colons, as CoreDNS writes it. */
    private static boolean isSpelledOtherwise(ClusterName meaning) {
        Optional<IpAddress> address = meaning instanceof EndpointAddressName endpoint
                ? Optional.of(endpoint.address())
                : meaning instanceof PodName pod ? Optional.of(pod.address()) : Optional.empty();
        return address.filter(ip -> !AddressLabels.of(ip).equals(ip.toString().replaceAll("[.:]", "-")))
                .isPresent();
    }

    private Optional<String> ofPod(PodName name) {
        List<Pod> same = pods.stream()
                .filter(pod -> pod.namespace().equals(name.namespace().toString())
                        && pod.ips().contains(name.address()))
                .toList();
        List<Pod> first = same.stream()
                .filter(pod -> pod.ips().get(0).equals(name.address()))
                .toList();
        if (first.isEmpty()) {
            return same.isEmpty() ? Optional.empty() : Optional.of(POD_ADDRESS);
        }
        return first.stream().allMatch(Pod::terminating) ? Optional.of(TERMINATING_POD) : Optional.empty();
    }

    private static boolean isUnusedAddress(Expectation expectation) {
        return expectation.type().number() == Type.PTR && expectation.outcome() instanceof ExpectedOutcome.NoSuchName;
    }

    /** Returns whether an answer is that of other servers: no failure, and no name of the cluster. */
    private boolean isOfOthers(AnswerDifference answer) {
        return answer.has(Rcode.NOERROR)
                && Stream.concat(answer.data().stream(), answer.others().stream())
                        .noneMatch(text -> zones.stream().anyMatch(zone -> text.endsWith("." + zone + ".")));
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
