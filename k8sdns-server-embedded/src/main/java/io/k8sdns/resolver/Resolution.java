package io.k8sdns.resolver;

import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/** An answer, now or later. */
public sealed interface Resolution {
    /**
     * The answer is here.
     *
     * @param answer the answer
     */
    record Ready(Answer answer) implements Resolution {}

    /**
     * The answer will come.
     *
     * @param stage completes with the answer, never exceptionally
     */
    record Pending(CompletionStage<Answer> stage) implements Resolution {}

    /** Goes on with the answer once it is there; at once if it is here. */
    default Resolution then(Function<Answer, Resolution> next) {
        if (this instanceof Ready ready) {
            return next.apply(ready.answer());
        }
        if (this instanceof Pending pending) {
            return new Pending(
                    pending.stage().thenCompose(answer -> next.apply(answer).toStage()));
        }
        throw new AssertionError(this);
    }

    /** Hands the answer over once it is there; before returning if it is here. */
    default void deliver(Consumer<Answer> sink) {
        if (this instanceof Ready ready) {
            sink.accept(ready.answer());
        } else if (this instanceof Pending pending) {
            pending.stage().thenAccept(sink);
        } else {
            throw new AssertionError(this);
        }
    }

    /** Returns the answer as a stage. */
    default CompletionStage<Answer> toStage() {
        if (this instanceof Ready ready) {
            return java.util.concurrent.CompletableFuture.completedFuture(ready.answer());
        }
        if (this instanceof Pending pending) {
            return pending.stage();
        }
        throw new AssertionError(this);
    }
}
