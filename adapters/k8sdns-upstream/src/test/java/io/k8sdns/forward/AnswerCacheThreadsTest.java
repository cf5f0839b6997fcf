package io.k8sdns.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import io.k8sdns.upstream.Forwarder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** {@link AnswerCache} with many client threads and a server that answers on other threads. */
class AnswerCacheThreadsTest {
    private static final int CLIENTS = 4;
    private static final int QUESTIONS = 5000;
    private static final long HANG_SECONDS = 60;

    @Test
    void everyClientIsAnsweredAndEqualQuestionsShareOneQuery() throws Exception {
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        ExecutorService servers = Executors.newFixedThreadPool(2);
        try {
            Map<Question, AtomicInteger> inFlight = new ConcurrentHashMap<>();
            AtomicInteger most = new AtomicInteger();
            AtomicInteger queries = new AtomicInteger();
            Forwarder upstream = (question, client) -> {
                queries.incrementAndGet();
                AtomicInteger count = inFlight.computeIfAbsent(question, any -> new AtomicInteger());
                most.accumulateAndGet(count.incrementAndGet(), Math::max);
                CompletableFuture<Answer> stage = new CompletableFuture<>();
                servers.execute(() -> {
                    count.decrementAndGet();
                    stage.complete(CacheAnswers.data(question.name() + " 60 TXT \"" + question.name() + "\""));
                });
                return stage;
            };
            // The clock stays below ten seconds, after which clients no longer wait for a query.
            AtomicLong clock = new AtomicLong();
            AnswerCache cache = AnswerCache.builder(upstream)
                    .positiveTtl(Duration.ZERO, Duration.ofSeconds(1))
                    .capacityBytes(20_000)
                    .clock(clock::get)
                    .prefetch(2)
                    .build();
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                running.add(clients.submit(() -> {
                    for (int j = 0; j < QUESTIONS; j++) {
                        clock.addAndGet(Duration.ofSeconds(9).toNanos() / (CLIENTS * QUESTIONS));
                        String name = "a" + j % 30 + ".example.com.";
                        Answer answer = cache.forward(CacheAnswers.question(name + " TXT"), Client.IN_PROCESS)
                                .toCompletableFuture()
                                .get(HANG_SECONDS, TimeUnit.SECONDS);
                        assertThat(answer.records().get(0).rdataToString()).contains(name);
                    }
                    return null;
                }));
            }
            for (Future<?> one : running) {
                one.get();
            }
            assertThat(most).hasValue(1);
            assertThat(queries.get()).isBetween(30, CLIENTS * QUESTIONS / 2);
        } finally {
            clients.shutdownNow();
            servers.shutdownNow();
        }
    }
}
