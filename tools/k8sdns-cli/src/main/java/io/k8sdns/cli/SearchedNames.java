package io.k8sdns.cli;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.name.ClusterSearches;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import java.util.List;
import java.util.stream.Stream;
import org.xbill.DNS.Name;

/** The names that a program in a Pod may look up for the host names in its configuration. */
final class SearchedNames {
    private final List<DnsLabels> zones;

    SearchedNames(List<DnsLabels> zones) {
        this.zones = List.copyOf(zones);
    }

    /** Returns the names for a host name in a namespace: with each search domain of the cluster, then alone. */
    Stream<Name> of(String host, String namespace) {
        DnsLabels labels;
        try {
            labels = DnsLabels.parse(host);
        } catch (InvalidNameException noName) {
            return Stream.empty();
        }
        Stream<Name> absolute = Stream.of(DnsNames.absolute(labels));
        return host.endsWith(".")
                ? absolute
                : Stream.concat(
                        zones.stream()
                                .flatMap(zone -> new ClusterSearches(namespace, zone.toString()).labels().stream())
                                .flatMap(domain -> below(labels, domain)),
                        absolute);
    }

    private static Stream<Name> below(DnsLabels labels, DnsLabels domain) {
        try {
            return Stream.of(DnsNames.absolute(labels, domain));
        } catch (InvalidNameException tooLong) {
            return Stream.empty();
        }
    }
}
