package io.k8sdns.explain;

import static io.k8sdns.explain.RecordSources.lower;

import io.k8sdns.arguments.EditDistance;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.Service;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.schema.AddressLabels;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Finds the causes why a name that belongs to no object has no records: its form is wrong, or its zone. */
final class NameOutsideSchema {
    static final String PORT_FORM = "_PORT._PROTOCOL.SERVICE.NAMESPACE.svc";
    private static final int MAX_ZONES = 3;

    private final Findings findings;
    private final ClusterSnapshot cluster;
    private final ZoneSettings settings;
    private final RecordType type;
    private final DnsLabels labels;

    NameOutsideSchema(Findings findings) {
        this.findings = findings;
        this.cluster = findings.cluster;
        this.settings = findings.settings;
        this.type = findings.type;
        this.labels = findings.labels;
    }

    void findCausesOfUnservedName() {
        if (NameSchema.reverseAddress(labels).isPresent()) {
            findCausesOfUnservedReverseName();
            return;
        }
        findings.addCause("not below a zone of this server (" + String.join(", ", texts(settings.zones())) + ")");
        for (DnsLabels zone : settings.zones()) {
            findings.suggestName(labels, zone);
            suggestBelowServices(labels, zone);
            findCausesBelowService(zone);
            // The zone may be misspelt: everything up to "svc" or "pod" stays.
            for (int i = labels.count() - 1; i >= 2; i--) {
                String label = labels.foldedLabel(i);
                if (label.equals(NameSchema.SERVICES) || label.equals(NameSchema.PODS)) {
                    findings.suggestName(labels.first(i + 1), zone);
                }
            }
        }
    }

    private void findCausesOfUnservedReverseName() {
        List<DnsLabels> zones =
                settings.reverseZones().stream().map(ReverseZone::name).toList();
        int others = zones.size() - MAX_ZONES;
        findings.addCause("in no reverse zone of this server ("
                + String.join(", ", texts(zones.stream().limit(MAX_ZONES).toList()))
                + (others > 0 ? " and " + others + " more" : "")
                + ")");
        findings.suggestSettings(
                "serve the reverse names of all addresses (leave out --reverse-zone)",
                settings.toBuilder()
                        .reverseZones(ZoneSettings.DEFAULTS.reverseZones())
                        .build());
    }

    /** Adds the findings of the name with the zone if it ends in a Service and its namespace. */
    private void findCausesBelowService(DnsLabels zone) {
        DnsLabels services = ClusterName.FixedName.SERVICES.labels();
        int before = labels.count() - 2;
        if (before > 0
                && findings.suggestions().isEmpty()
                && labels.fitsBelow(services)
                && labels.append(services).fitsBelow(zone)
                && service(labels.append(services), before)
                        .flatMap(service -> cluster.get(service.ref()))
                        .isPresent()) {
            findings.addFindingsOf(DnsNames.absolute(labels.append(services), zone));
        }
    }

    void findCausesOfUnknownName(DnsLabels below, DnsLabels zone) {
        int count = below.count();
        String last = below.foldedLabel(count - 1);
        Optional<DnsLabels> inner = withoutSecondZone(below, zone);
        if (inner.isPresent()) {
            findings.addCause("the zone " + zone + " occurs twice in the name");
            findings.suggestName(inner.get(), zone);
            return;
        }
        if (!last.equals(NameSchema.SERVICES) && !last.equals(NameSchema.PODS)) {
            findings.addCause(
                    "the label before the zone is \"" + last + "\"; it is \"svc\" for Services and \"pod\" for Pods");
            suggestBelowServices(below, zone);
            if (last.length() == NameSchema.SERVICES.length()) {
                suggestBelowServices(below.first(count - 1), zone);
            }
            return;
        }
        if (last.equals(NameSchema.PODS)) {
            findings.addCause("not a pod name, which is the address with dashes, the namespace and \"pod\"");
            // The name may be that of a Service or an endpoint.
            suggestBelowServices(below.first(count - 1), zone);
            suggestPodNameOfDottedAddress(below, zone);
            suggestPodNames(below, zone);
            return;
        }
        if (hasUnderscoreForDash(below)) {
            findings.addCause("only the labels of ports and protocols have underscores");
            suggestWithDashes(below, zone);
        } else if (service(below, 1).isPresent() && ClusterName.PortName.isLabel(below.label(0))) {
            findings.addCause("the name of a port has its protocol, too: " + PORT_FORM);
            suggestPorts(portName(below.label(0)), service(below, 1).get(), zone);
        } else if (service(below, 2).isPresent()) {
            findCausesOfPortForm(below, service(below, 2).get(), zone);
        } else if (service(below, 3).isPresent()
                && ClusterName.PortName.isLabel(below.label(0))
                && ClusterName.PortName.isLabel(below.label(1))) {
            findings.addCause("an endpoint has no names of ports; those of its Service are " + PORT_FORM);
            findings.suggestName(below.first(2).append(service(below, 3).get().labels()), zone, RecordType.SRV);
        } else {
            findings.addCause("no name of a Service, of a port or of an endpoint has this form");
        }
    }

