package io.k8sdns.cli;

import io.k8sdns.kubedns.KubeDnsConfig;
import io.k8sdns.name.DnsLabels;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The warnings about stub domains without effect. Used under the lock of its owner. */
final class StubDomainWarnings {
    private final UpstreamOptions options;
    private final LocalNames names;
    private final UpstreamReports reports;

    /** The forward and reverse zones that this server answers. */
    private final List<DnsLabels> served;

    /** The last warnings about the ConfigMaps. */
    private Set<String> last = Set.of();

    StubDomainWarnings(UpstreamOptions options, LocalNames names, UpstreamReports reports) {
        this.options = options;
        this.names = names;
        this.reports = reports;
        this.served = names.zones();
    }

    /** Warns about each stub domain of the options without effect. */
    void reportOptions() {
        options.stubDomains.stream()
                .map(StubDomain::domain)
                .distinct()
                .flatMap(domain -> withoutEffect(domain).stream())
                .forEach(problem -> reports.print("warning: --stub-domain: " + problem));
    }

    /** Warns once about each stub domain of the ConfigMaps without effect. */
    void report(KubeDnsConfig ofDirectory, KubeDnsConfig ofObjects) {
        Set<String> warnings = Stream.of(ofObjects, ofDirectory)
                .flatMap(config -> config.stubDomains().keySet().stream())
                .flatMap(domain -> withoutEffect(domain).stream())
                .map(problem -> "warning: the ConfigMap of kube-dns, stubDomains: " + problem)
                .collect(Collectors.toCollection(LinkedHashSet::new));
        warnings.stream().filter(text -> !last.contains(text)).forEach(reports::print);
        last = warnings;
    }

    /** Returns why a stub domain has no effect; empty if its names are forwarded to its servers. */
    private Optional<String> withoutEffect(DnsLabels domain) {
        if (names.federated().contains().test(domain)) {
            return Optional.of(domain
                    + " lies in the zone of federated names, which go to the name servers of their federation alone; this "
                    + "stub domain has no effect");
        }
        if (options.usesSuffix() && domain.endsWith(options.autopathSuffix())) {
            return Optional.of(domain + " lies in the autopath suffix " + options.autopathSuffix()
                    + ", which this server answers; this stub domain has no effect");
        }
        Set<DnsLabels> fallthrough = options.fallthroughZones();
        return served.stream()
                .filter(domain::endsWith)
                .max(Comparator.comparing(DnsLabels::count))
                .filter(zone -> !fallthrough.contains(zone))
                .map(zone -> domain + " lies in zone " + zone
                        + ", which this server answers; without --fallthrough " + zone
                        + " this stub domain has no effect");
    }
}
