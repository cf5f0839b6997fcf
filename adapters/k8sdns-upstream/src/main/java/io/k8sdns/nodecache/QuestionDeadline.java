package io.k8sdns.nodecache;

import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DirectAnswers;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.FailureObserver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.xbill.DNS.Rcode;

/**
 * Answers SERVFAIL if another resolver takes too long for a question of a client. The deadline includes all steps: the aliases, and the
 * names of a search list after a forwarded question.
 *
 * <p>Steps in progress at the deadline continue, and may start others; each has a limit of its own, and their answers are cached.
 */
final class QuestionDeadline implements DnsResolver {
    /** Less than the five seconds after which resolvers in Pods retry, and more than the deadline of one forwarded question. */
    static final Duration TIME = Duration.ofMillis(4_400);

    private final DnsResolver inner;
    private final ScheduledExecutorService timer;
    private final FailureObserver failures;

    /**
     * Creates the resolver.
     *
     * @param timer runs a short task at the deadline, which also sends the answer; the caller must shut it down
     * @param failures receives questions that were not answered in time
     */
    QuestionDeadline(DnsResolver inner, ScheduledExecutorService timer, FailureObserver failures) {
        this.inner = inner;
        this.timer = timer;
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
        return resolution instanceof Resolution.Ready
                ? resolution
                : new Resolution.Pending(limited(question, resolution.toStage()));
    }

    private CompletionStage<Answer> limited(Question question, CompletionStage<Answer> stage) {
        CompletableFuture<Answer> result = new CompletableFuture<>();
        stage.whenComplete((answer, failure) -> {
            if (failure == null) {
                result.complete(answer);
            } else {
                result.completeExceptionally(failure);
            }
        });
        if (result.isDone()) {
            return result;
        }
        try {
            Future<?> deadline = timer.schedule(() -> expire(question, result), TIME.toMillis(), TimeUnit.MILLISECONDS);
            CompletableFuture<Answer> unused = result.whenComplete((any, failure) -> deadline.cancel(false));
        } catch (RejectedExecutionException shutDown) {
            // The deadline cannot be enforced, and without one the client could wait forever.
            expire(question, result);
        }
        return result;
    }

    private void expire(Question question, CompletableFuture<Answer> result) {
        Answer failed = Answer.failure(
                Rcode.SERVFAIL,
                new ExtendedError(ExtendedError.NO_REACHABLE_AUTHORITY, question.name() + " was not answered in time"));
        if (result.complete(failed)) {
            try {
                failures.failed(question, new TimeoutException("no answer within " + TIME.toMillis() + " ms"));
            } catch (RuntimeException | Error ignored) {
                // A failing observer must not end the timer's task with an exception.
            }
        }
    }
}
