package io.k8sdns.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.k8sdns.clientjava.ApiConnector;
import io.k8sdns.federation.controller.ServiceApi;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.Pair;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the Services of an API server, one request at a time on a separate thread. Objects are passed as JSON text,
 * because the client's model classes drop unknown fields.
 */
final class LiveServices implements ServiceApi {
    private static final String SERVICES = "/api/v1/services";
    private static final String NAMESPACES = "/api/v1/namespaces/";
    private static final String FIELD_MANAGER = "k8sdns-federation-controller";
    private static final String PAGE = "500";
    private static final MediaType JSON = MediaType.get("application/json");
    private static final String[] CREDENTIALS = {"BearerToken"};

    /**
     * The largest length of a response that is read; a longer response fails to parse. Large enough for usual pages, but not for a
     * page of Services with the largest size in etcd.
     */
    private static final long MAX_RESPONSE_BYTES = 256L << 20;

    /** The deadline of a request, the same as in the controller. */
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    private final ApiConnector connector;
    private final ExecutorService executor;

    /** Used only by the thread. Null before the first request, and after a failure that new credentials might repair. */
    private @Nullable Connection connection;

    private record Connection(ApiClient client, OkHttpClient http) {}

    /** A response. */
    private record Answer(int status, String body) {
        boolean isSuccess() {
            return status / 100 == 2;
        }
    }

    /** A blocking task. */
    private interface Work<T> {
        T run() throws IOException, ApiException;
    }

    LiveServices(ApiConnector connector) {
        this.connector = connector;
        this.executor = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "k8sdns-services");
            thread.setDaemon(true);
            return thread;
        });
    }

    private <T> CompletionStage<T> start(Work<T> work) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return work.run();
                    } catch (IOException | ApiException | JsonParseException | IllegalStateException failed) {
                        // Reconnect, because credentials and certificates may have changed.
                        connection = null;
                        throw new CompletionException(failed);
                    }
                },
                executor);
    }

    @Override
    public CompletionStage<List<String>> list(String label) {
        return start(() -> {
            List<String> all = new ArrayList<>();
            String next = "";
            do {
                List<Pair> query = new ArrayList<>(List.of(new Pair("labelSelector", label), new Pair("limit", PAGE)));
                if (!next.isEmpty()) {
                    query.add(new Pair("continue", next));
                }
                JsonObject page = JsonParser.parseString(
                                successful(call("GET", SERVICES, query, null)).body())
                        .getAsJsonObject();
                JsonElement items = page.get("items");
                if (items instanceof JsonArray services) {
                    services.forEach(service -> all.add(service.toString()));
                }
                next = text(page.getAsJsonObject("metadata"), "continue");
            } while (!next.isEmpty());
            return all;
        });
    }

    private static String text(@Nullable JsonObject object, String member) {
        return object != null && object.get(member) instanceof JsonPrimitive value ? value.getAsString() : "";
    }

    @Override
    public CompletionStage<Optional<String>> get(String namespace, String name) {
        return start(() -> {
            Answer answer = call("GET", path(namespace, name), List.of(), null);
            return answer.status() == HttpURLConnection.HTTP_NOT_FOUND
                    ? Optional.empty()
                    : Optional.of(successful(answer).body());
        });
    }

    @Override
    public CompletionStage<Boolean> create(String namespace, String json) {
        return start(() -> {
            Answer answer = call("POST", NAMESPACES + namespace + "/services", managed(), json);
            return answer.status() != HttpURLConnection.HTTP_CONFLICT
                    && successful(answer).isSuccess();
        });
    }

    @Override
    public CompletionStage<Boolean> replace(String namespace, String name, String json) {
        return start(() -> {
            Answer answer = call("PUT", path(namespace, name), managed(), json);
            return answer.status() != HttpURLConnection.HTTP_CONFLICT
                    && answer.status() != HttpURLConnection.HTTP_NOT_FOUND
                    && successful(answer).isSuccess();
        });
    }

    @Override
    public CompletionStage<Boolean> delete(String namespace, String name, String uid, String resourceVersion) {
        JsonObject preconditions = new JsonObject();
        preconditions.addProperty("uid", uid);
        preconditions.addProperty("resourceVersion", resourceVersion);
        JsonObject options = new JsonObject();
        options.addProperty("apiVersion", "v1");
        options.addProperty("kind", "DeleteOptions");
        options.add("preconditions", preconditions);
        return start(() -> {
            Answer answer = call("DELETE", path(namespace, name), List.of(), options.toString());
            return answer.status() == HttpURLConnection.HTTP_NOT_FOUND
                    || answer.status() != HttpURLConnection.HTTP_CONFLICT
                            && successful(answer).isSuccess();
        });
    }

    private static String path(String namespace, String name) {
        return NAMESPACES + namespace + "/services/" + name;
    }

    private static List<Pair> managed() {
        return List.of(new Pair("fieldManager", FIELD_MANAGER));
    }

    /** Returns the response if it is a success, otherwise throws. */
    private static Answer successful(Answer answer) throws IOException {
        if (answer.isSuccess()) {
            return answer;
        }
        String message = "";
        try {
            message = text(JsonParser.parseString(answer.body()).getAsJsonObject(), "message");
        } catch (JsonParseException | IllegalStateException noStatus) {
            // The response can be from a proxy.
        }
        throw new IOException("the API server answered " + answer.status() + (message.isEmpty() ? "" : ": " + message));
    }

    private Answer call(String method, String path, List<Pair> query, @Nullable String body)
            throws IOException, ApiException {
        Connection current = connection;
        if (current == null) {
            ApiClient client = connector.connect();
            current = new Connection(
                    client,
                    client.getHttpClient().newBuilder().callTimeout(DEADLINE).build());
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
        try (Response response = current.http().newCall(request).execute()) {
            return new Answer(
                    response.code(), response.peekBody(MAX_RESPONSE_BYTES).string());
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
