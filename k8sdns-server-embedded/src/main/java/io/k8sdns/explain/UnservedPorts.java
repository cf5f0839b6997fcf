package io.k8sdns.explain;

import static io.k8sdns.explain.RecordSources.lower;

import io.k8sdns.arguments.EditDistance;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.ContainerPort;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordType;
import io.k8sdns.schema.ClusterName;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Finds the ports of a Service that its EndpointSlices lack. */
final class UnservedPorts {
    private final Findings findings;
    private final DnsLabels labels;

    UnservedPorts(Findings findings) {
        this.findings = findings;
        this.labels = findings.labels;
    }

    /** Adds the asked ports of a Service whose target no selected Pod has as causes; at the name of the Service these are all. */
    void findCauses(Service service, List<Pod> selected) {
        findCauses(service, selected, "", List.of());
    }

    /**
     * Adds the asked ports of a Service as causes whose target a Pod would not have, and suggests to change them, too.
     *
     * @param remedy the change that gives the Pod
     */
    void findCauses(Service service, Pod added, String remedy) {
        findCauses(service, List.of(added), remedy + ", and ", List.of(added));
    }

    private void findCauses(Service service, List<Pod> selected, String before, List<Pod> added) {
        boolean isPortAsked = ClusterName.PortName.isLabel(labels.label(0));
        if (!isPortAsked && !findings.type.equals(RecordType.SRV)) {
            return;
        }
        (isPortAsked ? askedPorts(service) : service.ports())
                .stream()
                        .filter(port -> targetName(port).isPresent()
                                && selected.stream()
                                        .flatMap(pod -> pod.ports().stream())
                                        .noneMatch(container -> isTarget(port, container)))
                        .forEach(port -> addCauseOfTargetPort(service, port, selected, before, added));
    }

    /**
     * Adds the missing target port of a Service as a cause, and suggests named ports of its Pods.
     *
     * @param before the first part of the suggestions
     * @param added the Pods that this part gives
     */
    private void addCauseOfTargetPort(
            Service service, ServicePort port, List<Pod> selected, String before, List<Pod> added) {
        List<ContainerPort> named = selected.stream()
                .flatMap(pod -> pod.ports().stream())
                .filter(one -> one.protocol() == port.protocol())
                .distinct()
                .toList();
        List<String> names = named.stream().map(ContainerPort::name).distinct().toList();
        String name = port.name().orElse(String.valueOf(port.port()));
        String target = targetName(port).orElseThrow();
        List<Pod> otherwise = selected.stream()
                .filter(pod -> pod.ports().stream().anyMatch(one -> one.name().equals(target)))
                .toList();
        String field = "spec.ports[" + service.ports().indexOf(port) + "].targetPort";
        findings.addCause(
                service.ref(),
                field,
                "no container of its Pods has the target port " + target + " of " + name
                        + (otherwise.isEmpty() ? "; the named ports" : otherProtocol(port, target, otherwise))
                        + " are: " + (names.isEmpty() ? "none" : String.join(", ", names)));
        if (!otherwise.isEmpty()) {
            suggestProtocol(port, target, otherwise, before);
        }
        for (String other : likelyTargets(service, port, named)) {
            List<ServicePort> ports = service.ports().stream()
                    .map(one -> one.equals(port) ? one.withTargetPort(other) : one)
                    .toList();
            findings.suggestChange(
                    before + "change the targetPort of port " + name + " of " + service.ref() + " to " + other,
                    findings.name,
                    new FieldLocation(service.ref(), field),
                    Stream.concat(Stream.of(withPorts(service, ports)), added.stream())
                            .toArray(ClusterObject[]::new));
        }
    }

    /** Returns the protocols that a target port has in Pods instead of that of the Service's port, and the subject of the next words. */
    private static String otherProtocol(ServicePort port, String target, List<Pod> pods) {
        List<String> protocols = pods.stream()
                .flatMap(pod -> pod.ports().stream())
                .filter(one -> one.name().equals(target))
                .map(one -> one.protocol().toString())
                .distinct()
                .toList();
        return " with the protocol " + port.protocol() + ", but one with " + String.join(" and ", protocols)
                + "; the named ports with " + port.protocol();
    }

    /** Suggests the protocol of a Service's port for the container port of that name in the Pods of one workload. */
    private void suggestProtocol(ServicePort port, String target, List<Pod> pods, String before) {
        FieldLocation location = PodOrigins.location(pods.get(0), "spec.containers");
        List<Pod> changed = pods.stream()
                .filter(pod -> PodOrigins.location(pod, "spec.containers").equals(location))
                .map(pod -> pod.toBuilder()
                        .ports(pod.ports().stream()
                                .map(one -> one.name().equals(target)
                                        ? new ContainerPort(target, port.protocol(), one.port())
                                        : one)
                                .toList())
                        .build())
                .toList();
        findings.suggestChange(
                before + "change the protocol of the container port " + target + " of " + location.object() + " to "
                        + port.protocol(),
                findings.name,
                location,
                changed.toArray(ClusterObject[]::new));
    }

    /**
     * Returns the names of the container ports that a port of a Service most probably means: those like its target or its name, otherwise
     * those of its number, otherwise those that no other port of the Service has as its target, such as that of metrics.
     */
    private static List<String> likelyTargets(Service service, ServicePort port, List<ContainerPort> named) {
        Set<String> wanted = new HashSet<>();
        port.name().ifPresent(wanted::add);
        targetName(port).ifPresent(wanted::add);
        List<Predicate<ContainerPort>> preferences = List.of(
                one -> wanted.stream().anyMatch(name -> EditDistance.isSimilar(name, one.name())),
                one -> one.port() == port.port(),
                one -> service.ports().stream().noneMatch(other -> isTarget(other, one)));
        return preferences.stream()
                .map(preferred -> named.stream()
                        .filter(preferred)
                        .map(ContainerPort::name)
                        .distinct()
                        .toList())
                .filter(names -> !names.isEmpty())
                .findFirst()
                .orElseGet(
                        () -> named.stream().map(ContainerPort::name).distinct().toList());
    }

    /** Returns whether a port of a Service leads to a container port. */
    static boolean isTarget(ServicePort port, ContainerPort container) {
        return port.protocol() == container.protocol()
                && port.targetPort()
                        .fold(
                                numbered -> numbered.port() == container.port(),
                                one -> one.name().equals(container.name()),
                                unknown -> false);
    }

    private static Optional<String> targetName(ServicePort port) {
        return port.targetPort()
                .fold(numbered -> Optional.empty(), one -> Optional.of(one.name()), unknown -> Optional.empty());
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
