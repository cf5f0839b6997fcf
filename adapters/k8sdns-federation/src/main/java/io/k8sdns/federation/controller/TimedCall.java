package io.k8sdns.federation.controller;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A request that ends once, in the loop: by its answer, or by its deadline. An answer after the deadline is ignored. */
final class TimedCall<T> {
    private final Consumer<T> then;
    private final Consumer<String> failed;
    private ControllerTimers.@Nullable Timer timer;
    private boolean hasEnded;

    private TimedCall(Consumer<T> then, Consumer<String> failed) {
        this.then = then;
        this.failed = failed;
    }

    /**
     * Makes a request whose answer is parsed.
     *
     * @param then receives the answer; an IllegalArgumentException that it throws about the answer is a failure
     * @param failed receives the reason of a failure, as a message for users
     */
    static <T> void startParsing(
            ControllerTimers time,
            Duration deadline,
            Supplier<CompletionStage<T>> request,
            Consumer<T> then,
            Consumer<String> failed) {
        start(
                time,
                deadline,
                request,
                value -> {
                    try {
                        then.accept(value);
                    } catch (IllegalArgumentException malformed) {
                        failed.accept(text(malformed));
                    }
                },
                failed);
    }

    /**
     * Makes a request.
     *
     * @param then receives the answer; an exception that it throws is a fault of this program, and no failure of the request
     * @param failed receives the reason of a failure, as a message for users
     */
    static <T> void start(
            ControllerTimers time,
            Duration deadline,
            Supplier<CompletionStage<T>> request,
            Consumer<T> then,
            Consumer<String> failed) {
        TimedCall<T> call = new TimedCall<>(then, failed);
        call.timer = time.after(deadline, () -> call.fail("no answer in " + deadline.toSeconds() + " s"));
        try {
            var unused = request.get()
                    .whenComplete((value, failure) -> time.execute(() -> {
                        if (failure == null) {
                            call.succeed(value);
                        } else {
                            call.fail(text(failure));
                        }
                    }));
        } catch (RuntimeException refused) {
            time.execute(() -> call.fail(text(refused)));
        }
    }

    private void succeed(T value) {
        if (isFirst()) {
            then.accept(value);
        }
    }

    private void fail(String reason) {
        if (isFirst()) {
            failed.accept(reason);
        }
    }

    private boolean isFirst() {
        boolean isFirst = !hasEnded;
        hasEnded = true;
        ControllerTimers.Timer running = timer;
        if (running != null) {
            running.cancel();
        }
        return isFirst;
    }

    /** Returns the reason of a failure, as a message for users. */
    private static String text(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }
}
