package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import java.util.List;
import java.util.Optional;
import org.xbill.DNS.Name;

/** Finds the Services of names in the zones of a cluster. */
record NamesOfServices(ClusterSnapshot cluster, List<DnsLabels> zones) {
    /** Returns what a name stands for; empty outside the zones. */
    Optional<ClusterName> meaning(Name name) {
        return zones.stream()
                .flatMap(zone -> DnsNames.labels(name).below(zone).stream())
                .findFirst()
                .map(NameSchema::parse);
    }

    /** Returns the headless Service of a name: that with the name, or that of an endpoint or a port with it. */
    Optional<HeadlessService> headless(Name name) {
        return meaning(name)
                .flatMap(ClusterName::serviceName)
                .flatMap(service -> cluster.get(service.ref()))
                .filter(HeadlessService.class::isInstance)
                .map(HeadlessService.class::cast);
    }
}
