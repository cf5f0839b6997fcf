package io.k8sdns.cli;

import io.k8sdns.plan.QueryPlan;
import io.k8sdns.plan.QueryTrace;
import io.k8sdns.search.AnswerSource;
import io.k8sdns.search.PlannedQuery;
import io.k8sdns.search.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * A plan that was run, with the replies.
 *
 * @param trace the queries that were sent, and the result
 * @param replies the replies to the queries of the trace, in the same order
 * @param invented marks the addresses of replies that are invented
 */
record AnsweredPlan(QueryTrace trace, List<Reply> replies, InventedRecords invented) {
    /**
     * Runs a plan.
     *
     * @param invented returns the marks after the last query
     */
    static AnsweredPlan of(QueryPlan plan, AnswerSource answers, Supplier<InventedRecords> invented) {
        List<Reply> replies = new ArrayList<>();
        QueryTrace trace = plan.run(query -> {
            Reply reply = answers.answer(query);
            replies.add(reply);
            return reply;
        });
        return new AnsweredPlan(trace, replies, invented.get());
    }

    /** Returns the queries. */
    List<PlannedQuery> queries() {
        return trace.queries();
    }
}
