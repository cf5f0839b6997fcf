package io.k8sdns.search;

/**
 * The answers of DNS servers to simulated queries: a script ({@link AnswerScript}), or the records of a cluster.
 *
 * <p>A running plan calls {@link #answer} once for each query, in the order of the queries. Equal queries at different
 * times may have different answers.
 */
@FunctionalInterface
public interface AnswerSource {
    /**
     * Returns the reply to a query.
     *
     * @param query the query; usually its name, type, server and transport decide the reply
     */
    Reply answer(PlannedQuery query);
}