    /** Suggests the pod name of an address that is written with dots, as in 10.1.0.7.shop.pod. */
    private void suggestPodNameOfDottedAddress(DnsLabels below, DnsLabels zone) {
        int octets = IpFamily.IPV4.byteCount();
        if (below.count() > octets && NameSchema.parse(below.skip(octets)) instanceof ClusterName.PodsName pods) {
            IpAddress.tryParse(below.first(octets).toString())
                    .ifPresent(address ->
                            findings.suggestName(new ClusterName.PodName(address, pods.namespace()).labels(), zone));
        }
    }

    /** Suggests the pod names of Pods that have the name or hostname before {@code NS.pod}. */
    private void suggestPodNames(DnsLabels below, DnsLabels zone) {
        if (NameSchema.parse(below.skip(1)) instanceof ClusterName.PodsName pods) {
            String pod = below.foldedLabel(0);
            cluster.objects(Pod.class)
                    // The address of a predicted Pod is invented.
                    .filter(one -> one.workload().isEmpty())
                    .filter(one -> one.namespace().equals(lower(pods.namespace())) && PodOrigins.isCalled(one, pod))
                    .flatMap(one -> one.ips().stream())
                    .forEach(address -> findings.suggestName(
                            NameSchema.pods(lower(pods.namespace())).prepend(AddressLabels.of(address)), zone));
        }
    }

    /** Returns the Service whose name follows some labels; empty if they are not followed by one. */
    private static Optional<ClusterName.ServiceName> service(DnsLabels below, int labelsBefore) {
        return below.count() > labelsBefore
                        && NameSchema.parse(below.skip(labelsBefore)) instanceof ClusterName.ServiceName service
                ? Optional.of(service)
                : Optional.empty();
    }

    /** Finds the faults of a name with two labels before that of a Service. */
    private void findCausesOfPortForm(DnsLabels below, ClusterName.ServiceName service, DnsLabels zone) {
        boolean isReversed = isProtocol(below.label(0)) && !isProtocol(below.label(1));
        boolean hasUnderscores =
                ClusterName.PortName.isLabel(below.label(0)) && ClusterName.PortName.isLabel(below.label(1));
        if (isReversed) {
            findings.addCause("the order is wrong: first the port, then the protocol: " + PORT_FORM);
        }
        if (!hasUnderscores) {
            findings.addCause("a port name and a protocol begin with an underscore: " + PORT_FORM);
        } else if (!isReversed && !isProtocol(below.label(1))) {
            findings.addCause("the second label is no protocol, which is _tcp, _udp or _sctp: " + PORT_FORM);
        } else if (!isReversed) {
            findings.addCause("the first label is not the name of a port with an underscore: " + PORT_FORM);
        }
        String port = portName(below.label(isReversed ? 1 : 0));
        String protocol = withUnderscore(below.label(isReversed ? 0 : 1));
        if (isProtocol(protocol) && ClusterName.PortName.fits(port)) {
            findings.suggestName(
                    service.labels().prepend(protocol).prepend(ClusterName.PortName.label(port)), zone, RecordType.SRV);
        }
        if (findings.suggestions().isEmpty()) {
            suggestPorts(port, service, zone);
        }
    }

