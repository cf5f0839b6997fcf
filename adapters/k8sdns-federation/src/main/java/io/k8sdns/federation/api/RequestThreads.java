package io.k8sdns.federation.api;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Runs each request of an HTTP server on a thread of its own, from the TLS handshake to the end of the response, for a limited time.
 *
 * <p>The limits of the JDK's server are system properties, which apply to the whole JVM. Here a thread is interrupted, which closes its
 * connection, when its time is over; when there are too many threads, the oldest one is interrupted. So a client that stops in a
 * handshake or in a body occupies one thread for a limited time, and delays no other client. Thread-safe.
 */
final class RequestThreads implements Executor, AutoCloseable {
    private final int maxThreads;
    private final Duration limit;
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(task -> daemon(task, "k8sdns-stubzone-timer"));

    /** The requests in the order of their start; guarded by this. */
    private final Deque<Request> running = new ArrayDeque<>();

    private boolean isClosed;

    /**
     * Creates an executor without threads.
     *
     * @param maxThreads the maximum number of concurrent requests
     * @param limit the maximum duration of a request
     */
    RequestThreads(int maxThreads, Duration limit) {
        this.maxThreads = maxThreads;
        this.limit = limit;
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public synchronized void execute(Runnable task) {
        if (isClosed) {
            throw new RejectedExecutionException("closed");
        }
        if (running.stream().filter(request -> !request.isCut).count() >= maxThreads) {
            oldest(request -> !request.isAuthenticated)
                    .or(() -> oldest(request -> true))
                    .orElseThrow(() -> new RejectedExecutionException(maxThreads + " requests are under way"))
                    .cut();
        }
        Request request = new Request(task);
        running.add(request);
        var unused = timer.schedule(request::cut, limit.toMillis(), TimeUnit.MILLISECONDS);
        request.thread.start();
    }

    private Optional<Request> oldest(Predicate<Request> wanted) {
        return running.stream()
                .filter(request -> !request.isCut && !request.isProtected)
                .filter(wanted)
                .findFirst();
    }

    /** Notes that the client of the current request has a valid certificate: requests without one are interrupted first. */
    synchronized void authenticated() {
        current().ifPresent(request -> request.isAuthenticated = true);
    }

    /**
     * Runs an action of the current request without interruption, for example a write to a file.
     *
     * @throws java.io.InterruptedIOException if the time of the request is over; then the action has not been run
     */
    <T> T uninterrupted(Action<T> action) throws java.io.IOException {
        Optional<Request> request = protect();
        try {
            return action.run();
        } finally {
            request.ifPresent(this::unprotect);
        }
    }

    /** An action that may fail. */
    interface Action<T> {
        T run() throws java.io.IOException;
    }

    private synchronized Optional<Request> protect() throws java.io.InterruptedIOException {
        Optional<Request> request = current();
        if (request.isPresent()) {
            if (request.get().isCut) {
                throw new java.io.InterruptedIOException("the time of the request is over");
            }
            request.get().isProtected = true;
        }
        return request;
    }

    private synchronized void unprotect(Request request) {
        request.isProtected = false;
        if (request.isCut) {
            request.thread.interrupt();
        }
    }

    private Optional<Request> current() {
        return running.stream()
                .filter(request -> request.thread == Thread.currentThread())
                .findFirst();
    }

    private synchronized void ended(Request request) {
        running.remove(request);
    }

    /** Interrupts all threads. Closing again does nothing. */
    @Override
    public synchronized void close() {
        isClosed = true;
        timer.shutdownNow();
        running.forEach(Request::cut);
    }

    /** One request; its fields are guarded by the enclosing object. */
    private final class Request {
        private final Thread thread;
        private boolean isAuthenticated;
        private boolean isProtected;
        private boolean isCut;

        Request(Runnable task) {
            this.thread = daemon(
                    () -> {
                        try {
                            task.run();
                        } finally {
                            ended(this);
                        }
                    },
                    "k8sdns-stubzone");
        }

        void cut() {
            synchronized (RequestThreads.this) {
                if (!isCut && running.contains(this)) {
                    isCut = true;
                    if (!isProtected) {
                        thread.interrupt();
                    }
                }
            }
        }
    }
}
