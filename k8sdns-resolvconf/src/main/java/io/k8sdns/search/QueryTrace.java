package io.k8sdns.search;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import java.util.List;
import java.util.Objects;

/**
 * The trace of a simulated lookup: its queries in order, and its result.
 *
 * @param plan the plan that was run
 * @param queries the queries in the order in which they are sent; see {@link QueryPlan#firmness()}
 * @param outcome the result of the program
 * @param addresses the addresses, without repetition; empty unless the outcome is {@link Outcome#OK}. Their order has
 *     no meaning, because programs sort them (RFC 6724). The zone of a link-local address is omitted
 */
public record QueryTrace(QueryPlan plan, List<PlannedQuery> queries, Outcome outcome, List<IpAddress> addresses) {
    /**
     * The result of a lookup. C libraries have the results of {@code getaddrinfo}; for other resolvers the result is
     * found, not found or failed.
     */
    public enum Outcome {
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
        /** A resolver that is no C library: the name does not exist, or has no addresses. */
        NOT_FOUND("not found"),
        /** A resolver that is no C library: no server had an answer. */
        ERROR("error"),
        /** The simulation stopped because the lookup sends more than {@link QueryPlan#MAX_QUERIES} queries. */
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
