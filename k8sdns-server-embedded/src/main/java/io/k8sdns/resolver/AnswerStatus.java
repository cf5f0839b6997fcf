package io.k8sdns.resolver;

/** The outcome of a question: the RCODE, with NODATA as a status of its own (RFC 2308, 2.2). */
public enum AnswerStatus {
    /** The name has records of the type, or is an alias whose target no resolver of this server answers. */
    NOERROR,
    /** The name, or the target of its alias, exists but has no records of the type. */
    NODATA,
    /** The name, or the target of its alias, does not exist. */
    NXDOMAIN,
    /** The question could not be answered, for example because the zone is not synced. */
    SERVFAIL,
    /** The name is not served by this server. */
    REFUSED,
    /** Any other RCODE; see {@link Answer#rcode}. */
    OTHER
}
