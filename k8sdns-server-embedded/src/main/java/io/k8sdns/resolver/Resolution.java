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
 * An answer, now or later.
 *
 * <p>Resolvers that change or complete another's answer use {@link #map} and {@link #then} alone: it stays ready when it can,
 * and nothing ever blocks a thread to wait.
 */
public sealed interface Resolution {
    /**
     * The answer is here.
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
     * The answer will come.
     *
     * @param stage completes with the answer; exceptionally counts as {@link Answer#FAILED}. If it never completes, the
     *     client gets no response: {@link io.k8sdns.upstream.ForwardingResolver} sets a deadline
     */
    record Pending(CompletionStage<Answer> stage) implements Resolution {
        /** Checks that the stage is not null. */
        public Pending {
            Objects.requireNonNull(stage, "stage");
        }
    }

    /**
     * Goes on with the answer once it is there; at once if it is here.
     *
     * @param next what to do with it; what it throws is thrown here, or fails the stage if the answer comes later
     */
    default Resolution then(Function<Answer, Resolution> next) {
        if (this instanceof Ready ready) {
            return next.apply(ready.answer());
        }
        return new Pending(
                toStage().thenCompose(answer -> next.apply(present(answer)).toStage()));
    }

    /**
     * Changes the answer once it is there; at once if it is here.
     *
     * @param change what to make of it; what it throws is thrown here, or fails the stage if the answer comes later
     */
    default Resolution map(UnaryOperator<Answer> change) {
        return this instanceof Ready ready
                ? new Ready(change.apply(ready.answer()))
                : new Pending(toStage().thenApply(answer -> change.apply(present(answer))));
    }

    /**
     * Hands the answer over, exactly once: before returning if it is here.
     *
     * @param sink takes the answer, {@link Answer#FAILED} if the stage failed
     */
    default void deliver(Consumer<Answer> sink) {
        deliver(sink, failure -> {});
    }

    /**
     * Hands the answer over, as {@link #deliver(Consumer)} does, and reports why there is none.
     *
     * <p>The first result counts: a stage that completes again, or throws afterwards, is ignored.
     *
     * @param sink takes the answer, {@link Answer#FAILED} if the stage failed
     * @param failed takes the cause, before the sink is called; a stage that completes with null, or throws instead of
     *     accepting a callback, counts as failed
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
            // Throwable: hosts in other languages throw checked exceptions, too.
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

    /** Returns the answer as a stage, completed if the answer is here. */
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
