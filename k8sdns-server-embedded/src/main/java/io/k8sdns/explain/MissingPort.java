package io.k8sdns.explain;

import static io.k8sdns.explain.RecordSources.lower;

import io.k8sdns.arguments.EditDistance;
import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.ContainerPort;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordType;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import java.util.ArrayList;
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
                                && lower(one.protocol()).equals(protocol))
                || service instanceof HeadlessService && haveSlicesPort(service, port, protocol);
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
        List<ContainerPort> containerPorts = unpublished.selected(service).stream()
                .flatMap(pod -> pod.ports().stream())
                .filter(container -> container.name().equals(port))
                .distinct()
                .toList();
        List<ServicePort> meant = meantPorts(service, port, protocol, containerPorts);
        if (meant.isEmpty()) {
            containerPorts.forEach(container -> suggestNewPort(service, container, zone));
            suggestPorts(findings, service, Optional.of(port), protocol, zone);
        }
        meant.forEach(one -> suggestPort(findings, service, one, zone));
        meant.forEach(one -> suggestPortName(service, one, port, zone));
    }

    /** Returns whether an EndpointSlice has a port: those of a headless Service have names, whether the Service lists them or not. */
    private boolean haveSlicesPort(Service service, String port, String protocol) {
        return findings.slices(service).stream()
                .flatMap(slice -> slice.ports().stream())
                .anyMatch(one -> one.name().filter(port::equals).isPresent()
                        && lower(one.protocol()).equals(protocol));
    }

    /** Suggests to add a port for a container port that no port of the Service has as its target. */
    private void suggestNewPort(Service service, ContainerPort container, DnsLabels zone) {
        DnsLabels below = below(service, container.protocol(), container.name());
        boolean isAllowed = service.ports().stream()
                // An API server refuses a second port of a number, and one beside a port without a name.
                .allMatch(one -> one.name().isPresent()
                        && !(one.port() == container.port() && one.protocol() == container.protocol()));
        if (!isAllowed || !below.fitsBelow(zone)) {
            return;
        }
        List<ServicePort> ports = new ArrayList<>(service.ports());
        ports.add(ServicePort.of(container.name(), container.protocol(), container.port())
                .withTargetPort(container.name()));
        findings.suggestChange(
                "add port " + container.name() + " (" + container.port() + "/" + container.protocol() + ") to "
                        + service.ref(),
                DnsNames.absolute(below, zone),
                new FieldLocation(service.ref(), "spec.ports"),
                UnservedPorts.withPorts(service, ports));
    }

    /**
     * Returns the ports of a Service that the asked name means although they have another name or none: those with this number or with a
     * target of this name, if possible of this protocol; otherwise the only one, unless a container port has the asked name. Empty if the
     * name of a port is similar: it is misspelt.
     */
    private static List<ServicePort> meantPorts(
            Service service, String asked, String protocol, List<ContainerPort> containerPorts) {
        List<ServicePort> ports = service.ports();
        boolean isMisspelt = ports.stream()
                .flatMap(port -> port.name().stream())
                .anyMatch(known -> EditDistance.isSimilar(asked, known));
        if (isMisspelt) {
            return List.of();
        }
        List<ServicePort> meant = ports.stream()
                .filter(port -> asked.equals(String.valueOf(port.port()))
                        || port.targetPort()
                                .fold(
                                        numbered -> asked.equals(String.valueOf(numbered.port())),
                                        named -> named.name().equals(asked),
                                        unknown -> false)
                        || containerPorts.stream().anyMatch(container -> UnservedPorts.isTarget(port, container)))
                .toList();
        if (meant.isEmpty()) {
            return ports.size() == 1 && containerPorts.isEmpty() ? ports : List.of();
        }
        List<ServicePort> ofProtocol = meant.stream()
                .filter(port -> lower(port.protocol()).equals(protocol))
                .toList();
        return ofProtocol.isEmpty() ? meant : ofProtocol;
    }

    /** Suggests to name a port of a Service as asked; its protocol may be another one. */
    private void suggestPortName(Service service, ServicePort port, String newName, DnsLabels zone) {
        DnsLabels below = below(service, port.protocol(), newName);
        // A port cannot have every name that can be asked for.
        if (!KubernetesNames.isDnsLabel(newName) || !below.fitsBelow(zone)) {
            return;
        }
        Name named = DnsNames.absolute(below, zone);
        List<ServicePort> ports = service.ports().stream()
                .map(one -> one.equals(port)
                        ? ServicePort.of(newName, port.protocol(), port.port()).withTargetPort(port.targetPort())
                        : one)
                .toList();
        String change = port.name()
                .map(oldName -> "rename port " + oldName + " of " + service.ref() + " to " + newName)
                .orElseGet(() -> "name port " + port.port() + " of " + service.ref() + " " + newName);
        findings.suggestChange(
                change,
                named,
                new FieldLocation(service.ref(), "spec.ports[" + service.ports().indexOf(port) + "].name"),
                UnservedPorts.withPorts(service, ports));
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
                        .forEach(port -> suggestPort(findings, service, port, zone));
    }

    /** Suggests the name of a port, if it has one. */
    private static void suggestPort(Findings findings, Service service, ServicePort port, DnsLabels zone) {
        port.name()
                .filter(ClusterName.PortName::fits)
                .ifPresent(known -> findings.suggestName(below(service, port.protocol(), known), zone, RecordType.SRV));
    }

    private static DnsLabels below(Service service, Protocol protocol, String port) {
        return NameSchema.service(service.name(), service.namespace())
                .prepend(protocol.label())
                .prepend(ClusterName.PortName.label(port));
    }
}
