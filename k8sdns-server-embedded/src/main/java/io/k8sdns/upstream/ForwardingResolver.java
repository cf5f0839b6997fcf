package io.k8sdns.upstream;

import io.k8sdns.model.Internal;
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
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Rcode;

/**
 * Answers with the result of a {@link Forwarder}, or with SERVFAIL and an extended error. Never authoritative.
 *
 * <pre>{@code
 * ResolverChain.of(zone).withUpstream(ForwardingResolver.over(new SimpleResolver("192.0.2.53")));
 * ResolverChain.of(zone).withUpstream(ForwardingResolver.builder(forwarder)
 *         .deadline(Duration.ofSeconds(2), scheduler)
 *         .failures(failures)
 *         .build());
 * }</pre>
 *
 * <p>If the forwarder does not answer by the deadline, the answer is SERVFAIL with {@link ExtendedError#NO_REACHABLE_AUTHORITY}, the
 * forwarder's stage is cancelled if possible, and a later answer is ignored. Resolvers in Pods usually retry after five seconds,
 * so use a shorter deadline.
 *
 * <p>If the forwarder throws or fails, the answer is SERVFAIL and the cause, including an {@link Error}, is reported to the {@link
 * FailureObserver}. If it throws a {@link VirtualMachineError} other than {@link StackOverflowError}, this resolver rethrows it, and
 * {@link io.k8sdns.wire.DnsResponder} answers and reports it.
 */
public final class ForwardingResolver implements DnsResolver {
    private final Forwarder forwarder;
    private final @Nullable Deadline deadline;
    private final FailureObserver failures;

    private ForwardingResolver(Builder builder) {
        this.forwarder = builder.forwarder;
        this.deadline = builder.deadline;
        this.failures = builder.failures;
    }

    /**
     * Returns a builder of a resolver with a forwarder.
     *
     * @param forwarder forwards the questions to other servers
     */
    public static Builder builder(Forwarder forwarder) {
        return new Builder(Objects.requireNonNull(forwarder, "forwarder"));
    }

    /**
     * Returns a resolver that forwards with a dnsjava resolver, whose timeout is the deadline; see {@link Forwarder#over}. Failures are
     * SERVFAIL and are not reported; to report them, use {@code builder(Forwarder.over(resolver)).failures(..)}.
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
            // Throwable, because hosts in other languages can throw checked exceptions.
            if (thrown instanceof VirtualMachineError fatal && !(thrown instanceof StackOverflowError)) {
                throw fatal;
            }
            exchange.fail(thrown);
        }
        return new Resolution.Pending(exchange.answer);
    }

    /** One forwarded question. The first of answer, failure and deadline completes it. */
    private final class Exchange {
        private final Question question;
        private final AtomicBoolean completed = new AtomicBoolean();
        private final CompletableFuture<Answer> answer = new CompletableFuture<>();

        Exchange(Question question) {
            this.question = question;
        }

        void follow(CompletionStage<Answer> stage) {
            stage.whenComplete(this::complete);
            if (deadline != null) {
                deadline.enforce(answer, expired -> {
                    fail(expired);
                    cancel(stage);
                });
            }
        }

        private void complete(@Nullable Answer forwarded, @Nullable Throwable failure) {
            if (forwarded == null) {
                fail(cause(failure));
            } else if (completed.compareAndSet(false, true)) {
                Answer own = forwarded.authoritative()
                        ? forwarded.toBuilder().authoritative(false).build()
                        : forwarded;
                answer.complete(own.withRecursionAvailable(true));
            }
        }

        void fail(Throwable failure) {
            if (!completed.compareAndSet(false, true)) {
                return;
            }
            try {
                failures.failed(question, failure);
            } catch (Throwable ignored) {
                // A failing observer must not prevent the response.
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
            // The forwarder continues, and its answer is ignored.
        }
    }

    /**
     * Returns why a forwarder's stage completed without an answer.
     *
     * @param failure the failure of the stage; null if its value is null
     */
    @Internal
    @SuppressWarnings("exports") // Callers need no annotations.
    public static Throwable cause(@Nullable Throwable failure) {
        if (failure == null) {
            return new NullPointerException("the forwarder's stage completed with null instead of an answer");
        }
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    /** Collects the settings of a resolver. */
    public static final class Builder {
        private final Forwarder forwarder;
        private @Nullable Deadline deadline;
        private FailureObserver failures = FailureObserver.NONE;

        private Builder(Forwarder forwarder) {
            this.forwarder = forwarder;
        }

        /**
         * Sets the longest duration of one answer; no limit by default, for forwarders with their own timeout.
         *
         * @param time more than zero and at most 292 years; applies to each alias of a chain separately; see {@link
         *     Deadline#limiting} for one deadline
         * @param scheduler runs a short task at the deadline, which also sends the answer. The host must shut it down; after that
         *     every question that the forwarder does not answer immediately fails
         * @throws IllegalArgumentException if the time is out of that range
         */
        public Builder deadline(Duration time, ScheduledExecutorService scheduler) {
            deadline = new Deadline(time, scheduler);
            return this;
        }

        /** Sets the observer of failures, which receives the causes of SERVFAIL; {@link FailureObserver#NONE} by default. */
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
