package io.k8sdns.upstream;

import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.FailureObserver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
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
 * ResolverChain.of(zone).withUpstream(ForwardingResolver.over(new SimpleResolver("192.0.2.53")));
 * ResolverChain.of(zone).withUpstream(ForwardingResolver.builder(forwarder)
 *         .deadline(Duration.ofSeconds(2), scheduler)
 *         .failures(failures)
 *         .build());
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
public final class ForwardingResolver implements DnsResolver {
    /** The longest delay that a scheduler takes in nanoseconds. */
    private static final Duration MAX_DEADLINE = Duration.ofNanos(Long.MAX_VALUE);

    private final Forwarder forwarder;
    private final @Nullable Deadline deadline;
    private final FailureObserver failures;

    /** How long an answer may take, and what tells. */
    private record Deadline(Duration time, ScheduledExecutorService scheduler) {}

    private ForwardingResolver(Builder builder) {
        this.forwarder = builder.forwarder;
        this.deadline = builder.deadline;
        this.failures = builder.failures;
    }

    /**
     * Returns a builder of a resolver that asks this forwarder.
     *
     * @param forwarder asks other servers
     */
    public static Builder builder(Forwarder forwarder) {
        return new Builder(Objects.requireNonNull(forwarder, "forwarder"));
    }

    /**
     * Returns a resolver that asks a resolver of dnsjava's, whose timeout is the deadline; see {@link Forwarder#over}. Failures are
     * SERVFAIL and not reported: {@code builder(Forwarder.over(resolver)).failures(..)} reports them.
     *
     * @param resolver for example a {@link org.xbill.DNS.SimpleResolver}, or an {@link org.xbill.DNS.ExtendedResolver} over
     *     several servers
     */
    public static ForwardingResolver over(org.xbill.DNS.Resolver resolver) {
        return builder(Forwarder.over(resolver)).build();
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
            Deadline limit = deadline;
            if (limit == null || answer.isDone()) {
                return;
            }
            try {
                ScheduledFuture<?> timer = limit.scheduler()
                        .schedule(
                                () -> expired(stage, limit.time()), limit.time().toNanos(), TimeUnit.NANOSECONDS);
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
                Answer own = forwarded.authoritative()
                        ? forwarded.toBuilder().authoritative(false).build()
                        : forwarded;
                answer.complete(own.withRecursionAvailable(true));
            }
        }

        private void expired(CompletionStage<Answer> stage, Duration time) {
            fail(new TimeoutException("the forwarder did not answer within " + time.toMillis() + " ms"));
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
            answer.complete(Answer.failure(Rcode.SERVFAIL, new ExtendedError(code, text)));
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

    /** Collects what a resolver needs. */
    public static final class Builder {
        private final Forwarder forwarder;
        private @Nullable Deadline deadline;
        private FailureObserver failures = FailureObserver.NONE;

        private Builder(Forwarder forwarder) {
            this.forwarder = forwarder;
        }

        /**
         * Sets how long one answer may take; no limit unless set, for forwarders with a timeout of their own.
         *
         * @param time more than zero and at most 292 years; for a chain of aliases, each of them
         * @param scheduler runs what happens at the deadline, which is brief but for sending the answer; the host must shut it
         *     down, after which every question that the forwarder does not answer at once fails
         * @throws IllegalArgumentException if the time is out of that range
         */
        public Builder deadline(Duration time, ScheduledExecutorService scheduler) {
            Objects.requireNonNull(time, "time");
            Objects.requireNonNull(scheduler, "scheduler");
            if (time.isNegative() || time.isZero()) {
                throw new IllegalArgumentException("deadline must be more than zero: " + time);
            }
            if (time.compareTo(MAX_DEADLINE) > 0) {
                throw new IllegalArgumentException("deadline must be at most 292 years: " + time);
            }
            deadline = new Deadline(time, scheduler);
            return this;
        }

        /** Sets what receives the causes of SERVFAIL; {@link FailureObserver#NONE} unless set. */
        public Builder failures(FailureObserver value) {
            failures = Objects.requireNonNull(value, "failures");
            return this;
        }

        /** Returns the resolver. */
        public ForwardingResolver build() {
            return new ForwardingResolver(this);
        }
    }
}
