package io.k8sdns.federation;

import io.k8sdns.name.DnsLabels;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A name below a federation zone, read from the right:
 *
 * <pre>
 *     [LEFT.]SERVICE.NAMESPACE.FEDERATION.svc                  every shard of a Service
 *     [LEFT.]SERVICE.NAMESPACE.FEDERATION.svc.REGION           those of a region
 *     [LEFT.]SERVICE.NAMESPACE.FEDERATION.svc.ZONE.REGION      those of a topology zone
 * </pre>
 *
 * <p>The rightmost label {@code svc} among the last three decides, so a Service, a namespace, a federation and a cluster may be
 * called {@code svc}; a region or zone may not. Names with fewer labels are those above: they exist if something below them does.
 *
 * @param left the labels left of the Service: none, a shard, a port, or a host
 * @param service the Service; empty for a name above Services
 * @param namespace the namespace; empty for a name above namespaces
 * @param federation the federation; empty for a name above federations
 * @param area the region, or the zone and its region; empty for the whole federation
 */
record FederatedName(
        DnsLabels left,
        Optional<String> service,
        Optional<String> namespace,
        Optional<String> federation,
        Optional<Area> area) {
    private static final String SVC = "svc";

    /** A region and a zone of it each are one label. */
    private static final int MOST_AREA_LABELS = 2;

    /**
     * A region, or a topology zone of a region.
     *
     * @param region the region in lower case
     * @param zone the zone in lower case; null for the region
     */
    record Area(String region, @Nullable String zone) {
        /** Returns whether a location is in this area. */
        boolean contains(ClusterLocation location) {
            return location.region().filter(region::equals).isPresent()
                    && (zone == null || location.zones().contains(zone));
        }

        /** Returns the area that this one is a part of; empty for a region. */
        Optional<Area> wider() {
            return zone == null ? Optional.empty() : Optional.of(new Area(region, null));
        }
    }

    /**
     * Reads a name.
     *
     * @param below the labels below the zone, at least one
     * @return empty if no name of this form can exist
     */
    static Optional<FederatedName> parse(DnsLabels below) {
        int count = below.count();
        int svc = servicesLabel(below, count);
        if (svc < 0 && count > MOST_AREA_LABELS) {
            return Optional.empty();
        }
        // Without svc the name is a region, or a zone of one.
        return Optional.of(new FederatedName(
                below.first(Math.max(0, svc - 3)),
                label(below, svc - 3),
                label(below, svc - 2),
                label(below, svc - 1),
                area(below.skip(svc + 1))));
    }

    /**
     * Returns the index of the label {@code svc}; -1 if there is none.
     *
     * @param labels the labels below a zone, and more
     * @param count how many of them are below the zone
     */
    static int servicesLabel(DnsLabels labels, int count) {
        for (int at = count - 1; at >= 0 && at >= count - 1 - MOST_AREA_LABELS; at--) {
            if (labels.foldedLabel(at).equals(SVC)) {
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
