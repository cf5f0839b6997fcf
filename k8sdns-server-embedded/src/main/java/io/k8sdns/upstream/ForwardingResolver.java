package io.k8sdns.upstream;

import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.FailureObserver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.Resolver;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Rcode;

/**
 * Answers what a {@link Forwarder} returns, or SERVFAIL with an extended error. Never authoritative.
 *
 * <pre>{@code
 * new ForwardingResolver(forwarder, Duration.ofSeconds(2), scheduler, failures)
 * }</pre>
 *
 * <p>A forwarder that does not answer by the deadline holds no client longer than that: the answer is SERVFAIL with
 * {@link ExtendedError#NO_REACHABLE_AUTHORITY}, the forwarder's stage is cancelled if it can be, and an answer that comes
 * later is ignored. Resolvers in Pods usually ask again after five seconds, so that a deadline below that is useful.
 *
 * <p>Whatever the forwarder throws or fails with becomes SERVFAIL and is reported to the {@link FailureObserver}, an
 * {@link Error} included. Only a {@link VirtualMachineError} other than {@link StackOverflowError} that it throws passes
 * through, to {@link io.k8sdns.wire.DnsResponder}, which answers and reports it.
 */
public final class ForwardingResolver implements Resolver {
    /** The longest delay that a scheduler takes in nanoseconds. */
    private static final Duration MAX_DEADLINE = Duration.ofNanos(Long.MAX_VALUE);

    private final Forwarder forwarder;
    private final Duration deadline;
    private final ScheduledExecutorService scheduler;
    private final FailureObserver failures;

    /**
     * Makes the resolver that asks this forwarder.
     *
     * @param forwarder asks other servers
     * @param deadline how long one answer may take, more than zero and at most 292 years; for a chain of aliases, each of
     *     them
     * @param scheduler runs what happens at the deadline, which is brief but for sending the answer; the host's to shut
     *     down, after which every question that the forwarder does not answer at once fails
     * @param failures receives the causes of SERVFAIL
     * @throws IllegalArgumentException if the deadline is out of that range
     */
    public ForwardingResolver(
            Forwarder forwarder, Duration deadline, ScheduledExecutorService scheduler, FailureObserver failures) {
        this.forwarder = Objects.requireNonNull(forwarder, "forwarder");
        this.deadline = Objects.requireNonNull(deadline, "deadline");
        this.scheduler = Objects.requireNonNull(scheduler, "scheduler");
        this.failures = Objects.requireNonNull(failures, "failures");
        if (deadline.isNegative() || deadline.isZero()) {
            throw new IllegalArgumentException("deadline must be more than zero: " + deadline);
        }
        if (deadline.compareTo(MAX_DEADLINE) > 0) {
            throw new IllegalArgumentException("deadline must be at most 292 years: " + deadline);
        }
    }

    @Override
    public Resolution resolve(Question question, Client client) {
        Exchange exchange = new Exchange(question);
        try {
            exchange.follow(Objects.requireNonNull(
                    forwarder.forward(question, client), "the forwarder returned null instead of a stage"));
        } catch (Throwable thrown) {
            // Throwable: hosts in other languages throw checked exceptions, too.
            if (thrown instanceof VirtualMachineError fatal && !(thrown instanceof StackOverflowError)) {
                throw fatal;
            }
            exchange.fail(thrown);
        }
        return new Resolution.Pending(exchange.answer);
    }

    /** One question on its way: the first of answer, failure and deadline decides. */
    private final class Exchange {
        private final Question question;
        private final AtomicBoolean decided = new AtomicBoolean();
        private final CompletableFuture<Answer> answer = new CompletableFuture<>();

        Exchange(Question question) {
            this.question = question;
        }

        void follow(CompletionStage<Answer> stage) {
            stage.whenComplete(this::completed);
            if (answer.isDone()) {
                return;
            }
            try {
                ScheduledFuture<?> timer =
                        scheduler.schedule(() -> expired(stage), deadline.toNanos(), TimeUnit.NANOSECONDS);
                CompletableFuture<Answer> unused = answer.whenComplete((any, failure) -> timer.cancel(false));
            } catch (RejectedExecutionException shutDown) {
                // Without a deadline the client could wait for ever.
                fail(shutDown);
                cancel(stage);
            }
        }

        private void completed(@Nullable Answer forwarded, @Nullable Throwable failure) {
            if (forwarded == null) {
                fail(cause(failure));
            } else if (decided.compareAndSet(false, true)) {
                answer.complete(new Answer(
                        forwarded.rcode(),
                        false,
                        true,
                        forwarded.answer(),
                        forwarded.authority(),
                        forwarded.additional(),
                        forwarded.error()));
            }
        }

        private void expired(CompletionStage<Answer> stage) {
            fail(new TimeoutException("the forwarder did not answer within " + deadline.toMillis() + " ms"));
            cancel(stage);
        }

        void fail(Throwable failure) {
            if (!decided.compareAndSet(false, true)) {
                return;
            }
            try {
                failures.failed(question, failure);
            } catch (Throwable ignored) {
                // The observer's own failure must not cost the client its answer.
            }
            int code =
                    failure instanceof IOException ? ExtendedError.NETWORK_ERROR : ExtendedError.NO_REACHABLE_AUTHORITY;
            String text = question.name()
                    + (failure instanceof TimeoutException ? " was not answered in time" : " could not be forwarded");
            answer.complete(Answer.failure(Rcode.SERVFAIL, Optional.of(new ExtendedError(code, text))));
        }
    }

    private static void cancel(CompletionStage<Answer> stage) {
        try {
            stage.toCompletableFuture().cancel(true);
        } catch (RuntimeException notCancellable) {
            // Then the forwarder works in vain, and its answer is ignored.
        }
    }

    private static Throwable cause(@Nullable Throwable failure) {
        if (failure == null) {
            return new NullPointerException("the forwarder's stage completed with null instead of an answer");
        }
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }
}
