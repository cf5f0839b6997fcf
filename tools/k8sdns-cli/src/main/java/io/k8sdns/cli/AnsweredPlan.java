package io.k8sdns.cli;

import io.k8sdns.plan.QueryPlan;
import io.k8sdns.plan.QueryTrace;
import io.k8sdns.search.AnswerSource;
import io.k8sdns.search.PlannedQuery;
import io.k8sdns.search.Reply;
import java.util.ArrayList;
import java.util.List;

/**
 * A plan that was run, with the replies.
 *
 * @param trace the queries that were sent, and the result
 * @param replies the replies to the queries of the trace, in the same order
 */
record AnsweredPlan(QueryTrace trace, List<Reply> replies) {
    /** Runs a plan. */
    static AnsweredPlan of(QueryPlan plan, AnswerSource answers) {
        List<Reply> replies = new ArrayList<>();
        QueryTrace trace = plan.run(query -> {
            Reply reply = answers.answer(query);
            replies.add(reply);
            return reply;
        });
        return new AnsweredPlan(trace, replies);
    }

    /** Returns the queries. */
    List<PlannedQuery> queries() {
        return trace.queries();
    }
}
