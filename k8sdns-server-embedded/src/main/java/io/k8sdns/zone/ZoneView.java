package io.k8sdns.zone;

import io.k8sdns.model.Internal;
import java.util.Optional;

/**
 * A zone as some of its clients see it, created by {@link ClusterZone#view}. A hidden object has no name, address, PTR or additional
 * record, as if it did not exist. Clients can notice changes of hidden objects only by the serial of the zone's SOA. In a view of
 * namespaces every partial reverse name of a served zone exists ({@code 96.10.in-addr.arpa}: NODATA), whether or not an address
 * below it has a name.
 */
public final class ZoneView {
    private final ClusterZone zone;
    private final Optional<NamespaceFilter> filter;

    ZoneView(ClusterZone zone, Optional<NamespaceFilter> filter) {
        this.zone = zone;
        this.filter = filter;
    }

    /**
     * Returns the zone with the index of this view, which may contain hidden names: the original zone, or for a view by labels its
     * own zone. {@link io.k8sdns.ClusterDns#of(ZoneView)} looks up only visible names.
     */
    @Internal
    public ClusterZone zone() {
        return zone;
    }

    /** Returns the visible part of a revision of {@link #zone()}. */
    @Internal
    public RevisionView of(ZoneRevision revision) {
        return new RevisionView(revision, filter);
    }

    /** Returns the visible namespaces, for logs. */
    @Override
    public String toString() {
        return "ZoneView[" + filter.map(NamespaceFilter::toString).orElse("everything in its zone") + "]";
    }
}
