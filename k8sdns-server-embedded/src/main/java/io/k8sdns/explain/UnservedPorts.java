package io.k8sdns.explain;

import static io.k8sdns.explain.RecordSources.lower;

import io.k8sdns.model.ContainerPort;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.schema.ClusterName;
import java.util.ArrayList;
import java.util.List;

/** Finds the ports of a Service that its EndpointSlices lack. */
final class UnservedPorts {
    private final Findings findings;
    private final DnsLabels labels;

    UnservedPorts(Findings findings) {
        this.findings = findings;
        this.labels = findings.labels;
    }

    /** Adds the missing target port of a Service as a cause, and suggests the named ports of its Pods. */
    void addCauseOfTargetPort(Service service, ServicePort port, List<Pod> selected) {
        List<String> named = selected.stream()
                .flatMap(pod -> pod.ports().stream())
                .filter(one -> one.protocol() == port.protocol())
                .map(ContainerPort::name)
                .distinct()
                .toList();
        String name = port.name().orElse(String.valueOf(port.port()));
        String target = port.targetPort().fold(number -> "", one -> " " + one.name(), unknown -> "");
        String field = "spec.ports[" + service.ports().indexOf(port) + "].targetPort";
        findings.addCause(
                service.ref(),
                field,
                "no container of its Pods has the target port" + target + " of " + name + "; the named ports are: "
                        + (named.isEmpty() ? "none" : String.join(", ", named)));
        for (String other : named) {
            List<ServicePort> ports = service.ports().stream()
                    .map(one -> one.equals(port) ? one.withTargetPort(other) : one)
                    .toList();
            findings.suggestChange(
                    "change the targetPort of port " + name + " of " + service.ref() + " to " + other,
                    new FieldLocation(service.ref(), field),
                    withPorts(service, ports));
        }
    }

    /** Adds the EndpointSlices of a Service that lack the port of the asked name as causes; returns whether none does. */
    boolean checkPortsOfSlices(Service service) {
        boolean haveAll = true;
        for (ServicePort port : askedPorts(service)) {
            for (EndpointSlice slice : findings.slices(service)) {
                if (slice.ports().stream().anyMatch(one -> one.key().equals(port.key()))
                        || slice.endpoints().isEmpty()) {
                    continue;
                }
                haveAll = false;
                String name = port.name().orElseThrow();
                findings.addCause(
                        slice.ref(),
                        "ports",
                        "none has the name " + name + " and the protocol " + port.protocol()
                                + ", as the port of the Service");
                List<EndpointPort> ports = new ArrayList<>(slice.ports());
                ports.removeIf(one -> one.name().isEmpty() && one.protocol() == port.protocol());
                ports.add(EndpointPort.of(name, port.protocol(), port.port()));
                findings.suggestChange(
                        "name the port of " + slice.ref() + " " + name,
                        new FieldLocation(slice.ref(), "ports"),
                        slice.toBuilder().ports(ports).build());
            }
        }
        return haveAll;
    }

    /** Returns the named ports of a Service that the asked name is about. */
    private List<ServicePort> askedPorts(Service service) {
        return service.ports().stream()
                .filter(port -> port.name()
                        .filter(one -> labels.foldedLabel(0).equals(lower(ClusterName.PortName.label(one))))
                        .isPresent())
                .toList();
    }

    static Service withPorts(Service service, List<ServicePort> ports) {
        return service.fold(
                clusterIp -> clusterIp.toBuilder().ports(ports).build(),
                headless -> headless.toBuilder().ports(ports).build(),
                external -> external);
    }
}
