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

/** The client that all requests are made with, and anew once the server does not take its credentials any more. */
final class Connection {
    private static final Duration PING = Duration.ofSeconds(30);

    /** Of a failure others hear for so long instead of failing in the same way. */
    private static final Duration SHARED = Duration.ofSeconds(3);

    /** Who makes a client for longer is left to it, and another one begins; but not more than so many at once. */
    private static final Duration HANGING = Duration.ofMinutes(1);

    private static final int MOST_HANGING = 5;

    /**
     * The longest time to connect. A packet that opens a connection is sent again after one and three seconds: if the server
     * answers again in the last of these seconds, that is one second until the next request may wait to be made.
     */
    private static final Duration CONNECT = Duration.ofSeconds(4);

    private final ApiConnector connector;
    private final Duration patience;
    private final LongSupplier nanoTime;
    private final ConnectionPool pool = new ConnectionPool();

    /** The client, or who makes it, or why there is none. */
    private @Nullable CompletableFuture<Client> current;

    /** The files of the credentials, from before those were last read. */
    private FileStamps files = FileStamps.NONE;

    private long begunAt;
    private int making;

    /** A client that says what to send, and one that sends it. */
    record Client(ApiClient api, OkHttpClient http) {}

    /**
     * Makes nothing yet.
     *
     * @param patience how long others wait for the one that makes the client
     * @param nanoTime tells the time
     */
    Connection(ApiConnector connector, Duration patience, LongSupplier nanoTime) {
        this.connector = connector;
        this.patience = patience;
        this.nanoTime = nanoTime;
    }

    /**
     * Returns the client; makes one if there is none, which may take its time, and if nobody else is making one already.
     *
     * @throws IOException if none can be made, or somebody is still trying
     */
    Client client() throws IOException {
        CompletableFuture<Client> mine = new CompletableFuture<>();
        CompletableFuture<Client> first;
        synchronized (this) {
            first = current == null || isToBeReplaced(current) ? mine : current;
            if (first == mine) {
                current = mine;
                begunAt = nanoTime.getAsLong();
                making++;
            }
        }
        return first == mine ? made(mine) : awaited(first);
    }

    private boolean isToBeReplaced(CompletableFuture<Client> one) {
        long age = nanoTime.getAsLong() - begunAt;
        return one.isCompletedExceptionally() && age >= SHARED.toNanos()
                || !one.isDone() && age >= HANGING.toNanos() && making < MOST_HANGING;
    }

    private Client made(CompletableFuture<Client> promise) throws IOException {
        try {
            FileStamps before = FileStamps.of(connector.files());
            synchronized (this) {
                files = before;
            }
            ApiClient api = connector.connect();
            // Whether an answer goes on is looked after elsewhere; a dead connection must not be given to the next
            // request.
            OkHttpClient http = api.getHttpClient()
                    .newBuilder()
                    .readTimeout(Duration.ZERO)
                    .connectTimeout(connectTimeout(api))
                    .pingInterval(PING)
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
                making--;
            }
        }
    }

    private static Duration connectTimeout(ApiClient api) {
        Duration own = Duration.ofMillis(api.getHttpClient().connectTimeoutMillis());
        return own.isZero() || own.compareTo(CONNECT) > 0 ? CONNECT : own;
    }

    private Client awaited(CompletableFuture<Client> promise) throws IOException {
        try {
            return promise.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException late) {
            throw new IOException(
                    "no credentials after " + patience.toSeconds() + " s; the program that prints them may hang", late);
        } catch (ExecutionException none) {
            throw new IOException(
                    none.getCause() instanceof Exception known
                            ? ApiFailure.words(known)
                            : String.valueOf(none.getCause()),
                    none);
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", over);
        }
    }

    /** Forgets a client that the server did not take, unless there is another one by now. */
    synchronized void refused(Client client) {
        if (current != null && !current.isCompletedExceptionally() && client.equals(current.getNow(null))) {
            current = null;
        }
    }

    /**
     * Returns the state of the credentials' files. If it is not the one from before they were last read, the next request has
     * them read again. Reads from the file system.
     */
    FileStamps lookAtFiles() {
        FileStamps now = FileStamps.of(connector.files());
        synchronized (this) {
            if (!now.equals(files) && current != null && current.isDone()) {
                current = null;
            }
        }
        return now;
    }

    /** Frees the connections that nobody uses. */
    void close() {
        pool.evictAll();
    }
}
