package io.k8sdns.search;

/**
 * The result of a lookup. C libraries have the results of {@code getaddrinfo}; for other resolvers the result is
 * found, not found or failed.
 */
public enum LookupOutcome {
    /** Addresses were found. */
    OK("ok"),
    /** {@code getaddrinfo}: the name does not exist; musl 1.2.3 also returns this for names without addresses. */
    EAI_NONAME("EAI_NONAME"),
    /** {@code getaddrinfo}: the name exists without addresses. */
    EAI_NODATA("EAI_NODATA"),
    /** {@code getaddrinfo}: no server had an answer; a retry may succeed. */
    EAI_AGAIN("EAI_AGAIN"),
    /** {@code getaddrinfo} of glibc: the name is an address of the other family. */
    EAI_ADDRFAMILY("EAI_ADDRFAMILY"),
    /** glibc 2.26 and later: an assertion of the library ends the program, because of the lengths of the first search domains. */
    ABORT("abort"),
    /** A resolver that is not a C library: the name does not exist, or has no addresses. */
    NOT_FOUND("not found"),
    /** A resolver that is not a C library: no server had an answer. */
    ERROR("error"),
    /** The simulation stopped because the lookup sends more than {@code QueryPlan.MAX_QUERIES} queries. */
    UNFINISHED("unfinished");

    private final String word;

    LookupOutcome(String word) {
        this.word = word;
    }

    /** Returns the name of the outcome in commands and data files, for example {@code ok} or {@code EAI_NONAME}. */
    public String word() {
        return word;
    }
}
