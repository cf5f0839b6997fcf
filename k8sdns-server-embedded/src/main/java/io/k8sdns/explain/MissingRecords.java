package io.k8sdns.explain;

import static io.k8sdns.explain.RecordSources.lower;

import io.k8sdns.arguments.EditDistance;
import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.explain.Explanation.Cause;
import io.k8sdns.explain.Explanation.Suggestion;
import io.k8sdns.explain.PodOrigins.Place;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.ContainerPort;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Selector;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServicePort;
import io.k8sdns.model.StatefulSet;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.PodsMode;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.schema.AddressLabels;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import io.k8sdns.slices.EndpointSliceRules;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.xbill.DNS.Name;

/** Finds the causes why a name has no records of a type, and what would resolve. One method for each form of a name. */
final class MissingRecords {
    private static final int MAX_SUGGESTIONS = 5;
    private static final int MAX_PODS = 5;

    /** The labels of Pods without a prefix that controllers add. */
    private static final Set<String> ADDED_LABELS = Set.of(
            "pod-template-hash", "controller-revision-hash", "pod-template-generation", "job-name", "controller-uid");

    private static final List<RecordType> OTHER_TYPES = List.of(RecordType.A, RecordType.AAAA, RecordType.SRV);

    private final ClusterSnapshot cluster;
    private final ZoneSettings settings;
    private final Visibility visibility;
    private final WhatIf whatIf;
    private final boolean triesChanges;
    private final PodOrigins origins;
    private final Name name;
    private final RecordType type;
    private final DnsLabels labels;
    private final List<Cause> causes = new ArrayList<>();
    private final List<Suggestion> suggestions = new ArrayList<>();

    MissingRecords(
            ClusterSnapshot cluster,
            ZoneSettings settings,
            Visibility visibility,
            WhatIf whatIf,
            boolean triesChanges,
            PodOrigins origins,
            Name name,
            RecordType type) {
        this.cluster = cluster;
        this.settings = settings;
        this.visibility = visibility;
        this.whatIf = whatIf;
        this.triesChanges = triesChanges;
        this.origins = origins;
        this.name = name;
        this.type = type;
        this.labels = DnsNames.labels(name);
    }

    List<Cause> causes() {
        return causes;
    }

    List<Suggestion> suggestions() {
        return suggestions;
    }

    void find() {
        Optional<DnsLabels> zone =
                settings.zones().stream().filter(labels::endsWith).findFirst();
        if (zone.isPresent()) {
            find(labels.below(zone.get()).orElse(DnsLabels.EMPTY), zone.get());
        } else if (settings.isServed(labels)) {
            reverse();
        } else {
            notServed();
        }
    }

    private void find(DnsLabels below, DnsLabels zone) {
        ClusterName parsed = NameSchema.parse(below);
        Optional<ClusterName.ServiceName> service = RecordSources.serviceOf(parsed);
        if (service.isPresent()) {
            ofService(parsed, service.get(), zone);
        } else if (parsed instanceof ClusterName.PodName pod) {
            podName(pod, zone);
        } else if (parsed instanceof ClusterName.UnknownName) {
            unknown(below, zone);
        } else {
            namespaceOrFixed(parsed, zone);
        }
    }

    // ---- names outside the schema ----

    private void notServed() {
        cause("not below a zone of this server (" + String.join(", ", texts(settings.zones())) + ")");
        for (DnsLabels zone : settings.zones()) {
            lookUp(labels, zone);
            lookUp(labels.append(DnsLabels.of(NameSchema.SERVICES)), zone);
            // The zone may be misspelt: everything up to "svc" or "pod" stays.
            for (int i = labels.count() - 1; i >= 2; i--) {
                String label = labels.foldedLabel(i);
                if (label.equals(NameSchema.SERVICES) || label.equals(NameSchema.PODS)) {
                    lookUp(labels.first(i + 1), zone);
                }
            }
        }
    }

