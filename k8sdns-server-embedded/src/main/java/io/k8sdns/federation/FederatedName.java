package io.k8sdns.federation;

import io.k8sdns.federation.FederationKey.ServiceKey;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.schema.NameSchema;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A parsed name below a federation zone:
 *
 * <pre>
 *     [PREFIX.]SERVICE.NAMESPACE.FEDERATION.svc                  all shards of a Service
 *     [PREFIX.]SERVICE.NAMESPACE.FEDERATION.svc.REGION           its shards in a region
 *     [PREFIX.]SERVICE.NAMESPACE.FEDERATION.svc.ZONE.REGION      its shards in a topology zone
 * </pre>
 *
 * <p>Names are parsed from the right: the parser takes the last label {@code svc} among the last three labels. So a Service, a
 * namespace, a federation and a cluster can be named {@code svc}; a region or a zone cannot. Names with fewer labels are ancestors
 * of these names, and exist if a name below them exists.
 *
 * @param prefix the labels before the Service: none, a cluster, a port, or a host
 * @param service the Service; empty for an ancestor of Services
 * @param namespace the namespace; empty for an ancestor of namespaces
 * @param federation the federation; empty for an ancestor of federations
 * @param area the region, or the zone and its region; empty for the whole federation
 */
record FederatedName(
        DnsLabels prefix,
        Optional<String> service,
        Optional<String> namespace,
        Optional<String> federation,
        Optional<Area> area) {
    /** The number of labels of {@code SERVICE.NAMESPACE.FEDERATION.svc}. */
    static final int SUFFIX_LABELS = 4;

    /** A region is one label, a zone and its region are two. */
    private static final int MAX_AREA_LABELS = 2;

    /**
     * A region, or a topology zone of a region.
     *
     * @param region the region in lower case
     * @param zone the zone in lower case; null for the whole region
     */
    record Area(String region, @Nullable String zone) {
        /** Returns whether a location is in this area. */
        boolean contains(ClusterLocation location) {
            return location.region().filter(region::equals).isPresent()
                    && (zone == null || location.zones().contains(zone));
        }

        /** Returns the region of a zone; empty for a region. */
        Optional<Area> wider() {
            return zone == null ? Optional.empty() : Optional.of(new Area(region, null));
        }
    }

    /**
     * Parses a name.
     *
     * @param below the labels below the zone, at least one
     * @return empty if the name has none of the forms above
     */
    static Optional<FederatedName> parse(DnsLabels below) {
        int count = below.count();
        int svc = servicesLabel(below, count);
        if (svc < 0 && count > MAX_AREA_LABELS) {
            return Optional.empty();
        }
        // Without svc the name is a region, or a zone and its region.
        return Optional.of(new FederatedName(
                below.first(Math.max(0, svc + 1 - SUFFIX_LABELS)),
                label(below, svc - 3),
                label(below, svc - 2),
                label(below, svc - 1),
                area(below.skip(svc + 1))));
    }

    /** Returns the key of the Service; empty for an ancestor of Services. */
    Optional<ServiceKey> key() {
        return service.map(name -> new ServiceKey(federation.orElseThrow(), namespace.orElseThrow(), name));
    }

    /**
     * Returns the index of the label {@code svc}; -1 if there is none.
     *
     * @param labels a name below a zone, with or without the labels of the zone
     * @param count how many of them are below the zone
     */
    static int servicesLabel(DnsLabels labels, int count) {
        for (int at = count - 1; at >= 0 && at >= count - 1 - MAX_AREA_LABELS; at--) {
            if (labels.foldedLabel(at).equals(NameSchema.SERVICES)) {
                return at;
            }
        }
        return -1;
    }

    private static Optional<String> label(DnsLabels labels, int index) {
        return index < 0 ? Optional.empty() : Optional.of(labels.foldedLabel(index));
    }

    private static Optional<Area> area(DnsLabels labels) {
        return switch (labels.count()) {
            case 0 -> Optional.empty();
            case 1 -> Optional.of(new Area(labels.foldedLabel(0), null));
            default -> Optional.of(new Area(labels.foldedLabel(1), labels.foldedLabel(0)));
        };
    }
}
