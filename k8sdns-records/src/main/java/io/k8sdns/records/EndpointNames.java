package io.k8sdns.records;

/** The names of endpoints below their Service. */
public enum EndpointNames {
    /** The hostname, otherwise the address with dashes. */
    HOSTNAME,
    /** The hostname, otherwise the name of the Pod ({@code targetRef}) if that is one valid label, otherwise the address with dashes. */
    POD
}
