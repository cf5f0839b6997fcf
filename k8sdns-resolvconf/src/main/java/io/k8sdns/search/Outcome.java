package io.k8sdns.search;

import io.k8sdns.resolvconf.FatalSearchList;

/**
 * What a lookup comes to. A C library says it by a result of {@code getaddrinfo}; other resolvers are only told to have
 * found the name or not, or to have failed.
 */
public enum Outcome {
    /** Addresses were found. */
    OK("ok"),
    /** {@code getaddrinfo}: the name does not exist; musl 1.2.3 says so of names without addresses, too. */
    EAI_NONAME("EAI_NONAME"),
    /** {@code getaddrinfo}: the name exists without addresses. */
    EAI_NODATA("EAI_NODATA"),
    /** {@code getaddrinfo}: no server had an answer; another time it may. */
    EAI_AGAIN("EAI_AGAIN"),
    /** {@code getaddrinfo} of glibc: the name is an address of the other family. */
    EAI_ADDRFAMILY("EAI_ADDRFAMILY"),
    /** glibc: no lookup is made, since an assertion of the library ends the program; see {@link FatalSearchList}. */
    ABORT("abort"),
    /** A resolver that is no C library: the name does not exist, or has no addresses. */
    NOT_FOUND("not found"),
    /** A resolver that is no C library: no server had an answer. */
    ERROR("error"),
    /** The lookup was not followed to its end: it sends more than {@link QueryPlan#MAX_QUERIES} queries. */
    UNFINISHED("unfinished");

    private final String word;

    Outcome(String word) {
        this.word = word;
    }

    /** Returns the name of the outcome in commands and data files, for example {@code ok} or {@code EAI_NONAME}. */
    public String word() {
        return word;
    }
}
