package io.k8sdns.search;

/** The type of an address query. */
public enum QueryType {
    /** IPv4 addresses, type 1. */
    A,
    /** IPv6 addresses, type 28. */
    AAAA
}
