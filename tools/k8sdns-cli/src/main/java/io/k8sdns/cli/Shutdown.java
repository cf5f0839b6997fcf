package io.k8sdns.cli;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Ends a server command: after SIGTERM or SIGINT, after an interrupt, or because the server cannot continue. A signal would end the
 * JVM with 128 plus its number; stopping a server is not a failure, so a shutdown hook ends the JVM with exit code 0 instead. The
 * hook is active as soon as this object is created.
 */
final class Shutdown {
    private final CompletableFuture<String> failure = new CompletableFuture<>();
    private final Thread hook = new Thread(this::end, "k8sdns-stop");
    private volatile Monitoring monitoring = Monitoring.NONE;
    private volatile List<Runnable> steps = List.of();

    Shutdown() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Sets the monitoring that reports not ready after a signal. */
    void monitoring(Monitoring value) {
        monitoring = value;
    }

    /** Sets the steps that run in order after a signal, to send the pending answers. */
    void onSignal(Runnable... value) {
        steps = List.of(value);
    }

    private void end() {
        try {
            monitoring.markStopping();
            steps.forEach(Runnable::run);
        } finally {
            halt();
        }
    }

    private void halt() {
        try {
            // The monitoring is not closed: halt ends its threads and sockets.
            monitoring.markStopped();
        } finally {
            Runtime.getRuntime().halt(Main.DONE);
        }
    }

    /** Ends the wait with a reason why the server cannot continue. */
    void fail(String reason) {
        boolean unused = failure.complete(reason);
    }

    /**
     * Waits until the server cannot continue, and returns the reason; empty after an interrupt. Does not return after a signal,
     * which ends the process.
     */
    Optional<String> await() {
        try {
            return Optional.of(failure.get());
        } catch (InterruptedException ended) {
            // Another program runs the command in a thread and has interrupted the thread.
            return Optional.empty();
        } catch (ExecutionException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Removes the hook, so that the JVM can end with another exit code, unless a signal is already ending it. */
    void cancel() {
        try {
            boolean unused = Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            // The hook is running and halts the JVM.
        }
    }
}