    private void unknown(DnsLabels below, DnsLabels zone) {
        int count = below.count();
        String last = below.foldedLabel(count - 1);
        if (!last.equals(NameSchema.SERVICES) && !last.equals(NameSchema.PODS)) {
            cause("the label before the zone is \"" + last + "\"; it is \"svc\" for Services and \"pod\" for Pods");
            lookUp(below.append(DnsLabels.of(NameSchema.SERVICES)), zone);
            if (last.length() == NameSchema.SERVICES.length()) {
                lookUp(below.first(count - 1).append(DnsLabels.of(NameSchema.SERVICES)), zone);
            }
            return;
        }
        if (last.equals(NameSchema.PODS)) {
            cause("not a pod name, which is the address with dashes, the namespace and \"pod\"");
            if (count == 6) {
                String address = String.join("-", below.label(0), below.label(1), below.label(2), below.label(3));
                lookUp(below.skip(4).prepend(address), zone);
            }
            if (count == 3) {
                String pod = below.foldedLabel(0);
                String namespace = below.foldedLabel(1);
                cluster.objects(Pod.class)
                        .filter(one -> one.namespace().equals(namespace)
                                && (one.name().equals(pod) || one.hostname().equals(Optional.of(pod))))
                        .flatMap(one -> one.ips().stream())
                        .forEach(
                                address -> lookUp(NameSchema.pods(namespace).prepend(AddressLabels.of(address)), zone));
            }
            return;
        }
        if (count == 5) {
            cause("a port name and a protocol begin with an underscore: _PORT._PROTOCOL.SERVICE.NAMESPACE.svc");
            DnsLabels fixed =
                    below.skip(2).prepend(withUnderscore(below.label(1))).prepend(withUnderscore(below.label(0)));
            lookUp(fixed, zone, RecordType.SRV);
            return;
        }
        cause("no name of a Service, of a port or of an endpoint has this form");
    }

    private static String withUnderscore(String label) {
        return label.startsWith("_") ? label : "_" + label;
    }

    private void namespaceOrFixed(ClusterName parsed, DnsLabels zone) {
        Optional<String> namespace = Optional.empty();
        if (parsed instanceof ClusterName.ServicesName services) {
            namespace = Optional.of(lower(services.namespace()));
        } else if (parsed instanceof ClusterName.PodsName pods) {
            namespace = Optional.of(lower(pods.namespace()));
        }
        if (namespace.isPresent() && !hasNamespace(namespace.get())) {
            String service = namespace.get();
            cluster.objects(Service.class)
                    .filter(one -> one.name().equals(service))
                    .forEach(one -> lookUp(NameSchema.service(one.name(), one.namespace()), zone));
            return;
        }
        cause("the name exists only because others are below it; it has no records of type " + type);
    }

    // ---- names of Services and below them ----

    private void ofService(ClusterName parsed, ClusterName.ServiceName service, DnsLabels zone) {
        String namespace = lower(service.namespace());
        ObjectRef ref = ObjectRef.of(Service.KIND, namespace, lower(service.service()));
        boolean hasNamespace = hasNamespace(namespace);
        Optional<ClusterObject> found = cluster.get(ref);
        if (found.isEmpty()) {
            if (hasNamespace) {
                cause(ref, "", "no such Service");
                if (parsed instanceof ClusterName.EndpointName endpoint) {
                    serviceOfSubdomain(endpoint, ref);
                }
            }
            otherServices(parsed, service, zone);
        } else if (!visibility.shows((Service) found.get())) {
            cause(ref, "metadata.labels", "hidden, because the server publishes only objects with certain labels");
        } else if (hasNamespace) {
            ofService(parsed, (Service) found.get(), zone);
        }
    }

    /** Suggests the headless Service that a Pod with this hostname and subdomain needs. */
    private void serviceOfSubdomain(ClusterName.EndpointName asked, ObjectRef service) {
        cluster.objects(Pod.class)
                .filter(pod -> pod.namespace().equals(service.namespace().orElseThrow())
                        && pod.subdomain().equals(Optional.of(service.name()))
                        && pod.hostname().equals(Optional.of(lower(asked.hostname()))))
                .findFirst()
                .ifPresent(pod -> {
                    cause(pod, "spec.subdomain", "names this Service");
                    Labels selector = ownLabels(pod);
                    if (!selector.values().isEmpty()) {
                        change(
                                "add a headless " + service + " with the selector " + selector.values(),
                                new Place(service, ""),
                                HeadlessService.builder(pod.namespace(), service.name())
                                        .selector(selector)
                                        .build());
                    }
                });
    }

    /** Returns the labels of a Pod without those that its controller adds. */
    private static Labels ownLabels(Pod pod) {
        Map<String, String> own = new TreeMap<>(pod.labels().values());
        own.keySet()
                .removeIf(key -> key.contains("kubernetes.io/") && !key.startsWith("app.kubernetes.io/")
                        || ADDED_LABELS.contains(key));
        return new Labels(own);
    }

