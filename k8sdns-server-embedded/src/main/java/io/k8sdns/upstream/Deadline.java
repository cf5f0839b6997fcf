package io.k8sdns.upstream;

import io.k8sdns.model.Internal;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DirectAnswers;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.FailureObserver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.xbill.DNS.Rcode;

/**
 * The longest duration of an answer, and the scheduler that enforces it.
 *
 * <pre>{@code
 * Deadline deadline = new Deadline(Duration.ofMillis(4_400), scheduler);
 * DnsResolver resolver = deadline.limiting(chain, failures);    // one deadline for a question and all its aliases
 * }</pre>
 *
 * <p>Resolvers in Pods usually retry after five seconds, so use a shorter time. With a {@link
 * java.util.concurrent.ScheduledThreadPoolExecutor}, set {@code setRemoveOnCancelPolicy(true)}: nearly all deadlines are cancelled long
 * before they are due.
 *
 * @param time more than zero and at most 292 years
 * @param scheduler runs a short task at the deadline, which also sends the answer. The host must shut it down; after that every answer
 *     that is not ready immediately counts as late
 */
public record Deadline(Duration time, ScheduledExecutorService scheduler) {
    /** Less than the five seconds after which resolvers in Pods retry, and more than the default deadline of one forwarded question. */
    @Internal
    public static final Duration BEFORE_RETRY = Duration.ofMillis(4_400);

    /** The longest delay that a scheduler accepts in nanoseconds. */
    private static final Duration MAX_TIME = Duration.ofNanos(Long.MAX_VALUE);

    /**
     * Creates a deadline.
     *
     * @throws IllegalArgumentException if the time is out of its range
     */
    public Deadline {
        Objects.requireNonNull(time, "time");
        Objects.requireNonNull(scheduler, "scheduler");
        if (time.isNegative() || time.isZero() || time.compareTo(MAX_TIME) > 0) {
            throw new IllegalArgumentException("deadline must be more than zero and at most 292 years: " + time);
        }
    }

    /**
     * Returns a resolver with this deadline for each question, from the question to the final answer, including all aliases. A late
     * answer is SERVFAIL with RA and {@link ExtendedError#NO_REACHABLE_AUTHORITY}. Keeps the fast path, and answers that are ready immediately
     * cost nothing.
     *
     * <p>Steps in progress at the deadline continue, and may start others; limit each of them, too.
     *
     * @param inner the resolver with all steps
     * @param failures receives each question that was not answered in time, with a {@link TimeoutException}, or a {@link
     *     RejectedExecutionException} if the scheduler was shut down
     */
    public DnsResolver limiting(DnsResolver inner, FailureObserver failures) {
        return new Limiting(Objects.requireNonNull(inner, "inner"), Objects.requireNonNull(failures, "failures"));
    }

    /**
     * Returns a stage with the answer of another one, or with a substitute at the deadline.
     *
     * @param stage the stage, which continues after the deadline
     * @param late returns the substitute; if it throws, the stage fails with the exception. Its argument is a {@link TimeoutException}, or a {@link RejectedExecutionException} if the
     *     scheduler was shut down
     */
    public CompletionStage<Answer> limit(CompletionStage<Answer> stage, Function<? super Exception, Answer> late) {
        Objects.requireNonNull(late, "late");
        CompletableFuture<Answer> result = copy(Objects.requireNonNull(stage, "stage"));
        enforce(result, expired -> {
            try {
                result.complete(Objects.requireNonNull(late.apply(expired), "late"));
            } catch (RuntimeException | Error failed) {
                // The client must not wait for the stage.
                result.completeExceptionally(failed);
            }
        });
        return result;
    }

    /** Returns a future that can be completed earlier than the stage, without completing the stage. */
    private static CompletableFuture<Answer> copy(CompletionStage<Answer> stage) {
        CompletableFuture<Answer> result = new CompletableFuture<>();
        stage.whenComplete((answer, failure) -> {
            if (failure == null) {
                result.complete(answer);
            } else {
                result.completeExceptionally(failure);
            }
        });
        return result;
    }

    /**
     * Calls an action if the result is not complete at the deadline, or immediately if the scheduler was shut down, because a client could
     * then wait forever.
     *
     * @param expired receives a {@link TimeoutException} or a {@link RejectedExecutionException}
     */
    void enforce(CompletableFuture<Answer> result, Consumer<? super Exception> expired) {
        if (result.isDone()) {
            return;
        }
        try {
            Future<?> timer = scheduler.schedule(
                    () -> expired.accept(new TimeoutException("no answer within " + time.toMillis() + " ms")),
                    time.toNanos(),
                    TimeUnit.NANOSECONDS);
            CompletableFuture<Answer> unused = result.whenComplete((any, failure) -> timer.cancel(false));
        } catch (RejectedExecutionException shutDown) {
            expired.accept(shutDown);
        }
    }

    private final class Limiting implements DnsResolver {
        private final DnsResolver inner;
        private final FailureObserver failures;

        Limiting(DnsResolver inner, FailureObserver failures) {
            this.inner = inner;
            this.failures = failures;
        }

        @Override
        public Optional<DirectAnswers> direct() {
            return inner.direct();
        }

        @Override
        public Optional<DirectAnswers> direct(Client client) {
            return inner.direct(client);
        }

        @Override
        public Resolution resolve(Question question, Client client) {
            Resolution resolution = inner.resolve(question, client);
            if (resolution instanceof Resolution.Ready) {
                return resolution;
            }
            CompletableFuture<Answer> result = copy(resolution.toStage());
            enforce(result, expired -> fail(question, result, expired));
            return new Resolution.Pending(result);
        }

        private void fail(Question question, CompletableFuture<Answer> result, Exception expired) {
            Answer failed = Answer.failure(
                            Rcode.SERVFAIL,
                            new ExtendedError(
                                    ExtendedError.NO_REACHABLE_AUTHORITY,
                                    question.name() + " was not answered in time"))
                    .withRecursionAvailable(true);
            if (result.complete(failed)) {
                try {
                    failures.failed(question, expired);
                } catch (RuntimeException | Error ignored) {
                    // A failing observer must not end the scheduler's task with an exception.
                }
            }
        }
    }
}
