package io.k8sdns.explain;

import io.k8sdns.name.DnsLabels;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import java.util.Optional;

/** Finds the causes why a name has no records of a type, and what would resolve. A class for each form of a name. */
final class MissingRecords {
    private final Findings findings;

    MissingRecords(Findings findings) {
        this.findings = findings;
    }

    void find() {
        DnsLabels labels = findings.labels;
        Optional<DnsLabels> zone =
                findings.settings.zones().stream().filter(labels::endsWith).findFirst();
        if (zone.isPresent()) {
            find(labels.below(zone.get()).orElse(DnsLabels.EMPTY), zone.get());
        } else if (findings.settings.isServed(labels)) {
            new MissingAddressName(findings).reverse();
        } else {
            new NameOutsideSchema(findings).notServed();
        }
    }

    private void find(DnsLabels below, DnsLabels zone) {
        ClusterName parsed = NameSchema.parse(below);
        Optional<ClusterName.ServiceName> service = parsed.serviceName();
        if (service.isPresent()) {
            new MissingServiceName(findings).ofService(parsed, service.get(), zone);
        } else if (parsed instanceof ClusterName.PodName pod) {
            new MissingAddressName(findings).podName(pod, zone);
        } else if (parsed instanceof ClusterName.UnknownName) {
            new NameOutsideSchema(findings).unknown(below, zone);
        } else {
            new NameOutsideSchema(findings).namespaceOrFixed(parsed, zone);
        }
    }
}
