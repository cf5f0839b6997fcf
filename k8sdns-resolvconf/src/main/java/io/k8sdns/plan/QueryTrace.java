package io.k8sdns.plan;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import io.k8sdns.search.LookupOutcome;
import io.k8sdns.search.PlannedQuery;
import java.util.List;
import java.util.Objects;

/**
 * The trace of a simulated lookup: its queries in order, and its result.
 *
 * @param plan the plan that was run
 * @param queries the queries in the order in which they are sent; see {@link QueryPlan#queryOrder()}
 * @param outcome the result of the program
 * @param addresses the addresses, without repetition; empty unless the outcome is {@link LookupOutcome#OK}. Their order has
 *     no meaning, because programs sort them (RFC 6724). The zone of a link-local address is omitted
 */
public record QueryTrace(QueryPlan plan, List<PlannedQuery> queries, LookupOutcome outcome, List<IpAddress> addresses) {
    /** Checks that nothing is null; copies the lists. */
    @Internal
    public QueryTrace {
        Objects.requireNonNull(plan, "plan");
        Objects.requireNonNull(outcome, "outcome");
        queries = Copies.list("queries", queries);
        addresses = Copies.list("addresses", addresses);
    }
}
