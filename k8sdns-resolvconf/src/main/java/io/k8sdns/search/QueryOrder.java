package io.k8sdns.search;

/** The fixed part of the order of queries. */
public enum QueryOrder {
    /** Every lookup sends this sequence. */
    EXACT,
    /** The order of the names is fixed; A and AAAA of one name may be in either order. */
    PAIRS,
    /** Only the order of the names is fixed; the servers, and the server whose answer is used, may vary. */
    NAMES
}