    /** Returns whether a Namespace exists and is published; adds a cause if not. */
    private boolean hasNamespace(String namespace) {
        ObjectRef ref = ObjectRef.of(Namespace.KIND, namespace);
        Optional<ClusterObject> found = cluster.get(ref);
        if (found.isEmpty()) {
            cause(ref, "", "no such Namespace");
        } else if (!visibility.shows((Namespace) found.get())) {
            cause(ref, "", "hidden, because the server publishes only some namespaces");
        }
        return found.isPresent() && visibility.shows((Namespace) found.get());
    }

    /** Suggests the same name below other Services: of that name, then of a similar one. */
    private void otherServices(ClusterName parsed, ClusterName.ServiceName asked, DnsLabels zone) {
        String service = lower(asked.service());
        String namespace = lower(asked.namespace());
        List<Service> near = new ArrayList<>();
        cluster.objects(Service.class).filter(one -> one.name().equals(service)).forEach(near::add);
        cluster.objects(Service.class)
                .filter(one -> one.namespace().equals(namespace) && EditDistance.isSimilar(one.name(), service))
                .sorted(Comparator.comparing((Service one) -> EditDistance.of(one.name(), service))
                        .thenComparing(Service::name))
                .forEach(near::add);
        cluster.objects(Service.class)
                .filter(one -> one.name().equals(namespace) && one.namespace().equals(service))
                .forEach(near::add);
        near.sort(Comparator.comparing((Service one) -> !EditDistance.isSimilar(one.namespace(), namespace)));
        DnsLabels prefix =
                parsed.labels().first(parsed.labels().count() - asked.labels().count());
        for (Service one : near) {
            lookUp(prefix.append(NameSchema.service(one.name(), one.namespace())), zone);
        }
    }

    private void ofService(ClusterName parsed, Service service, DnsLabels zone) {
        if (service instanceof ExternalNameService external) {
            externalName(parsed, external);
        } else if (service instanceof ClusterIpService clusterIp
                && clusterIp.clusterIps().isEmpty()) {
            cause(service.ref(), "spec.clusterIP", "no cluster IP yet, and not \"None\"");
        } else if (parsed instanceof ClusterName.PortName port) {
            portName(port, service, zone);
        } else if (parsed instanceof ClusterName.ProtocolName protocol) {
            cause("the name of a protocol has no records itself, only the names of ports below it");
            ports(service, Optional.empty(), lower(protocol.protocol()), zone);
        } else if (!(parsed instanceof ClusterName.ServiceName) && hasOtherTypes(service, "the name ", "")) {
            return;
        } else if (parsed instanceof ClusterName.EndpointName endpoint) {
            endpointName(endpoint, service, zone);
        } else if (parsed instanceof ClusterName.EndpointAddressName endpoint) {
            cause(service.ref(), "", "no published endpoint has the address " + endpoint.address());
            endpoints(service);
        } else {
            serviceName(service);
        }
    }

    private void externalName(ClusterName parsed, ExternalNameService service) {
        if (!(parsed instanceof ClusterName.ServiceName)) {
            cause(service.ref(), "spec.type", "an ExternalName Service is an alias and has no names below it");
        } else {
            cause(
                    service.ref(),
                    "spec.externalName",
                    service.externalName()
                            .map(target -> "not a DNS name that can be an alias: \"" + target + "\"")
                            .orElse("missing"));
        }
    }

    private void serviceName(Service service) {
        String field = service instanceof ClusterIpService ? "spec.clusterIPs" : "";
        if (!hasOtherTypes(service, "", field) || service instanceof HeadlessService) {
            endpoints(service);
        }
    }

    /** Returns whether the name has records of other types; adds a cause and suggestions if so. */
    private boolean hasOtherTypes(Service service, String subject, String field) {
        List<RecordType> others = OTHER_TYPES.stream()
                .filter(other -> !other.equals(type) && resolves(name, other))
                .toList();
        if (others.isEmpty()) {
            return false;
        }
        String addresses = field.isEmpty() ? "" : addressesInWords(service);
        cause(service.ref(), field, subject + "has records, but none of type " + type + addresses);
        others.forEach(other -> suggest("look up type " + other, name, other));
        return true;
    }

