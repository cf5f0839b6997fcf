package io.k8sdns.federation.controller;

import io.k8sdns.federation.api.StubZone;
import io.k8sdns.federation.api.StubZoneClient;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the stub zone of a federation in the DNS server of one cluster: reads it, writes it if it differs, and reads it again after each
 * interval. After a failure it waits longer each time. For the loop's thread.
 */
final class StubZoneKeeper {
    private final StubZoneClient client;
    private final StubZone wanted;
    private final ControllerTimers time;
    private final RandomGenerator random;
    private final ControllerCore.Settings settings;
    private final BooleanSupplier isWanted;
    private final Runnable changed;

    /** The number of the round, so that the response to an earlier one is ignored. */
    private int round;

    private boolean isRunning;
    private boolean isDone;
    private int failures;
    private @Nullable String reason;

    /**
     * Creates a keeper that has not started.
     *
     * @param isWanted whether this controller may write now
     * @param changed called when a round has ended
     */
    StubZoneKeeper(
            StubZoneClient client,
            StubZone wanted,
            ControllerTimers time,
            RandomGenerator random,
            ControllerCore.Settings settings,
            BooleanSupplier isWanted,
            Runnable changed) {
        this.client = client;
        this.wanted = wanted;
        this.time = time;
        this.random = random;
        this.settings = settings;
        this.isWanted = isWanted;
        this.changed = changed;
    }

    /** Returns whether the last round has succeeded, or at least this number of rounds in a row have failed. */
    boolean isReconciled(int attempts) {
        return isDone || failures >= attempts;
    }

    /** Returns the reason why the last round failed; empty if it succeeded. */
    Optional<String> failure() {
        return Optional.ofNullable(reason);
    }

    /** Starts the rounds if they are wanted and not running; they end when they are no longer wanted. */
    void run() {
        if (!isRunning && isWanted.getAsBoolean()) {
            isRunning = true;
            read();
        }
    }

    private void read() {
        int now = ++round;
        call(now, () -> client.get(wanted.federation()), present -> {
            if (present.equals(Optional.of(wanted))) {
                end(null);
            } else {
                call(now, () -> client.put(wanted), unused -> end(null));
            }
        });
    }

    private interface Call<T> {
        CompletionStage<T> start();
    }

    private <T> void call(int now, Call<T> call, Consumer<T> then) {
        ControllerTimers.Timer deadline = time.after(settings.deadline(), () -> {
            if (now == round) {
                end("no answer in " + settings.deadline().toSeconds() + " s");
            }
        });
        var unused = call.start()
                .whenComplete((value, failure) -> time.execute(() -> {
                    deadline.cancel();
                    if (now != round) {
                        return;
                    }
                    if (failure == null) {
                        then.accept(value);
                    } else {
                        Throwable cause = failure instanceof CompletionException && failure.getCause() != null
                                ? failure.getCause()
                                : failure;
                        end(String.valueOf(cause.getMessage()));
                    }
                }));
    }

    private void end(@Nullable String failure) {
        round++;
        reason = failure;
        isDone = failure == null;
        failures = failure == null ? 0 : failures + 1;
        Duration pause = failure == null ? settings.interval() : ControllerBackoff.after(failures, random);
        var unused = time.after(pause, () -> {
            isRunning = false;
            run();
        });
        changed.run();
    }
}
