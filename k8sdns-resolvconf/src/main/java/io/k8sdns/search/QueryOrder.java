package io.k8sdns.search;

/** How far the order of the queries is fixed. */
public enum QueryOrder {
    /** Every lookup sends this sequence. */
    EXACT,
    /** The order of the names is fixed; A and AAAA of one name may be in either order. */
    PAIRS,
    /** Only the order of the names is fixed; the servers, and the server whose answer is used, may vary. */
    NAMES
}
