package io.k8sdns.cli;

import io.k8sdns.clientjava.ApiConnector;
import io.k8sdns.federation.controller.LeaseApi;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Reads and writes the Leases of an API server, on another thread than its Services, whose requests may take longer. */
final class LiveLeases implements LeaseApi {
    private final ApiObjects objects;

    LiveLeases(ApiConnector connector) {
        objects = new ApiObjects(
                connector, "/apis/coordination.k8s.io/v1", "leases", "permission to get, create and update leases");
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
    public void close() {
        objects.close();
    }
}
