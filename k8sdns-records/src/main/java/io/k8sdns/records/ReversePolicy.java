package io.k8sdns.records;

/** Which PTR targets an endpoint's address has; a cluster IP's own are always given. */
public enum ReversePolicy {
    /** Every Service's endpoint that has the address. */
    ALL,
    /** Endpoints of headless Services only, the letter of specification 2.4.3. */
    HEADLESS_ONLY,
    /** Endpoints that have a hostname only. */
    HOSTNAME_ONLY,
    /** The first of {@link #ALL}. */
    ONE
}
