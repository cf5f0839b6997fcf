package io.k8sdns.explain;

import static io.k8sdns.explain.RecordSources.lower;

import io.k8sdns.arguments.EditDistance;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordType;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.xbill.DNS.Name;

/** Finds the causes why the name of a port has no SRV records. */
final class MissingPort {
    private final Findings findings;
    private final Name name;
    private final RecordType type;
    private final UnpublishedEndpoints unpublished;

    MissingPort(Findings findings, UnpublishedEndpoints unpublished) {
        this.findings = findings;
        this.name = findings.name;
        this.type = findings.type;
        this.unpublished = unpublished;
    }

    void findCauses(ClusterName.PortName asked, Service service, DnsLabels zone) {
        if (!type.equals(RecordType.SRV)) {
            findings.addCause("the name of a port has SRV records only");
        }
        if (findings.resolves(name, RecordType.SRV)) {
            findings.suggestType(RecordType.SRV);
            return;
        }
        String port = lower(asked.port());
        String protocol = lower(asked.protocol());
        boolean exists = service.ports().stream()
                .anyMatch(one -> one.name().filter(port::equals).isPresent()
                        && lower(one.protocol()).equals(protocol));
        if (exists) {
            unpublished.findCauses(service);
            return;
        }
        String known = service.ports().isEmpty()
                ? "none"
                : String.join(
                        ", ",
                        service.ports().stream()
                                .map(one -> one.name().orElse("one without a name") + "/" + one.protocol())
                                .toList());
        findings.addCause(
                service.ref(),
                "spec.ports",
                "no port named " + port + " over " + asked.protocol() + "; the ports are: " + known);
        suggestPorts(findings, service, Optional.of(port), protocol, zone);
        suggestPortName(service, port, zone);
    }

    /** Suggests to name the port of a Service that has one port, without a name; its protocol may be another one. */
    private void suggestPortName(Service service, String portName, DnsLabels zone) {
        if (service.ports().size() != 1) {
            return;
        }
        ServicePort only = service.ports().get(0);
        DnsLabels below = below(service, only.protocol(), portName);
        if (only.name().isEmpty() && below.fitsBelow(zone)) {
            Name named = DnsNames.absolute(below, zone);
            List<ServicePort> ports = List.of(
                    ServicePort.of(portName, only.protocol(), only.port()).withTargetPort(only.targetPort()));
            findings.suggestChange(
                    "name port " + only.port() + " of " + service.ref() + " " + portName
                            + (named.equals(name) ? "" : ", and look up " + named),
                    named,
                    new FieldLocation(service.ref(), "spec.ports[0].name"),
                    UnservedPorts.withPorts(service, ports));
        }
    }

    /**
     * Suggests the named ports of a Service: those with a similar name, the most similar one first, or all.
     *
     * @param asked the name of the port; empty if the name has none
     * @param protocol the protocol that comes first among equally similar names
     */
    static void suggestPorts(
            Findings findings, Service service, Optional<String> asked, String protocol, DnsLabels zone) {
        List<ServicePort> named = service.ports().stream()
                // The label of the longest names would be too long.
                .filter(port -> port.name().filter(ClusterName.PortName::fits).isPresent())
                .toList();
        List<ServicePort> similar = named.stream()
                .filter(port -> asked.filter(
                                text -> EditDistance.isSimilar(text, port.name().orElseThrow()))
                        .isPresent())
                .toList();
        (similar.isEmpty() ? named : similar)
                .stream()
                        .sorted(Comparator.comparing((ServicePort port) -> asked.map(text -> EditDistance.of(
                                                text, port.name().orElseThrow()))
                                        .orElse(0))
                                .thenComparing(port -> !lower(port.protocol()).equals(protocol)))
                        .forEach(port -> findings.suggestName(
                                below(service, port.protocol(), port.name().orElseThrow()), zone, RecordType.SRV));
    }

    private static DnsLabels below(Service service, Protocol protocol, String port) {
        return NameSchema.service(service.name(), service.namespace())
                .prepend(protocol.label())
                .prepend(ClusterName.PortName.label(port));
    }
}
