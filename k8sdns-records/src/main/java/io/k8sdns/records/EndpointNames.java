package io.k8sdns.records;

/** What an endpoint without a hostname is called below its Service. */
public enum EndpointNames {
    /** Its address with dashes. */
    HOSTNAME,
    /** The name of the object behind it where that is one legal label, else its address with dashes. */
    POD
}
