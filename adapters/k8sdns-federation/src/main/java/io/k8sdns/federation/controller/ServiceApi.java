package io.k8sdns.federation.controller;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Reads and writes the Services of one cluster: an extension point of the {@link FederationController}, which creates shards. Objects
 * are JSON texts with all fields of the API server, because a replaced Service must keep the fields that the controller does not know.
 *
 * <p>No method blocks. A stage fails if the API server does not answer or refuses the request, for example for a missing permission or
 * namespace; users see the message of its exception.
 */
public interface ServiceApi extends AutoCloseable {
    /**
     * Returns the Services with a label in all namespaces. The list is never partial.
     *
     * @param label {@code KEY=VALUE}
     */
    CompletionStage<List<String>> list(String label);

    /** Returns a Service; empty if there is none of this name, or no such namespace. */
    CompletionStage<Optional<String>> get(String namespace, String name);

    /**
     * Creates a Service.
     *
     * @param json the Service; its {@code metadata.namespace} is the namespace
     * @return false if a Service of this name exists
     */
    CompletionStage<Boolean> create(String namespace, String json);

    /**
     * Replaces a Service.
     *
     * @param json the new Service; its {@code metadata.resourceVersion} is that of the one to replace
     * @return false if the Service has another version now, or does not exist
     */
    CompletionStage<Boolean> replace(String namespace, String name, String json);

    /**
     * Deletes a Service.
     *
     * @param uid the {@code metadata.uid} of the one to delete
     * @param resourceVersion its {@code metadata.resourceVersion}
     * @return false if the Service has another UID or version now; true if it does not exist
     */
    CompletionStage<Boolean> delete(String namespace, String name, String uid, String resourceVersion);

    /** Closes the access; requests that are under way may fail. Does not block. */
    @Override
    void close();
}
