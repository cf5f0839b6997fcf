package io.k8sdns.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.k8sdns.clientjava.ApiConnector;
import io.k8sdns.federation.controller.ServiceApi;
import io.kubernetes.client.openapi.Pair;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Reads and writes the Services of an API server. */
final class LiveServices implements ServiceApi {
    private static final String PAGE = "500";

    private final ApiObjects objects;

    LiveServices(ApiConnector connector) {
        objects = new ApiObjects(
                connector, "/api/v1", "services", "permission to get, create, update and delete services");
    }

    @Override
    public CompletionStage<List<String>> list(String label) {
        return objects.start(() -> {
            List<String> all = new ArrayList<>();
            String next = "";
            do {
                List<Pair> query = new ArrayList<>(List.of(new Pair("labelSelector", label), new Pair("limit", PAGE)));
                if (!next.isEmpty()) {
                    query.add(new Pair("continue", next));
                }
                JsonObject page = JsonParser.parseString(
                                objects.successful(objects.call("GET", objects.path(), query, null))
                                        .body())
                        .getAsJsonObject();
                JsonElement items = page.get("items");
                if (items instanceof JsonArray services) {
                    services.forEach(service -> all.add(service.toString()));
                }
                next = ApiObjects.text(page.getAsJsonObject("metadata"), "continue");
            } while (!next.isEmpty());
            return all;
        });
    }

    @Override
    public CompletionStage<Optional<String>> get(String namespace, String name) {
        return objects.get(namespace, name);
    }

    @Override
    public CompletionStage<Boolean> create(String namespace, String json) {
        return objects.create(namespace, json);
    }

    @Override
    public CompletionStage<Boolean> replace(String namespace, String name, String json) {
        return objects.replace(namespace, name, json);
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
        return objects.start(() -> {
            ApiObjects.StatusAndBody response =
                    objects.call("DELETE", objects.path(namespace, name), List.of(), options.toString());
            return response.status() == HttpURLConnection.HTTP_NOT_FOUND
                    || response.status() != HttpURLConnection.HTTP_CONFLICT
                            && objects.successful(response).isSuccess();
        });
    }

    @Override
    public void close() {
        objects.close();
    }
}
