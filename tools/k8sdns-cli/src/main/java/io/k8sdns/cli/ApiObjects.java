package io.k8sdns.cli;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.k8sdns.clientjava.ApiConnector;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.Pair;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the objects of one resource of an API server, one request at a time on a separate thread. Objects are passed as JSON
 * text, because the client's model classes drop unknown fields.
 */
final class ApiObjects implements AutoCloseable {
    private static final String FIELD_MANAGER = "k8sdns-federation-controller";
    private static final MediaType JSON = MediaType.get("application/json");
    private static final String[] CREDENTIALS = {"BearerToken"};

    /**
     * The largest length of a response that is read; a longer response fails to parse. Large enough for usual pages, but not for a page
     * of objects with the largest size in etcd.
     */
    private static final long MAX_RESPONSE_BYTES = 256L << 20;

    /** The deadline of a task, the same as in the controller. */
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    private final ApiConnector connector;
    private final String version;
    private final String resource;
    private final String permission;
    private final Duration timeout;
    private final ExecutorService executor;

    /** Used only by the thread. Null before the first request, and after a failure that new credentials might repair. */
    private @Nullable Connection connection;

    /** Used only by the thread. The end of the present task, in {@link System#nanoTime()}. */
    private long deadline;

    private record Connection(ApiClient client, OkHttpClient http) {}

    /** A response. */
    record StatusAndBody(int status, String body) {
        boolean isSuccess() {
            return status / 100 == 2;
        }
    }

    /** A response that is not a success. */
    private static final class StatusException extends IOException {
        private static final long serialVersionUID = 1;

        private final int status;

        StatusException(int status, String message) {
            super(message);
            this.status = status;
        }

        /** Returns whether other credentials may help. */
        boolean isAboutCredentials() {
            return status == HttpURLConnection.HTTP_UNAUTHORIZED || status == HttpURLConnection.HTTP_FORBIDDEN;
        }
    }

    /** A blocking task. */
    interface Work<T> {
        T run() throws IOException, ApiException;
    }

    /**
     * Creates an instance, which connects at the first request.
     *
     * @param version the path of the version of the API, for example {@code /api/v1}
     * @param resource the last segment of the path of all objects, for example {@code services}
     * @param permission the needed permission, for a person
     */
    ApiObjects(ApiConnector connector, String version, String resource, String permission) {
        this(connector, version, resource, permission, DEADLINE);
    }

    /** Creates an instance with another deadline. */
    ApiObjects(ApiConnector connector, String version, String resource, String permission, Duration timeout) {
        this.timeout = timeout;
        this.connector = connector;
        this.version = version;
        this.resource = resource;
        this.permission = permission;
        this.executor = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "k8sdns-" + resource);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Does work on the thread. No request of it is sent after the deadline, which the controller counts from now, too. */
    <T> CompletionStage<T> start(Work<T> work) {
        long end = System.nanoTime() + timeout.toNanos();
        return CompletableFuture.supplyAsync(
                () -> {
                    deadline = end;
                    try {
                        return work.run();
                    } catch (IOException | ApiException | JsonParseException | IllegalStateException failed) {
                        // Credentials and certificates may have changed.
                        if (!(failed instanceof StatusException status) || status.isAboutCredentials()) {
                            connection = null;
                        }
                        throw new CompletionException(failed);
                    }
                },
                executor);
    }

    CompletionStage<Optional<String>> get(String namespace, String name) {
        return start(() -> {
            StatusAndBody response = call("GET", path(namespace, name), List.of(), null);
            return response.status() == HttpURLConnection.HTTP_NOT_FOUND
                    ? Optional.empty()
                    : Optional.of(successful(response).body());
        });
    }

    CompletionStage<Boolean> create(String namespace, String json) {
        return start(() -> {
            StatusAndBody response = call("POST", path(namespace), managed(), json);
            return response.status() != HttpURLConnection.HTTP_CONFLICT
                    && successful(response).isSuccess();
        });
    }

    CompletionStage<Boolean> replace(String namespace, String name, String json) {
        return start(() -> {
            StatusAndBody response = call("PUT", path(namespace, name), managed(), json);
            return response.status() != HttpURLConnection.HTTP_CONFLICT
                    && response.status() != HttpURLConnection.HTTP_NOT_FOUND
                    && successful(response).isSuccess();
        });
    }

    /** Returns the path of the objects of all namespaces. */
    String path() {
        return version + "/" + resource;
    }

    private String path(String namespace) {
        return version + "/namespaces/" + namespace + "/" + resource;
    }

    String path(String namespace, String name) {
        return path(namespace) + "/" + name;
    }

    private static List<Pair> managed() {
        return List.of(new Pair("fieldManager", FIELD_MANAGER));
    }

    static String text(@Nullable JsonObject object, String member) {
        return object != null && object.get(member) instanceof JsonPrimitive value ? value.getAsString() : "";
    }

    /** Returns a response that is a success. */
    StatusAndBody successful(StatusAndBody response) throws IOException {
        if (response.isSuccess()) {
            return response;
        }
        String message = "";
        try {
            message = text(JsonParser.parseString(response.body()).getAsJsonObject(), "message");
        } catch (JsonParseException | IllegalStateException noStatus) {
            // A proxy may have answered.
        }
        throw new StatusException(
                response.status(),
                "the API server answered " + response.status() + (message.isEmpty() ? "" : ": " + message)
                        + (response.status() == HttpURLConnection.HTTP_FORBIDDEN
                                ? " (needed: " + permission + ")"
                                : ""));
    }

    /**
     * Makes a request, on the thread.
     *
     * @param body its JSON; null for a GET
     */
    StatusAndBody call(String method, String path, List<Pair> query, @Nullable String body)
            throws IOException, ApiException {
        Connection current = connection;
        if (current == null) {
            ApiClient client = connector.connect();
            current = new Connection(client, client.getHttpClient());
            connection = current;
        }
        Request request = current.client()
                .buildRequest(
                        current.client().getBasePath(),
                        path,
                        "GET",
                        query,
                        List.of(),
                        null,
                        new HashMap<>(Map.of("Accept", "application/json")),
                        new HashMap<>(),
                        new HashMap<>(),
                        CREDENTIALS,
                        null);
        if (body != null) {
            request = request.newBuilder()
                    .method(method, RequestBody.create(body, JSON))
                    .build();
        }
        Call call = current.http().newCall(request);
        // A program that gives credentials may have taken longer, and the permission to write may have ended since.
        long left = deadline - System.nanoTime();
        if (left <= 0) {
            throw new IOException("not sent within " + timeout.toSeconds() + " s");
        }
        call.timeout().timeout(left, TimeUnit.NANOSECONDS);
        try (Response response = call.execute()) {
            return new StatusAndBody(
                    response.code(), response.peekBody(MAX_RESPONSE_BYTES).string());
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