    private static String addressesInWords(Service service) {
        return service instanceof ClusterIpService clusterIp ? "; its addresses are " + clusterIp.clusterIps() : "";
    }

    // ---- ports ----

    private void portName(ClusterName.PortName asked, Service service, DnsLabels zone) {
        if (!type.equals(RecordType.SRV)) {
            cause("the name of a port has SRV records only");
        }
        if (resolves(name, RecordType.SRV)) {
            suggest("look up type SRV", name, RecordType.SRV);
            return;
        }
        String port = lower(asked.port());
        String protocol = lower(asked.protocol());
        boolean exists = service.ports().stream()
                .anyMatch(one -> one.name().filter(port::equals).isPresent()
                        && lower(one.protocol()).equals(protocol));
        if (exists) {
            endpoints(service);
            return;
        }
        String known = service.ports().isEmpty()
                ? "none"
                : String.join(
                        ", ",
                        service.ports().stream()
                                .map(one -> one.name().orElse("one without a name") + "/" + one.protocol())
                                .toList());
        cause(
                service.ref(),
                "spec.ports",
                "no port named " + port + " over " + asked.protocol() + "; the ports are: " + known);
        ports(service, Optional.of(port), protocol, zone);
        nameThePort(service, port, protocol);
    }

    /** Suggests to name the port of a Service that has one port, without a name. */
    private void nameThePort(Service service, String name, String protocol) {
        if (service.ports().size() != 1) {
            return;
        }
        ServicePort only = service.ports().get(0);
        if (only.name().isEmpty() && lower(only.protocol()).equals(protocol)) {
            List<ServicePort> named =
                    List.of(ServicePort.of(name, only.protocol(), only.port()).withTargetPort(only.targetPort()));
            change(
                    "name port " + only.port() + " of " + service.ref() + " " + name,
                    new Place(service.ref(), "spec.ports[0].name"),
                    withPorts(service, named));
        }
    }

    /** Suggests the named ports of a Service, the most similar one first. */
    private void ports(Service service, Optional<String> asked, String protocol, DnsLabels zone) {
        service.ports().stream()
                .filter(port -> port.name().isPresent())
                .sorted(Comparator.comparing((ServicePort port) -> asked.map(text ->
                                        EditDistance.of(text, port.name().orElseThrow()))
                                .orElse(0))
                        .thenComparing(port -> !lower(port.protocol()).equals(protocol)))
                .forEach(port -> lookUp(
                        NameSchema.service(service.name(), service.namespace())
                                .prepend("_" + lower(port.protocol()))
                                .prepend("_" + port.name().orElseThrow()),
                        zone,
                        RecordType.SRV));
    }

    // ---- endpoints ----

    private void endpointName(ClusterName.EndpointName asked, Service service, DnsLabels zone) {
        String hostname = lower(asked.hostname());
        List<Pod> pods = cluster.objects(Pod.class)
                .filter(pod -> pod.namespace().equals(service.namespace()))
                .filter(pod -> pod.hostname().orElse(pod.name()).equals(hostname)
                        || pod.name().equals(hostname))
                .toList();
        if (pods.isEmpty()) {
            cause(service.ref(), "", "no Pod in the namespace has the hostname or the name " + hostname);
            hostnames(service).stream()
                    .filter(one -> EditDistance.isSimilar(one, hostname))
                    .sorted(Comparator.comparing(one -> EditDistance.of(one, hostname)))
                    .forEach(one -> lookUp(
                            NameSchema.service(service.name(), service.namespace())
                                    .prepend(one),
                            zone));
            return;
        }
        for (Pod pod : pods) {
            endpointOf(pod, hostname, service, zone);
        }
    }

