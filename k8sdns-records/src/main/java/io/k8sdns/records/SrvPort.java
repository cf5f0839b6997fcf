package io.k8sdns.records;

/** The port number in the SRV records of a headless Service. */
public enum SrvPort {
    /** The port of the EndpointSlice, on which the endpoint listens. */
    SLICE,
    /** The port of the Service, as in specification 2.4.2. */
    SERVICE
}
