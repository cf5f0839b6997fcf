package io.k8sdns.cli;

import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneFeed;

/** The names of the cluster from a watch of a node cache itself. An interface, so that the Kubernetes client is not needed without one. */
interface OwnNames extends AutoCloseable {
    /** Returns the zone of the cluster's names. */
    ClusterZone zone();

    /** Returns what fills the zone. */
    ZoneFeed feed();

    /** Starts to watch. */
    void start();

    @Override
    void close();
}
