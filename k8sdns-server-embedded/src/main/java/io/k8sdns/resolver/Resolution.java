package io.k8sdns.resolver;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The result of a resolver: an answer that is ready, or a stage that completes with one.
 *
 * <p>Resolvers that change or extend another resolver's answer use only {@link #map} and {@link #then}: these keep a ready answer
 * ready and never block a thread.
 */
public sealed interface Resolution {
    /**
     * An answer that is ready.
     *
     * @param answer the answer
     */
    record Ready(Answer answer) implements Resolution {
        /** Checks that the answer is not null. */
        public Ready {
            Objects.requireNonNull(answer, "answer");
        }
    }

    /**
     * An answer that is pending.
     *
     * @param stage completes with the answer; if it completes exceptionally, the answer is {@link Answer#FAILED}. If it never
     *     completes, the client gets no response; {@link io.k8sdns.upstream.ForwardingResolver} can set a deadline
     */
    record Pending(CompletionStage<Answer> stage) implements Resolution {
        /** Checks that the stage is not null. */
        public Pending {
            Objects.requireNonNull(stage, "stage");
        }
    }

    /**
     * Returns the resolution that a function derives from the answer. Calls the function immediately if the answer is ready,
     * otherwise when it completes.
     *
     * @param next the function; this method throws its exception if the answer is ready, otherwise the stage fails with it
     */
    default Resolution then(Function<Answer, Resolution> next) {
        if (this instanceof Ready ready) {
            return next.apply(ready.answer());
        }
        return new Pending(
                toStage().thenCompose(answer -> next.apply(present(answer)).toStage()));
    }

    /**
     * Returns a resolution with a changed answer. Calls the function immediately if the answer is ready, otherwise when it
     * completes.
     *
     * @param change the function; this method throws its exception if the answer is ready, otherwise the stage fails with it
     */
    default Resolution map(UnaryOperator<Answer> change) {
        return this instanceof Ready ready
                ? new Ready(change.apply(ready.answer()))
                : new Pending(toStage().thenApply(answer -> change.apply(present(answer))));
    }

    /**
     * Passes the answer to a consumer, exactly once: before this method returns if the answer is ready, otherwise when it
     * completes.
     *
     * @param sink receives the answer; {@link Answer#FAILED} if the stage failed
     */
    default void deliver(Consumer<Answer> sink) {
        deliver(sink, failure -> {});
    }

    /**
     * Passes the answer to a consumer, like {@link #deliver(Consumer)}, and reports the cause of a failure.
     *
     * <p>Only the first result is used: a stage that completes again, or throws afterwards, is ignored.
     *
     * @param sink receives the answer; {@link Answer#FAILED} if the stage failed
     * @param failed receives the cause of a failure, before the sink is called; a stage that completes with null, or throws
     *     instead of accepting a callback, has failed
     */
    default void deliver(Consumer<Answer> sink, Consumer<Throwable> failed) {
        if (this instanceof Ready ready) {
            sink.accept(ready.answer());
            return;
        }
        AtomicBoolean delivered = new AtomicBoolean();
        BiConsumer<@Nullable Answer, @Nullable Throwable> once = (answer, failure) -> {
            if (!delivered.compareAndSet(false, true)) {
                return;
            }
            if (answer == null) {
                failed.accept(cause(failure));
            }
            sink.accept(answer == null ? Answer.FAILED : answer);
        };
        try {
            toStage().whenComplete(once);
        } catch (Throwable thrown) {
            // Throwable, because hosts in other languages can throw checked exceptions.
            once.accept(null, thrown);
        }
    }

    private static Answer present(@Nullable Answer answer) {
        if (answer == null) {
            throw noAnswer();
        }
        return answer;
    }

    private static NullPointerException noAnswer() {
        return new NullPointerException("the stage completed with null instead of an answer");
    }

    private static Throwable cause(@Nullable Throwable failure) {
        if (failure == null) {
            return noAnswer();
        }
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    /** Returns the answer as a stage, which is completed if the answer is ready. */
    default CompletionStage<Answer> toStage() {
        if (this instanceof Ready ready) {
            return CompletableFuture.completedFuture(ready.answer());
        }
        if (this instanceof Pending pending) {
            return pending.stage();
        }
        throw new AssertionError(this);
    }
}
