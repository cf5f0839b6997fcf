package io.k8sdns.explain;

import io.k8sdns.name.DnsLabels;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import java.util.Optional;

/** Finds the causes why a name has no records of a type, and what would resolve. */
final class MissingRecords {
    private final Findings findings;

    MissingRecords(Findings findings) {
        this.findings = findings;
    }

    void findCauses() {
        DnsLabels labels = findings.labels;
        Optional<DnsLabels> zone =
                findings.settings.zones().stream().filter(labels::endsWith).findFirst();
        if (zone.isPresent()) {
            findCauses(labels.below(zone.get()).orElse(DnsLabels.EMPTY), zone.get());
        } else if (findings.settings.isServed(labels)) {
            new MissingAddressName(findings).findCausesOfReverseName();
        } else {
            new NameOutsideSchema(findings).findCausesOfUnservedName();
        }
    }

    private void findCauses(DnsLabels below, DnsLabels zone) {
        ClusterName parsed = NameSchema.parse(below);
        Optional<ClusterName.ServiceName> service = parsed.serviceName();
        if (service.isPresent()) {
            new MissingServiceName(findings).findCauses(parsed, service.get(), zone);
        } else if (parsed instanceof ClusterName.PodName pod) {
            new MissingAddressName(findings).findCausesOfPodName(pod, zone);
        } else if (parsed instanceof ClusterName.UnknownName) {
            new NameOutsideSchema(findings).findCausesOfUnknownName(below, zone);
        } else {
            new NameOutsideSchema(findings).findCausesOfParentName(parsed, zone);
        }
    }
}
