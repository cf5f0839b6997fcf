package io.k8sdns.cli;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The end of a node cache by SIGTERM, SIGINT or an interrupt. A signal ends the JVM with 128 and its number unless a shutdown hook
 * ends it with another code; to end a server is no failure, so the hook does.
 */
final class NodeCacheShutdown {
    private final AtomicReference<@Nullable NodeCacheListeners> running = new AtomicReference<>();
    private final CompletableFuture<String> failure = new CompletableFuture<>();
    private volatile Monitoring monitoring = Monitoring.NONE;
    private final Thread hook = new Thread(this::end, "k8sdns-stop");

    NodeCacheShutdown() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * Sets what is stopped when a signal arrives.
     *
     * @param stops is not ready from then on
     */
    void drains(NodeCacheListeners listeners, Monitoring stops) {
        monitoring = stops;
        running.set(listeners);
    }

    private void end() {
        monitoring.stopping();
        NodeCacheListeners listeners = running.get();
        if (listeners != null) {
            listeners.close();
        }
        Runtime.getRuntime().halt(Main.DONE);
    }

    /** Ends the wait because the cache cannot continue. */
    void fails(String why) {
        boolean unused = failure.complete(why);
    }

    /** Waits until the cache cannot continue, and returns why; empty after an interrupt. A signal ends the process. */
    Optional<String> await() {
        try {
            return Optional.of(failure.get());
        } catch (InterruptedException ended) {
            return Optional.empty();
        } catch (ExecutionException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Lets the JVM end with another code from here on, unless a signal is ending it already. */
    void isOver() {
        try {
            boolean unused = Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            // The hook runs, and halts.
        }
    }
}
