package io.k8sdns.zone;

import io.k8sdns.model.Internal;
import java.util.Optional;

/**
 * A zone as some of its clients see it, made by {@link ClusterZone#view}. What it hides has no name, no address, no PTR and no
 * additional record, as if it did not exist. Only the serial of the zone's SOA tells that something has changed. In a view of
 * namespaces every partial reverse name of a served zone exists ({@code 96.10.in-addr.arpa}: NODATA), whatever addresses there are.
 */
public final class ZoneView {
    private final ClusterZone zone;
    private final Optional<NamespaceFilter> filter;

    ZoneView(ClusterZone zone, Optional<NamespaceFilter> filter) {
        this.zone = zone;
        this.filter = filter;
    }

    /**
     * Returns the zone that has the names, with what the view hides: the one that the view was made of, or for a view by labels one
     * of its own. {@link io.k8sdns.ClusterDns#of(ZoneView)} looks up what the view shows.
     */
    @Internal
    public ClusterZone zone() {
        return zone;
    }

    /** Returns what the view shows of a revision of {@link #zone()}. */
    @Internal
    public RevisionView of(ZoneRevision revision) {
        return new RevisionView(revision, filter);
    }

    /** Returns which namespaces are shown, for logs. */
    @Override
    public String toString() {
        return "ZoneView[" + filter.map(NamespaceFilter::toString).orElse("everything in its zone") + "]";
    }
}
