package io.k8sdns.records;

/** How an endpoint without a hostname is named below its Service. An endpoint with a hostname is named by it. */
public enum EndpointNames {
    /** By its address, with dashes. */
    HOSTNAME,
    /** By the name of its Pod ({@code targetRef}) if that is one valid label, otherwise by its address with dashes. */
    POD
}
