package io.k8sdns.resolver;

/** The outcome of a question in one word: the RCODE, with NODATA told from NOERROR (RFC 2308, 2.2). */
public enum AnswerStatus {
    /** The name has records of the type, or is an alias that leads outside of the zones that are answered. */
    NOERROR,
    /** The name exists, or an alias leads to one that does, but it has no records of the type. */
    NODATA,
    /** The name does not exist, or an alias leads to one that does not. */
    NXDOMAIN,
    /** The question could not be answered, for example because the zone is not synced. */
    SERVFAIL,
    /** The name is not served here. */
    REFUSED,
    /** Any other RCODE; see {@link Answer#rcode}. */
    OTHER
}
