package io.k8sdns.sockets.parallel;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Asks many questions, several at the same time, with a client for each thread, because a client is not thread-safe. */
public final class ParallelQuestions {
    private ParallelQuestions() {}

    /** Asks questions one after another. */
    public interface QuestionClient<Q, A> extends Closeable {
        /** Returns the answer of a question. */
        A ask(Q question) throws IOException;
    }

    /**
     * Asks questions on daemon threads, and passes the answers on in the order of the questions, on the calling thread.
     *
     * @param threads how many questions are asked at the same time, at least 1
     * @param threadName the name of the threads
     * @param clients creates a client for each thread, which closes it
     * @throws IOException if a question gets no answer
     * @throws InterruptedIOException if the thread is interrupted; its interrupt status remains set
     */
    public static <Q, A> void ask(
            List<Q> questions,
            int threads,
            String threadName,
            Supplier<QuestionClient<Q, A>> clients,
            Consumer<A> answers)
            throws IOException {
        List<CompletableFuture<A>> futures = new ArrayList<>();
        questions.forEach(any -> futures.add(new CompletableFuture<>()));
        AtomicInteger next = new AtomicInteger();
        ExecutorService executor = Executors.newFixedThreadPool(threads, task -> {
            Thread thread = new Thread(task, threadName);
            thread.setDaemon(true);
            return thread;
        });
        for (int i = 0; i < Math.min(threads, questions.size()); i++) {
            executor.execute(() -> {
                try (QuestionClient<Q, A> client = clients.get()) {
                    for (int n = next.getAndIncrement(); n < questions.size(); n = next.getAndIncrement()) {
                        ask(client, questions.get(n), futures.get(n));
                    }
                } catch (IOException notClosed) {
                    // All answers have arrived.
                }
            });
        }
        try {
            for (CompletableFuture<A> future : futures) {
                // An answer that has arrived is returned without waiting, so that the interrupt would not be noticed.
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                answers.accept(future.get());
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while asking questions");
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof IOException unanswered) {
                throw unanswered;
            }
            throw new IllegalStateException(failed.getCause());
        } finally {
            executor.shutdownNow();
        }
    }

    private static <Q, A> void ask(QuestionClient<Q, A> client, Q question, CompletableFuture<A> answer) {
        try {
            answer.complete(client.ask(question));
        } catch (IOException | RuntimeException | Error failed) {
            answer.completeExceptionally(failed);
        }
    }
}
