package io.k8sdns.search;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import java.util.List;
import java.util.Objects;

/**
 * What a lookup did: the queries that it sent, in order, and what it came to.
 *
 * @param plan the plan that was run
 * @param queries the queries in the order in which they are sent; {@link QueryPlan#firmness()} says how firm the order is
 * @param outcome what the program gets
 * @param addresses the addresses that it gets, without repetition; none unless the outcome is {@link Outcome#OK}. Their
 *     order says nothing: programs sort them (RFC 6724). Where the name is a link-local address its zone is not told
 */
public record QueryTrace(QueryPlan plan, List<PlannedQuery> queries, Outcome outcome, List<IpAddress> addresses) {
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
        /** glibc 2.26 and later: an assertion of the library ends the program, because of the lengths of the first search domains. */
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

    /** Checks that nothing is null; copies the lists. */
    @Internal
    public QueryTrace {
        Objects.requireNonNull(plan, "plan");
        Objects.requireNonNull(outcome, "outcome");
        queries = Copies.list("queries", queries);
        addresses = Copies.list("addresses", addresses);
    }
}