    private void endpointOf(Pod pod, String hostname, Service service, DnsLabels zone) {
        Pod.Builder changed = pod.toBuilder();
        List<PodEdit> edits = new ArrayList<>();
        if (!pod.hostname().equals(Optional.of(hostname))) {
            cause(
                    pod,
                    "spec.hostname",
                    pod.hostname().map(one -> "is " + one).orElse("missing")
                            + "; the name of an endpoint is the hostname of its Pod");
            changed.hostname(hostname);
            edits.add(new PodEdit("spec.hostname", hostname));
        }
        if (!pod.subdomain().equals(Optional.of(service.name()))) {
            boolean isServiceName = isServiceName(pod);
            cause(
                    pod,
                    "spec.subdomain",
                    pod.subdomain().map(one -> "is " + one).orElse("missing")
                            + "; it must be the name of the Service"
                            + (isServiceName ? "" : " (a StatefulSet sets it to its spec.serviceName)"));
            pod.subdomain()
                    .ifPresent(other ->
                            lookUp(NameSchema.service(other, pod.namespace()).prepend(hostname), zone));
            changed.subdomain(service.name());
            edits.add(new PodEdit("spec.subdomain", service.name()));
        }
        Optional<Labels> selector = EndpointSliceRules.selection(service).selector();
        if (selector.isPresent() && !Selector.ofLabels(selector.get()).test(pod.labels())) {
            cause(service.ref(), "spec.selector", selector.get().values() + " does not match " + withLabels(pod));
            if (edits.isEmpty()) {
                select(service, ownLabels(pod));
            }
            Map<String, String> all = new TreeMap<>(pod.labels().values());
            all.putAll(selector.get().values());
            changed.labels(new Labels(all));
            edits.add(new PodEdit("metadata.labels", selector.get().values().toString()));
        }
        if (isNotReady(pod, service)) {
            notReady(pod);
            changed.ready(true);
            edits.add(new PodEdit("status.conditions", ""));
        }
        if (pod.ips().isEmpty()) {
            withoutAddress(pod);
        }
        if (edits.isEmpty()) {
            return;
        }
        String field = edits.get(0).field();
        String text = edits.size() == 1 && field.equals("spec.subdomain")
                ? statefulSet(pod)
                        .map(set -> "set spec.serviceName of " + set + " to " + service.name())
                        .orElseGet(() -> give(pod, edits))
                : give(pod, edits);
        change(text, origins.place(pod, field), changed.build());
    }

    /**
     * A change of one field of a Pod.
     *
     * @param value the new value; of labels, those to add
     */
    private record PodEdit(String field, String value) {}

    private String give(Pod pod, List<PodEdit> edits) {
        return "give " + origins.place(pod, "").object() + " "
                + String.join(
                        ", ",
                        edits.stream()
                                .map(edit -> switch (edit.field) {
                                    case "status.conditions" -> isMade(pod) ? "ready Pods" : "condition Ready";
                                    case "metadata.labels" -> labelsField(pod) + edit.value;
                                    default -> origins.place(pod, edit.field).field() + " " + edit.value;
                                })
                                .toList());
    }

    /** Returns the field of the labels in a suggestion, with a space. */
    private String labelsField(Pod pod) {
        return isMade(pod) ? origins.place(pod, "metadata.labels").field() + " " : "the labels ";
    }

    private boolean isMade(Pod pod) {
        return origins.workload(pod).isPresent();
    }

    /** Returns whether the subdomain of a Pod is a field of its StatefulSet. */
    private boolean isServiceName(Pod pod) {
        return origins.place(pod, "spec.subdomain").field().equals("spec.serviceName");
    }

    /** Returns a Pod with its labels in words; of a template, with the labels that stand there. */
    private String withLabels(Pod pod) {
        return origins.words(pod) + " with " + (isMade(pod) ? ownLabels(pod) : pod.labels()).values();
    }

    private void withoutAddress(Pod pod) {
        cause(
                pod,
                "status.podIPs",
                origins.sentence(pod, "no address yet", "has no address yet", "have no address yet"));
    }

    /** Returns the StatefulSet that has made a Pod: its Pods have a label, and names that end in an ordinal. */
    private static Optional<ObjectRef> statefulSet(Pod pod) {
        int dash = pod.name().lastIndexOf('-');
        return dash > 0
                        && pod.labels()
                                .get(StatefulSet.POD_NAME_LABEL)
                                .filter(pod.name()::equals)
                                .isPresent()
                ? Optional.of(ObjectRef.of(
                        StatefulSet.KIND, pod.namespace(), pod.name().substring(0, dash)))
                : Optional.empty();
    }

    private Set<String> hostnames(Service service) {
        Set<String> hostnames = new LinkedHashSet<>();
        slices(service)
                .forEach(
                        slice -> slice.endpoints().forEach(one -> one.hostname().ifPresent(hostnames::add)));
        return hostnames;
    }

