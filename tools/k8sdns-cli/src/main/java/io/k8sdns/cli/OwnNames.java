package io.k8sdns.cli;

import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.zone.ZoneFeed;

/** The names of the cluster from a watch of a node cache itself. An interface, so that the Kubernetes client is not needed without one. */
interface OwnNames extends AutoCloseable {
    /** Returns what fills the zone. */
    ZoneFeed feed();

    /** Starts to watch. */
    void start();

    /**
     * Returns a resolver of all names.
     *
     * @param others resolves names of other zones, reverse names that the cluster does not have, and until all objects are known
     *     every name
     */
    DnsResolver before(DnsResolver others);

    @Override
    void close();
}
