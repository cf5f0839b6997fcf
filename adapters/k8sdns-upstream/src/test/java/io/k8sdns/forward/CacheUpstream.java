package io.k8sdns.forward;

import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import io.k8sdns.upstream.Forwarder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A forwarder that a test controls. */
final class CacheUpstream implements Forwarder {
    /** A question that reached the forwarder. */
    record Query(Question question, Client client, CompletableFuture<Answer> stage) {}

    /** All questions, in order. */
    final List<Query> queries = new ArrayList<>();

    @Override
    public CompletionStage<Answer> forward(Question question, Client client) {
        Query query = new Query(question, client, new CompletableFuture<>());
        queries.add(query);
        return query.stage();
    }

    /** Answers the last question. */
    void answer(Answer answer) {
        last().stage().complete(answer);
    }

    /** Fails the last question. */
    void fail(Throwable failure) {
        last().stage().completeExceptionally(failure);
    }

    Query last() {
        return queries.get(queries.size() - 1);
    }

    int count() {
        return queries.size();
    }
}
