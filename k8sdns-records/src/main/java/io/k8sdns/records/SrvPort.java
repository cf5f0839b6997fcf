package io.k8sdns.records;

/** Which port number the SRV records of a headless Service carry. */
public enum SrvPort {
    /** The EndpointSlice's: the port that listens. */
    SLICE,
    /** The Service's, the letter of specification 2.4.2. */
    SERVICE
}
