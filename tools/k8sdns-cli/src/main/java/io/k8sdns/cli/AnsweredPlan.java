package io.k8sdns.cli;

import io.k8sdns.plan.QueryPlan;
import io.k8sdns.plan.QueryTrace;
import io.k8sdns.search.Answers;
import io.k8sdns.search.PlannedQuery;
import io.k8sdns.search.Reply;
import java.util.ArrayList;
import java.util.List;

/**
 * A plan that was run, with what came back.
 *
 * @param trace what was asked, and what it came to
 * @param replies what came back for each query of the trace
 */
record AnsweredPlan(QueryTrace trace, List<Reply> replies) {
    /** Runs a plan. */
    static AnsweredPlan of(QueryPlan plan, Answers answers) {
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