    private List<EndpointSlice> slices(Service service) {
        return cluster.objects(EndpointSlice.class)
                .filter(slice -> slice.namespace().equals(service.namespace())
                        && slice.serviceName().filter(service.name()::equals).isPresent())
                .toList();
    }

    /** Adds the causes why a Service has no published endpoint. */
    private void endpoints(Service service) {
        Optional<Labels> selector = EndpointSliceRules.selection(service).selector();
        if (selector.isEmpty()) {
            if (!portsOfSlices(service)) {
                cause(service.ref(), "spec.selector", "no selector, and no EndpointSlice of it has a ready endpoint");
            }
            return;
        }
        List<Pod> selected = matching(service.namespace(), selector.get());
        if (selected.isEmpty()) {
            selectorWithoutPods(service, selector.get());
            return;
        }
        List<Pod> waiting =
                selected.stream().filter(pod -> isNotReady(pod, service)).toList();
        waiting.stream().limit(MAX_PODS).forEach(this::notReady);
        selected.stream().filter(pod -> pod.ips().isEmpty()).limit(MAX_PODS).forEach(this::withoutAddress);
        if (!waiting.isEmpty()) {
            Pod first = waiting.get(0);
            change(
                    "make " + origins.words(first) + " ready",
                    origins.place(first, "status.conditions"),
                    first.toBuilder().ready(true).build());
            if (service instanceof HeadlessService headless) {
                change(
                        "set spec.publishNotReadyAddresses of " + service.ref(),
                        new Place(service.ref(), "spec.publishNotReadyAddresses"),
                        headless.toBuilder().publishNotReadyAddresses(true).build());
            }
        }
        List<ServicePort> unserved = service.ports().stream()
                .filter(port -> slices(service).stream()
                        .noneMatch(slice ->
                                slice.ports().stream().anyMatch(one -> one.key().equals(port.key()))))
                .toList();
        if (!unserved.isEmpty()
                && (type.equals(RecordType.SRV) || labels.label(0).startsWith("_"))) {
            unserved.forEach(port -> targetPort(service, port, selected));
        }
    }

    /** Adds the missing target port of a Service as a cause, and suggests the named ports of its Pods. */
    private void targetPort(Service service, ServicePort port, List<Pod> selected) {
        List<String> named = selected.stream()
                .flatMap(pod -> pod.ports().stream())
                .filter(one -> one.protocol() == port.protocol())
                .map(ContainerPort::name)
                .distinct()
                .toList();
        String name = port.name().orElse(String.valueOf(port.port()));
        String target = port.targetPort().fold(number -> "", one -> " " + one.name(), unknown -> "");
        String field = "spec.ports[" + service.ports().indexOf(port) + "].targetPort";
        cause(
                service.ref(),
                field,
                "no container of its Pods has the target port" + target + " of " + name + "; the named ports are: "
                        + (named.isEmpty() ? "none" : String.join(", ", named)));
        for (String other : named) {
            List<ServicePort> ports = service.ports().stream()
                    .map(one -> one.equals(port) ? one.withTargetPort(other) : one)
                    .toList();
            change(
                    "change the targetPort of port " + name + " of " + service.ref() + " to " + other,
                    new Place(service.ref(), field),
                    withPorts(service, ports));
        }
    }

    private static Service withPorts(Service service, List<ServicePort> ports) {
        return service.fold(
                clusterIp -> clusterIp.toBuilder().ports(ports).build(),
                headless -> headless.toBuilder().ports(ports).build(),
                external -> external);
    }

    /**
     * Adds the EndpointSlices without selector that lack the port of the asked name as causes; returns whether there is one.
     */
    private boolean portsOfSlices(Service service) {
        boolean isFound = false;
        for (ServicePort port : askedPorts(service)) {
            for (EndpointSlice slice : slices(service)) {
                if (slice.ports().stream().anyMatch(one -> one.key().equals(port.key()))
                        || slice.endpoints().isEmpty()) {
                    continue;
                }
                isFound = true;
                String name = port.name().orElseThrow();
                cause(
                        slice.ref(),
                        "ports",
                        "none has the name " + name + " and the protocol " + port.protocol()
                                + ", as the port of the Service");
                List<EndpointPort> ports = new ArrayList<>(slice.ports());
                ports.removeIf(one -> one.name().isEmpty() && one.protocol() == port.protocol());
                ports.add(EndpointPort.of(name, port.protocol(), port.port()));
                change(
                        "name the port of " + slice.ref() + " " + name,
                        new Place(slice.ref(), "ports"),
                        slice.toBuilder().ports(ports).build());
            }
        }
        return isFound;
    }

