package io.k8sdns.federation.controller;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The Services of one cluster at its API server, to read and to write: an extension point for a {@link FederationController} that
 * creates shards. Objects are JSON texts with every field that the API server has, since a Service that is replaced keeps the fields
 * that its writer does not know.
 *
 * <p>No method blocks. A stage fails if the API server does not answer or refuses the request, for example for a missing right or
 * namespace; the message of its exception is shown to a person.
 */
public interface ServiceApi extends AutoCloseable {
    /**
     * Completes with the Services of all namespaces that have a label, all of them or none.
     *
     * @param label {@code KEY=VALUE}
     */
    CompletionStage<List<String>> list(String label);

    /** Completes with a Service; empty if there is none of this name, or no such namespace. */
    CompletionStage<Optional<String>> get(String namespace, String name);

    /**
     * Creates a Service.
     *
     * @param json the Service; its {@code metadata.namespace} is the namespace
     * @return false if there is a Service of this name
     */
    CompletionStage<Boolean> create(String namespace, String json);

    /**
     * Replaces a Service.
     *
     * @param json the new Service; its {@code metadata.resourceVersion} is that of the one to replace
     * @return false if there is another version by now, or none
     */
    CompletionStage<Boolean> replace(String namespace, String name, String json);

    /**
     * Deletes a Service.
     *
     * @param uid the {@code metadata.uid} of the one to delete
     * @param resourceVersion its {@code metadata.resourceVersion}
     * @return false if there is another one or another version by now; true also if there is none
     */
    CompletionStage<Boolean> delete(String namespace, String name, String uid, String resourceVersion);

    /** Ends; requests that are under way may fail. Does not block. */
    @Override
    void close();
}
