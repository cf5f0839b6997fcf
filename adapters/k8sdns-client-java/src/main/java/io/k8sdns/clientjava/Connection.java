package io.k8sdns.clientjava;

import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.time.Duration;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/** The client that all requests are made with, and anew once the server does not take its credentials any more. */
final class Connection {
    private static final Duration PING = Duration.ofSeconds(30);
    private static final Duration RENEWAL = Duration.ofMinutes(1);

    private final ApiConnector connector;
    private final ConnectionPool pool = new ConnectionPool();
    private @Nullable Client current;

    /** A client that says what to send, and one that sends it. */
    record Client(ApiClient api, OkHttpClient http, long madeAt) {}

    Connection(ApiConnector connector) {
        this.connector = connector;
    }

    /** Returns the client; makes one if there is none, which may take its time. */
    synchronized Client client() throws IOException {
        if (current == null) {
            ApiClient api = connector.connect();
            // Whether an answer goes on is looked after elsewhere; a dead connection must not be given to the next
            // request.
            OkHttpClient http = api.getHttpClient()
                    .newBuilder()
                    .readTimeout(Duration.ZERO)
                    .pingInterval(PING)
                    .connectionPool(pool)
                    .build();
            current = new Client(api, http, System.nanoTime());
        }
        return current;
    }

    /** Forgets a client that the server did not take, unless there is another one by now. */
    synchronized void refused(Client client) {
        if (client.equals(current)) {
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
