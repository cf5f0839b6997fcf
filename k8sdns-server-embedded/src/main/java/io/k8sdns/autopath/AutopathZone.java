package io.k8sdns.autopath;

import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.name.ClusterSearches;
import io.k8sdns.name.DnsLabels;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The names below the autopath suffix: {@code BASE.search.NS.Z.SUFFIX}, where {@code Z} is a cluster domain.
 *
 * <p>They are parsed from the right, so that a Service, a namespace or a cluster domain can have the name {@code search}. The label
 * {@code search} is required, so that a later version can define other names below {@code NS.Z.SUFFIX}.
 */
final class AutopathZone {
    private final DnsLabels suffix;

    /** The cluster domains, longest first. */
    private final List<DnsLabels> clusterDomains;

    /**
     * A name to expand.
     *
     * @param base the original name, which the program passed to its resolver; at least one label
     * @param searches the search domains to expand it by
     */
    record Request(DnsLabels base, ClusterSearches searches) {}

    AutopathZone(DnsLabels suffix, List<DnsLabels> clusterDomains) {
        this.suffix = suffix;
        this.clusterDomains = clusterDomains.stream()
                .sorted(Comparator.comparingInt(DnsLabels::count).reversed())
                .toList();
    }

    DnsLabels suffix() {
        return suffix;
    }

    boolean contains(DnsLabels name) {
        return name.endsWith(suffix);
    }

    /** Returns the longest cluster domain that a name ends with. */
    Optional<DnsLabels> clusterDomain(DnsLabels name) {
        return clusterDomains.stream().filter(name::endsWith).findFirst();
    }

    /** Parses a name; returns empty if it is not a name to expand. */
    Optional<Request> parse(DnsLabels name) {
        Optional<DnsLabels> rest = name.below(suffix);
        Optional<DnsLabels> domain = rest.flatMap(this::clusterDomain);
        if (domain.isEmpty()) {
            return Optional.empty();
        }
        DnsLabels head = rest.orElseThrow().below(domain.get()).orElseThrow();
        int base = head.count() - 2;
        return base > 0 && isSearchDomain(head.skip(base))
                ? Optional.of(new Request(
                        head.first(base),
                        new ClusterSearches(
                                head.foldedLabel(base + 1), domain.get().toString())))
                : Optional.empty();
    }

    private static boolean isSearchDomain(DnsLabels labels) {
        return labels.foldedLabel(0).equals(ClusterSearches.AUTOPATH_LABEL) && isNamespace(labels.skip(1));
    }

    /** Returns whether a label can be a namespace. It need not exist: names outside the cluster are expanded for every namespace. */
    private static boolean isNamespace(DnsLabels label) {
        return KubernetesNames.isDnsLabel(label.foldedLabel(0));
    }

    /** Returns whether a name of the suffix exists without being expanded, because names to expand lie below it. */
    boolean exists(DnsLabels name) {
        DnsLabels rest = name.below(suffix).orElseThrow();
        if (clusterDomains.stream().anyMatch(domain -> domain.endsWith(rest))) {
            return true;
        }
        DnsLabels head = clusterDomain(rest).flatMap(rest::below).orElse(DnsLabels.EMPTY);
        return switch (head.count()) {
            case 1 -> isNamespace(head);
            case 2 -> isSearchDomain(head);
            default -> false;
        };
    }
}
