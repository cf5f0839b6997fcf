package io.k8sdns.records;

/** The name of an endpoint without a hostname below its Service. */
public enum EndpointNames {
    /** Its address with dashes. */
    HOSTNAME,
    /** The name of the object behind it if that is one valid label, otherwise its address with dashes. */
    POD
}
