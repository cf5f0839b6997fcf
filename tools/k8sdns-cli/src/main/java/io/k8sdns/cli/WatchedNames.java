package io.k8sdns.cli;

import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneFeed;

/**
 * The names of the cluster that a node cache watches itself. An interface, so that the Kubernetes client is loaded only if they are
 * used.
 */
interface WatchedNames extends AutoCloseable {
    /** Returns the zone of the cluster's names. */
    ClusterZone zone();

    /** Returns the feed of the zone. */
    ZoneFeed feed();

    /** Starts the watch. */
    void start();

    @Override
    void close();
}
