package io.k8sdns.cli;

import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Question;
import io.k8sdns.sockets.DnsClient;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** Asks a DNS server many questions, several at the same time. */
final class ServerAnswers {
    /** How many questions are sent at the same time. */
    static final int CONCURRENCY = 16;

    private ServerAnswers() {}

    /**
     * Returns the answers in the order of the questions.
     *
     * @param timeout the time for one answer
     * @throws IOException if a question gets no answer, or if the thread is interrupted; its interrupt status remains set
     */
    static List<Answer> to(List<Question> questions, InetSocketAddress server, Duration timeout) throws IOException {
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        questions.forEach(any -> answers.add(new CompletableFuture<>()));
        AtomicInteger next = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(CONCURRENCY, task -> {
            Thread thread = new Thread(task, "k8sdns-diff");
            thread.setDaemon(true);
            return thread;
        });
        for (int i = 0; i < Math.min(CONCURRENCY, questions.size()); i++) {
            threads.execute(() -> {
                // A client is not thread-safe.
                try (DnsClient client = new DnsClient()) {
                    for (int n = next.getAndIncrement(); n < questions.size(); n = next.getAndIncrement()) {
                        ask(client, questions.get(n), server, timeout, answers.get(n));
                    }
                } catch (IOException notClosed) {
                    // All answers have arrived.
                }
            });
        }
        try {
            List<Answer> all = new ArrayList<>();
            for (CompletableFuture<Answer> answer : answers) {
                all.add(answer.get());
            }
            return all;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while asking " + HostAndPort.text(server));
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof IOException unanswered) {
                throw unanswered;
            }
            throw new IllegalStateException(failed.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    private static void ask(
            DnsClient client,
            Question question,
            InetSocketAddress server,
            Duration timeout,
            CompletableFuture<Answer> answer) {
        try {
            answer.complete(client.ask(question, server, timeout));
        } catch (IOException | RuntimeException | Error failed) {
            answer.completeExceptionally(failed);
        }
    }
}