    private static boolean isProtocol(String label) {
        return Stream.of(Protocol.values())
                .anyMatch(protocol -> protocol.label().equalsIgnoreCase(withUnderscore(label)));
    }

    /** Suggests the ports of a Service whose name is similar to that of a port, otherwise all. */
    private void suggestPorts(String port, ClusterName.ServiceName service, DnsLabels zone) {
        cluster.get(service.ref())
                .ifPresent(found ->
                        MissingPort.suggestPorts(findings, (Service) found, Optional.of(lower(port)), "", zone));
    }

    /** Returns the labels before the first zone of a name that has two, as cart.shop.svc.cluster.local.svc; empty for other names. */
    private static Optional<DnsLabels> withoutSecondZone(DnsLabels below, DnsLabels zone) {
        for (int i = zone.count() + 1; i <= below.count(); i++) {
            Optional<DnsLabels> inner = below.first(i).below(zone);
            if (inner.isPresent() && NameSchema.endsInServicesOrPods(inner.get())) {
                return inner;
            }
        }
        return Optional.empty();
    }

    private static boolean hasUnderscoreForDash(DnsLabels below) {
        return IntStream.range(0, below.count()).mapToObj(below::label).anyMatch(label -> label.indexOf('_', 1) > 0);
    }

    private void suggestWithDashes(DnsLabels below, DnsLabels zone) {
        String[] labels = IntStream.range(0, below.count())
                .mapToObj(i -> below.foldedLabel(i).charAt(0)
                        + below.foldedLabel(i).substring(1).replace('_', '-'))
                .toArray(String[]::new);
        findings.suggestName(DnsLabels.of(labels), zone);
    }

    private void suggestBelowServices(DnsLabels prefix, DnsLabels zone) {
        DnsLabels services = ClusterName.FixedName.SERVICES.labels();
        if (prefix.fitsBelow(services)) {
            findings.suggestName(prefix.append(services), zone);
        }
    }

    private static String withUnderscore(String label) {
        return ClusterName.PortName.isLabel(label) ? label : ClusterName.PortName.label(label);
    }

    /** Returns the name of a port whose label may lack the underscore. */
    private static String portName(String label) {
        return ClusterName.PortName.isLabel(label) ? label.substring(1) : label;
    }

    void findCausesOfParentName(ClusterName parsed, DnsLabels zone) {
        Optional<String> namespace = Optional.empty();
        if (parsed instanceof ClusterName.ServicesName services) {
            namespace = Optional.of(lower(services.namespace()));
        } else if (parsed instanceof ClusterName.PodsName pods) {
            namespace = Optional.of(lower(pods.namespace()));
        }
        if (namespace.isPresent() && !findings.checkNamespace(namespace.get())) {
            String service = namespace.get();
            // Those of this name first.
            suggestServices(one -> one.equals(service) || EditDistance.isSimilar(service, one), service, zone);
            // It may also be the name of a Pod.
            new SimilarServices(findings).suggestPods(service, pod -> true, zone);
            suggestServices(one -> SimilarServices.isExtended(one, service), service, zone);
            return;
        }
        if (labels.equals(zone)) {
            findings.addCause("the name of the zone itself, which has no records of type " + type);
            return;
        }
        // ns.dns and dns-version.
        boolean hasOthers = Stream.of(RecordType.A, RecordType.AAAA, RecordType.TXT)
                .anyMatch(other -> findings.resolves(findings.name, other));
        findings.addCause(
                hasOthers
                        ? "the name has records, but none of type " + type
                        : "the name exists only because others are below it; it has no records of type " + type);
    }

    /** Suggests the Services with certain names, the most similar one first. */
    private void suggestServices(Predicate<String> names, String asked, DnsLabels zone) {
        cluster.objects(Service.class)
                .filter(one -> names.test(one.name()))
                .sorted(Comparator.comparing((Service one) -> EditDistance.of(asked, one.name())))
                .forEach(one -> findings.suggestName(NameSchema.service(one.name(), one.namespace()), zone));
    }

    private static List<String> texts(List<DnsLabels> zones) {
        return zones.stream().map(DnsLabels::toString).toList();
    }
}
