package io.k8sdns.records;

/** The names of endpoints below their Service. */
public enum EndpointNames {
    /** The hostname, otherwise the address with dashes. */
    HOSTNAME,
    /**
     * The hostname, otherwise the name of the object of {@code targetRef}, normally a Pod, if that is one valid label, otherwise the
     * address with dashes.
     */
    POD
}