    /** Returns the named ports of a Service that the asked name is about. */
    private List<ServicePort> askedPorts(Service service) {
        return service.ports().stream()
                .filter(port -> port.name()
                        .filter(one -> labels.foldedLabel(0).equals("_" + lower(one)))
                        .isPresent())
                .toList();
    }

    private List<Pod> matching(String namespace, Labels labels) {
        Selector selector = Selector.ofLabels(labels);
        return cluster.objects(Pod.class)
                .filter(pod -> pod.namespace().equals(namespace) && selector.test(pod.labels()))
                .toList();
    }

    private void selectorWithoutPods(Service service, Labels selector) {
        String words = selector.values().toString();
        List<Pod> elsewhere = cluster.objects(Pod.class)
                .filter(pod -> !pod.namespace().equals(service.namespace())
                        && Selector.ofLabels(selector).test(pod.labels()))
                .limit(1)
                .toList();
        Optional<Pod> nearest = cluster.objects(Pod.class)
                .filter(pod -> pod.namespace().equals(service.namespace()) && likeness(pod, service, selector) > 0)
                .max(Comparator.comparing((Pod pod) -> likeness(pod, service, selector))
                        .thenComparing(Comparator.comparing(Pod::name).reversed()));
        String near = nearest.map(pod -> (isMade(pod) ? "; the nearest are " : "; the nearest is ") + withLabels(pod))
                .orElse("");
        String other = elsewhere.stream()
                .map(pod ->
                        "; it matches " + origins.words(pod) + ", but a Service selects Pods of its own namespace only")
                .findFirst()
                .orElse("");
        cause(service.ref(), "spec.selector", words + " matches no Pod" + near + other);
        nearest.ifPresent(pod -> {
            Map<String, String> fitting = new LinkedHashMap<>();
            selector.values()
                    .keySet()
                    .forEach(key -> pod.labels().get(key).ifPresent(value -> fitting.put(key, value)));
            select(service, fitting.isEmpty() ? ownLabels(pod) : new Labels(fitting));
            Map<String, String> labelled = new TreeMap<>(pod.labels().values());
            labelled.putAll(selector.values());
            change(
                    give(pod, List.of(new PodEdit("metadata.labels", words))),
                    origins.place(pod, "metadata.labels"),
                    pod.toBuilder().labels(new Labels(labelled)).build());
        });
    }

    private void select(Service service, Labels selector) {
        if (!selector.values().isEmpty()) {
            change(
                    "change spec.selector of " + service.ref() + " to " + selector.values(),
                    new Place(service.ref(), "spec.selector"),
                    service.fold(
                            clusterIp ->
                                    clusterIp.toBuilder().selector(selector).build(),
                            headless -> headless.toBuilder().selector(selector).build(),
                            external -> external));
        }
    }

    /**
     * Returns how many labels of a selector a Pod has, a similar value as half of one, and the Service as its subdomain as a quarter.
     */
    private static double likeness(Pod pod, Service service, Labels selector) {
        return selector.values().entrySet().stream()
                        .mapToDouble(entry -> pod.labels()
                                .get(entry.getKey())
                                .map(value -> value.equals(entry.getValue())
                                        ? 1.0
                                        : isSimilar(value, entry.getValue()) ? 0.5 : 0.0)
                                .orElse(0.0))
                        .sum()
                + (pod.subdomain().equals(Optional.of(service.name())) ? 0.25 : 0);
    }

    /** Returns whether values differ by typing errors, or one begins with the other, as web and web-frontend. */
    private static boolean isSimilar(String value, String other) {
        return EditDistance.isSimilar(value, other)
                || !value.isEmpty() && !other.isEmpty() && (value.startsWith(other) || other.startsWith(value));
    }

    private static boolean isNotReady(Pod pod, Service service) {
        return !service.publishNotReadyAddresses() && (!pod.ready().orElse(false) || pod.terminating());
    }

    private void notReady(Pod pod) {
        if (pod.terminating()) {
            cause(pod, "metadata.deletionTimestamp", "is being deleted");
            return;
        }
        String text = "not ready, so that it is not published";
        cause(
                pod,
                "status.conditions",
                origins.sentence(pod, text, "is " + text, "are not ready, so that they are not published"));
    }

