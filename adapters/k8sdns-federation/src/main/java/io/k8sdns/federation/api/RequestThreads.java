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
 * The threads of an HTTP server whose clients may stop at any moment: a thread for each request, from the TLS handshake to the end of
 * the response, for a limited time.
 *
 * <p>The JDK's server has no limits but those of system properties, which are the whole JVM's. Here a thread is interrupted when its
 * time is over, or when there are too many, the oldest first; that closes its connection. So a client that stops in a handshake or in
 * a body costs a thread for a while, and no other client waits for it. Thread-safe.
 */
final class RequestThreads implements Executor, AutoCloseable {
    private final int maxThreads;
    private final Duration limit;
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(task -> daemon(task, "k8sdns-stubzone-timer"));

    /** In the order in which they were started; guarded by this. */
    private final Deque<Request> running = new ArrayDeque<>();

    private boolean isClosed;

    /**
     * Makes threads when they are needed.
     *
     * @param maxThreads how many requests may be under way
     * @param limit how long one may take
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
            oldest(request -> !request.isKnown)
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

    /** Notes that the client of the current request has a valid certificate: it is not cut before those that have none. */
    synchronized void known() {
        current().ifPresent(request -> request.isKnown = true);
    }

    /**
     * Runs something in the current request that is not interrupted, for example a write to a file.
     *
     * @throws java.io.InterruptedIOException if the time of the request is over; then nothing was run
     */
    <T> T uninterrupted(Action<T> action) throws java.io.IOException {
        Optional<Request> request = protect();
        try {
            return action.run();
        } finally {
            request.ifPresent(this::unprotect);
        }
    }

    /** Something that may fail. */
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

    /** One request; its fields are guarded by the threads. */
    private final class Request {
        private final Thread thread;
        private boolean isKnown;
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
