package io.k8sdns.clientjava;

import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/** The client of all requests. Makes a new one when the server refuses its credentials, or their files change. */
final class Connection {
    private static final Duration PING_INTERVAL = Duration.ofSeconds(30);

    /** The time for which callers share the failure of an attempt to make a client, so that they do not all repeat it. */
    private static final Duration FAILURE_SHARED = Duration.ofSeconds(3);

    /**
     * The time after which another thread also tries to make a client: a program that prints credentials may hang.
     */
    private static final Duration HANGS_AFTER = Duration.ofMinutes(1);

    /** The maximum number of threads that make a client at the same time. */
    private static final int MAX_MAKERS = 5;

    /** The longest time to connect. TCP sends its first packet again after one and three seconds, so three attempts fit. */
    private static final Duration MAX_CONNECT_TIMEOUT = Duration.ofSeconds(4);

    private final ApiConnector connector;
    private final Duration clientTimeout;
    private final LongSupplier nanoTime;
    private final ConnectionPool pool = new ConnectionPool();

    /** The client: ready, being made, or failed. */
    private @Nullable CompletableFuture<Client> current;

    /** The state of the credential files before they were last read. */
    private FileStamps files = FileStamps.NONE;

    /** The time at which {@link #current} began to be made. */
    private long begunAt;

    /** The threads that make a client now. */
    private int makers;

    /** Thrown if another thread has not made the client in time. */
    static final class PendingException extends IOException {
        private static final long serialVersionUID = 1;

        PendingException(Duration waited, TimeoutException late) {
            super("no credentials after " + waited.toSeconds() + " s; the program that prints them may hang", late);
        }
    }

    /** The Kubernetes client, which builds requests, and the HTTP client, which sends them. */
    record Client(ApiClient api, OkHttpClient http) {}

    /**
     * Creates a connection without a client yet.
     *
     * @param clientTimeout how long a thread waits for another one that makes the client
     * @param nanoTime the clock
     */
    Connection(ApiConnector connector, Duration clientTimeout, LongSupplier nanoTime) {
        this.connector = connector;
        this.clientTimeout = clientTimeout;
        this.nanoTime = nanoTime;
    }

    /**
     * Returns the client; makes it, or waits for the thread that makes it, if there is none. May block.
     *
     * @throws PendingException if another thread has not made it in time
     * @throws IOException if it cannot be made
     */
    Client client() throws IOException {
        CompletableFuture<Client> mine = new CompletableFuture<>();
        CompletableFuture<Client> first;
        synchronized (this) {
            first = current == null || isToBeReplaced(current) ? mine : current;
            if (first == mine) {
                current = mine;
                begunAt = nanoTime.getAsLong();
                makers++;
            }
        }
        return first == mine ? make(mine) : await(first);
    }

    private boolean isToBeReplaced(CompletableFuture<Client> one) {
        long age = nanoTime.getAsLong() - begunAt;
        return one.isCompletedExceptionally() && age >= FAILURE_SHARED.toNanos()
                || !one.isDone() && age >= HANGS_AFTER.toNanos() && makers < MAX_MAKERS;
    }

    private Client make(CompletableFuture<Client> promise) throws IOException {
        try {
            FileStamps before = FileStamps.of(connector.files());
            synchronized (this) {
                files = before;
            }
            ApiClient api = connector.connect();
            // PendingRequest has the watchdog for responses. Pings keep dead connections from the next request.
            OkHttpClient http = api.getHttpClient()
                    .newBuilder()
                    .readTimeout(Duration.ZERO)
                    .connectTimeout(connectTimeout(api))
                    .pingInterval(PING_INTERVAL)
                    .connectionPool(pool)
                    .build();
            Client client = new Client(api, http);
            promise.complete(client);
            return client;
        } catch (IOException | RuntimeException | Error none) {
            promise.completeExceptionally(none);
            throw none;
        } finally {
            synchronized (this) {
                makers--;
            }
        }
    }

    private static Duration connectTimeout(ApiClient api) {
        Duration own = Duration.ofMillis(api.getHttpClient().connectTimeoutMillis());
        return own.isZero() || own.compareTo(MAX_CONNECT_TIMEOUT) > 0 ? MAX_CONNECT_TIMEOUT : own;
    }

    private Client await(CompletableFuture<Client> promise) throws IOException {
        try {
            return promise.get(clientTimeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException late) {
            throw new PendingException(clientTimeout, late);
        } catch (ExecutionException none) {
            throw new IOException(
                    none.getCause() instanceof Exception known
                            ? ApiFailure.describe(known)
                            : String.valueOf(none.getCause()),
                    none);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", ended);
        }
    }

    /** Drops a client that the server refused, unless it was replaced meanwhile. */
    synchronized void discard(Client client) {
        if (current != null && !current.isCompletedExceptionally() && client.equals(current.getNow(null))) {
            current = null;
        }
    }

    /**
     * Returns the state of the credential files, and drops the client if they have changed since it was made. Reads from the file
     * system.
     */
    FileStamps checkFiles() {
        FileStamps now = FileStamps.of(connector.files());
        synchronized (this) {
            if (!now.equals(files) && current != null && current.isDone()) {
                current = null;
            }
        }
        return now;
    }

    /** Closes the idle connections. */
    void close() {
        pool.evictAll();
    }
}
