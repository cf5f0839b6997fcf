package io.k8sdns.explain;

import static io.k8sdns.explain.RecordSources.lower;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Service;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.schema.AddressLabels;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import java.util.List;
import java.util.Optional;

/** Finds the causes why a name that belongs to no object has no records: its form is wrong, or its zone. */
final class NameOutsideSchema {
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

    void notServed() {
        findings.cause("not below a zone of this server (" + String.join(", ", texts(settings.zones())) + ")");
        for (DnsLabels zone : settings.zones()) {
            findings.lookUp(labels, zone);
            lookUpBelowServices(labels, zone);
            // The zone may be misspelt: everything up to "svc" or "pod" stays.
            for (int i = labels.count() - 1; i >= 2; i--) {
                String label = labels.foldedLabel(i);
                if (label.equals(NameSchema.SERVICES) || label.equals(NameSchema.PODS)) {
                    findings.lookUp(labels.first(i + 1), zone);
                }
            }
        }
    }

    void unknown(DnsLabels below, DnsLabels zone) {
        int count = below.count();
        String last = below.foldedLabel(count - 1);
        if (!last.equals(NameSchema.SERVICES) && !last.equals(NameSchema.PODS)) {
            findings.cause(
                    "the label before the zone is \"" + last + "\"; it is \"svc\" for Services and \"pod\" for Pods");
            lookUpBelowServices(below, zone);
            if (last.length() == NameSchema.SERVICES.length()) {
                lookUpBelowServices(below.first(count - 1), zone);
            }
            return;
        }
        if (last.equals(NameSchema.PODS)) {
            findings.cause("not a pod name, which is the address with dashes, the namespace and \"pod\"");
            if (count == 6) {
                String address = String.join("-", below.label(0), below.label(1), below.label(2), below.label(3));
                findings.lookUp(below.skip(4).prepend(address), zone);
            }
            if (count == 3) {
                String pod = below.foldedLabel(0);
                String namespace = below.foldedLabel(1);
                cluster.objects(Pod.class)
                        .filter(one -> one.namespace().equals(namespace)
                                && (one.name().equals(pod) || one.hostname().equals(Optional.of(pod))))
                        .flatMap(one -> one.ips().stream())
                        .forEach(address ->
                                findings.lookUp(NameSchema.pods(namespace).prepend(AddressLabels.of(address)), zone));
            }
            return;
        }
        if (count == 5) {
            findings.cause(
                    "a port name and a protocol begin with an underscore: _PORT._PROTOCOL.SERVICE.NAMESPACE.svc");
            DnsLabels fixed =
                    below.skip(2).prepend(withUnderscore(below.label(1))).prepend(withUnderscore(below.label(0)));
            findings.lookUp(fixed, zone, RecordType.SRV);
            return;
        }
        findings.cause("no name of a Service, of a port or of an endpoint has this form");
    }

    private void lookUpBelowServices(DnsLabels prefix, DnsLabels zone) {
        DnsLabels services = ClusterName.FixedName.SERVICES.labels();
        if (prefix.fitsBelow(services)) {
            findings.lookUp(prefix.append(services), zone);
        }
    }

    private static String withUnderscore(String label) {
        return ClusterName.PortName.isLabel(label) ? label : ClusterName.PortName.label(label);
    }

    void namespaceOrFixed(ClusterName parsed, DnsLabels zone) {
        Optional<String> namespace = Optional.empty();
        if (parsed instanceof ClusterName.ServicesName services) {
            namespace = Optional.of(lower(services.namespace()));
        } else if (parsed instanceof ClusterName.PodsName pods) {
            namespace = Optional.of(lower(pods.namespace()));
        }
        if (namespace.isPresent() && !findings.hasNamespace(namespace.get())) {
            String service = namespace.get();
            cluster.objects(Service.class)
                    .filter(one -> one.name().equals(service))
                    .forEach(one -> findings.lookUp(NameSchema.service(one.name(), one.namespace()), zone));
            return;
        }
        findings.cause("the name exists only because others are below it; it has no records of type " + type);
    }

    private static List<String> texts(List<DnsLabels> zones) {
        return zones.stream().map(DnsLabels::toString).toList();
    }
}
