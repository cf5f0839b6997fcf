package io.k8sdns.search;

import io.k8sdns.model.Copies;
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
    /** Checks that nothing is null; copies the lists. */
    @Internal
    public QueryTrace {
        Objects.requireNonNull(plan, "plan");
        Objects.requireNonNull(outcome, "outcome");
        queries = Copies.list("queries", queries);
        addresses = Copies.list("addresses", addresses);
    }
}
