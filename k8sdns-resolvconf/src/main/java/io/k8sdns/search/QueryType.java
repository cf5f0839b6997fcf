package io.k8sdns.search;

/** What a lookup of addresses asks a server for. */
public enum QueryType {
    /** IPv4 addresses, type 1. */
    A,
    /** IPv6 addresses, type 28. */
    AAAA
}
