package io.k8sdns.clientjava;

import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/** The client that all requests are made with, and anew once the server does not take its credentials any more. */
final class Connection {
    private static final Duration PING = Duration.ofSeconds(30);
    private static final Duration RENEWAL = Duration.ofMinutes(1);

    private final ApiConnector connector;
    private final Duration patience;
    private final ConnectionPool pool = new ConnectionPool();

    /** The client, or who makes it. */
    private @Nullable CompletableFuture<Client> current;

    /** A client that says what to send, and one that sends it. */
    record Client(ApiClient api, OkHttpClient http, long madeAt) {}

    /**
     * Makes nothing yet.
     *
     * @param patience how long others wait for the one that makes the client
     */
    Connection(ApiConnector connector, Duration patience) {
        this.connector = connector;
        this.patience = patience;
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
            first = current == null ? mine : current;
            current = first;
        }
        return first == mine ? made(mine) : awaited(first);
    }

    private Client made(CompletableFuture<Client> promise) throws IOException {
        try {
            ApiClient api = connector.connect();
            // Whether an answer goes on is looked after elsewhere; a dead connection must not be given to the next
            // request.
            OkHttpClient http = api.getHttpClient()
                    .newBuilder()
                    .readTimeout(Duration.ZERO)
                    .pingInterval(PING)
                    .connectionPool(pool)
                    .build();
            Client client = new Client(api, http, System.nanoTime());
            promise.complete(client);
            return client;
        } catch (IOException | RuntimeException | Error none) {
            forget(promise);
            promise.completeExceptionally(none);
            throw none;
        }
    }

    private Client awaited(CompletableFuture<Client> promise) throws IOException {
        try {
            return promise.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException late) {
            throw new IOException(
                    "no credentials after " + patience.toSeconds() + " s; the program that is to tell them may hang",
                    late);
        } catch (ExecutionException none) {
            throw new IOException(none.getCause());
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", over);
        }
    }

    private synchronized void forget(CompletableFuture<Client> client) {
        if (client == current) {
            current = null;
        }
    }

    /** Forgets a client that the server did not take, unless there is another one by now. */
    synchronized void refused(Client client) {
        if (current != null && client.equals(current.getNow(null))) {
            current = null;
        }
    }

    /**
     * Forgets a client that is not allowed what it asked for, unless it is new: one that got no credentials is a stranger to
     * the server, and is refused as one who may do nothing.
     */
    synchronized void forbidden(Client client) {
        if (System.nanoTime() - client.madeAt() >= RENEWAL.toNanos()) {
            refused(client);
        }
    }

    /** Frees the connections that nobody uses. */
    void close() {
        pool.evictAll();
    }
}
