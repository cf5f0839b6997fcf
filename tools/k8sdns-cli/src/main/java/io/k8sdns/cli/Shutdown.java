package io.k8sdns.cli;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * The end of a server command: by SIGTERM or SIGINT, at any time after this object was created; by an interrupt; or because the
 * server cannot continue. A signal ends the JVM with 128 and its number unless a shutdown hook ends it with another code; stopping
 * a server is no failure, so the hook does.
 */
final class Shutdown {
    private final CompletableFuture<String> failure = new CompletableFuture<>();
    private final Thread hook = new Thread(this::end, "k8sdns-stop");
    private volatile Monitoring monitoring = Monitoring.NONE;
    private volatile List<Runnable> steps = List.of();

    Shutdown() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Sets what is no longer ready once a signal has arrived. */
    void stops(Monitoring value) {
        monitoring = value;
    }

    /** Sets what runs after a signal, one step after the other: what sends the answers that are due. */
    void drains(Runnable... value) {
        steps = List.of(value);
    }

    private void end() {
        try {
            monitoring.stopping();
            steps.forEach(Runnable::run);
        } finally {
            Runtime.getRuntime().halt(Main.DONE);
        }
    }

    /** Ends the wait because the server cannot continue. */
    void fails(String why) {
        boolean unused = failure.complete(why);
    }

    /** Waits until the server cannot continue, and returns why; empty after an interrupt. A signal ends the process. */
    Optional<String> await() {
        try {
            return Optional.of(failure.get());
        } catch (InterruptedException ended) {
            // The end, by the thread of a larger program that runs the command.
            return Optional.empty();
        } catch (ExecutionException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Lets the JVM end with another code from here on, unless a signal is ending it already. */
    void cancel() {
        try {
            boolean unused = Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            // The hook runs, and halts.
        }
    }
}