    // ---- Pods and addresses ----

    private void podName(ClusterName.PodName asked, DnsLabels zone) {
        String namespace = lower(asked.namespace());
        if (settings.pods() == PodsMode.DISABLED) {
            cause("the server has no pod names (--pods disabled)");
            return;
        }
        if (!hasNamespace(namespace)) {
            return;
        }
        List<Pod> pods = podsWith(asked.address());
        if (pods.isEmpty()) {
            cause("no Pod has the address " + asked.address());
        }
        for (Pod pod : pods) {
            if (!pod.namespace().equals(namespace)) {
                cause(pod.ref(), "metadata.namespace", "has this address, in another namespace");
                lookUp(NameSchema.pods(pod.namespace()).prepend(labels.label(0)), zone);
            } else if (resolves(name, asked.address().isIpv4() ? RecordType.A : RecordType.AAAA)) {
                RecordType other = asked.address().isIpv4() ? RecordType.A : RecordType.AAAA;
                cause(pod.ref(), "status.podIPs", "has records, but none of type " + type);
                suggest("look up type " + other, name, other);
            } else {
                cause(
                        pod.ref(),
                        "status.phase",
                        pod.phase().map(phase -> "is " + phase).orElse("unknown"));
            }
        }
    }

    private List<Pod> podsWith(IpAddress address) {
        return cluster.objects(Pod.class)
                .filter(pod -> pod.ips().contains(address))
                .toList();
    }

    private void reverse() {
        Optional<IpAddress> address = NameSchema.parseReverse(labels)
                .filter(network -> network.hostBits() == 0)
                .map(IpNetwork::base);
        if (address.isEmpty()) {
            cause("not the reverse name of one address");
            return;
        }
        if (resolves(name, RecordType.PTR)) {
            cause("a reverse name has PTR records only");
            suggest("look up type PTR", name, RecordType.PTR);
            return;
        }
        List<Pod> pods = podsWith(address.get());
        if (pods.isEmpty()) {
            cause("no Service and no endpoint has the address " + address.get());
        }
        pods.forEach(pod -> cause(pod.ref(), "", "has this address, but no Service publishes it"));
    }

    // ---- results ----

    private void cause(String text) {
        causes.add(new Cause(Optional.empty(), "", text));
    }

    private void cause(ObjectRef object, String field, String text) {
        Cause cause = new Cause(Optional.of(object), field, text);
        // The Pods of a workload have the same causes.
        if (!causes.contains(cause)) {
            causes.add(cause);
        }
    }

    private void cause(Pod pod, String field, String text) {
        Place place = origins.place(pod, field);
        cause(place.object(), place.field(), text);
    }

    private boolean resolves(Name other, RecordType otherType) {
        return whatIf.resolves(other, otherType, List.of());
    }

    private void lookUp(DnsLabels below, DnsLabels zone) {
        lookUp(below, zone, type);
    }

    /** Suggests another name, if it resolves. */
    private void lookUp(DnsLabels below, DnsLabels zone, RecordType otherType) {
        if (below.fitsBelow(zone)) {
            Name other = DnsNames.absolute(below, zone);
            String ofType = otherType.equals(type) ? "" : " with type " + otherType;
            suggest("look up " + other + ofType, other, otherType);
        }
    }

    /** Suggests to replace an object, if the name then resolves. */
    private void change(String text, Place place, ClusterObject changed) {
        if (triesChanges) {
            suggest(text, name, type, Optional.of(place), List.of(new ClusterChange.Put(changed)));
        }
    }

    private void suggest(String text, Name other, RecordType otherType) {
        suggest(text, other, otherType, Optional.empty(), List.of());
    }

    private void suggest(
            String text, Name other, RecordType otherType, Optional<Place> place, List<ClusterChange> changes) {
        boolean isNew = suggestions.stream().noneMatch(known -> known.text().equals(text));
        if (isNew && suggestions.size() < MAX_SUGGESTIONS && whatIf.resolves(other, otherType, changes)) {
            suggestions.add(new Suggestion(
                    text,
                    other,
                    otherType,
                    place.map(Place::object),
                    place.map(Place::field).orElse(""),
                    changes));
        }
    }

    private static List<String> texts(List<DnsLabels> zones) {
        return zones.stream().map(DnsLabels::toString).toList();
    }
}
