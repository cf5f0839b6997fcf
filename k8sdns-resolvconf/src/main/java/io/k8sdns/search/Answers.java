package io.k8sdns.search;

/**
 * What the servers say: a script ({@link AnswerScript}), records of a cluster, or whatever the host knows.
 *
 * <p>A plan that runs asks once for each query that it sends, in the order in which it sends them. Equal queries at
 * different times may be answered differently.
 */
@FunctionalInterface
public interface Answers {
    /**
     * Returns what comes back for a query.
     *
     * @param query the query: name, type, server and transport decide, usually
     */
    Reply answer(PlannedQuery query);
}
